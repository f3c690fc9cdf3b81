/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/kernel/noted.h"

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/objects.h"

#define FORMAT "gpugraph note 1"

static void make_key(const gpucontext *ctx, const char *family, const void *key,
                     size_t n, unsigned char out[GA_SHA256_BYTES]) {
  const ga__device *d = &ctx->dev;
  ga__sha256 s;

  ga__sha256_init(&s);
  ga__sha256_add_str(&s, FORMAT);
  ga__sha256_add_str(&s, d->platform_name);
  ga__sha256_add_str(&s, d->platform_version);
  ga__sha256_add_str(&s, d->name);
  ga__sha256_add_str(&s, d->version);
  ga__sha256_add_str(&s, d->driver);
  ga__sha256_add_str(&s, family);
  ga__sha256_add(&s, key, n);
  ga__sha256_end(&s, out);
}

int ga__noted_on(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  const int on = ga__disk_is_on(ctx->disk);
  ga__ctx_unlock(ctx);
  return on;
}

int ga__noted_get(gpucontext *ctx, const char *family, const void *key,
                  size_t n, unsigned char *value) {
  unsigned char name[GA_SHA256_BYTES], *bytes = NULL;
  size_t length = 0;

  make_key(ctx, family, key, n, name);
  ga__ctx_lock(ctx);
  int found = ga__disk_get(ctx->disk, name, &bytes, &length);
  ga__ctx_unlock(ctx);
  found = found && length == 1;
  if (found)
    *value = bytes[0];
  ga__free(bytes);
  return found;
}

void ga__noted_put(gpucontext *ctx, const char *family, const void *key,
                   size_t n, unsigned char value) {
  unsigned char name[GA_SHA256_BYTES];

  make_key(ctx, family, key, n, name);
  ga__ctx_lock(ctx);
  ga__disk_put(ctx->disk, name, &value, 1);
  ga__ctx_unlock(ctx);
}
