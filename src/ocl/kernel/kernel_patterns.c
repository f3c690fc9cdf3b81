/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/kernel/kernel_patterns.h"

#include <string.h>

#include "base/alloc.h"
#include "cache/lru.h"
#include "ocl/kernel/programs.h"
#include "ocl/objects.h"

static void drop(void *pattern) {
  ga__step_clear(pattern);
  ga__free(pattern);
}

int ga__pattern_put(gpucontext *ctx, ga__step *s) {
  ga__step *pattern = NULL;
  int err = GA_NO_ERROR;

  if (ctx->patterns == NULL)
    GA_CHECK(ga__lru_new(&ctx->patterns, GA_PROGRAMS_IN_MEMORY, 0, drop));
  pattern = ga__memdup(s, sizeof *s);
  if (pattern == NULL)
    GA_CHECK(ga__fail_nomem());
  memset(s, 0, sizeof *s);
  err = ga__lru_put(ctx->patterns, pattern->key,
                    pattern->n_key * sizeof *pattern->key, pattern, 0);

done:
  ga__step_clear(s);
  return err;
}

const ga__step *ga__pattern_get(gpucontext *ctx, const ga__launch_key *key) {
  if (ctx->patterns == NULL || key->n > GA_LAUNCH_KEY_MAX)
    return NULL;
  return ga__lru_get(ctx->patterns, key->v, key->n * sizeof *key->v);
}

void ga__patterns_clear(gpucontext *ctx) {
  ga__lru_free(ctx->patterns);
  ctx->patterns = NULL;
}
