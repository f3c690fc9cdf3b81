/* SPDX-License-Identifier: BSD-2-Clause */
/* The launch cache of a context.
 *
 * Launches and buffers retain their context, so a context that owned ordinary
 * launches would never be freed. A cached launch therefore gives up these
 * references and gets them back just before it is freed. Between calls it is
 * bound to no buffers, so that it retains no memory of callers. */
#include "ocl/launch_cache.h"

#include <stdint.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/launch.h"

enum {
  LAUNCHES_MAX = 512,
  WORK_MAX = 128 << 20, /* bytes of all workspaces; one launch has a quarter at
                           most */
  VECTOR_MAX = 128      /* bytes: no launch needs a higher alignment */
};

/* --- keys --- */

void ga__launch_key_start(ga__launch_key *k, gpucontext *ctx,
                          const char *family) {
  k->n = 0;
  ga__launch_key_text(k, family);
  ga__launch_key_number(k, (size_t)gpucontext_caps(ctx)->is_cpu);
}

void ga__launch_key_number(ga__launch_key *k, size_t v) {
  if (k->n < GA_LAUNCH_KEY_MAX)
    k->v[k->n] = v;
  k->n++;
}

void ga__launch_key_double(ga__launch_key *k, double v) {
  uint64_t bits;

  memcpy(&bits, &v, sizeof bits);
  ga__launch_key_number(k, (size_t)bits);
  if (sizeof(size_t) < sizeof bits)
    ga__launch_key_number(k, (size_t)(bits >> 32));
}

void ga__launch_key_text(ga__launch_key *k, const char *text) {
  const size_t bytes = text != NULL ? strlen(text) : 0;

  ga__launch_key_number(k, text != NULL ? bytes : SIZE_MAX);
  for (size_t i = 0; i < bytes; i += sizeof(size_t)) {
    size_t v = 0;

    memcpy(&v, text + i, bytes - i < sizeof v ? bytes - i : sizeof v);
    ga__launch_key_number(k, v);
  }
}

void ga__launch_key_offset(ga__launch_key *k, size_t offset) {
  ga__launch_key_number(k, offset % VECTOR_MAX);
}

void ga__launch_key_array(ga__launch_key *k, const GpuArray *a) {
  ga__launch_key_number(k, a->nd);
  ga__launch_key_number(k, (size_t)a->typecode);
  ga__launch_key_number(k, (size_t)a->flags);
  ga__launch_key_offset(k, a->offset);
  for (unsigned int d = 0; d < a->nd; d++) {
    ga__launch_key_number(k, a->dimensions[d]);
    ga__launch_key_number(k, (size_t)a->strides[d]);
  }
}

/* --- cached launches --- */

static size_t work_bytes(const GpuLaunch *l) {
  size_t bytes = 0;

  for (size_t i = 0; i < l->works.n; i++)
    bytes += l->works.v[i]->bytes;
  return bytes;
}

static unsigned int references(const GpuLaunch *l) {
  return 1 + (unsigned int)l->works.n;
}

static void drop_launch(void *p) {
  GpuLaunch *l = p;

  atomic_fetch_add(&l->ctx->refs, references(l));
  GpuLaunch_free(l);
}

static void unbind(GpuLaunch *l) {
  for (unsigned int i = 0; i < l->n_slots; i++) {
    gpudata_release(l->bufs[i]);
    l->bufs[i] = NULL;
  }
}

/* Add a launch that has run to the cache. If memory runs out, ga__lru_put frees
 * it. */
static void keep(gpucontext *ctx, const ga__launch_key *key, GpuLaunch *l) {
  unbind(l);
  atomic_fetch_sub(&ctx->refs, references(l));
  ga__lru_put(ctx->launches, key->v, key->n * sizeof *key->v, l, work_bytes(l));
}

void ga__cached_drop(gpucontext *ctx) {
  ga__lru_free(ctx->launches);
  ctx->launches = NULL;
}

/* --- calls --- */

/* Direct calls never flush subnormals, even in a thread that does so for
 * launches. */
static int prepare(GpuLaunch **out, const ga__cached_call *c) {
  const int before = GpuLaunch_flush_subnormals(0);
  const int err = c->prepare(out, c->arg);

  GpuLaunch_flush_subnormals(before);
  return err;
}

static int run_new(const ga__cached_call *c) {
  GpuLaunch *l;
  int err;

  GA_TRY(prepare(&l, c));
  if (l == NULL)
    return GA_NO_ERROR;
  err = GpuLaunch_run(l);
  if (err == GA_NO_ERROR && c->key->n <= GA_LAUNCH_KEY_MAX &&
      work_bytes(l) <= WORK_MAX / 4)
    keep(c->ctx, c->key, l);
  else
    GpuLaunch_free(l);
  return err;
}

static int run_locked(const ga__cached_call *c) {
  GpuLaunch *l = NULL;

  if (c->ctx->launches == NULL)
    GA_TRY(ga__lru_new(&c->ctx->launches, LAUNCHES_MAX, WORK_MAX, drop_launch));
  if (c->key->n <= GA_LAUNCH_KEY_MAX)
    l = ga__lru_get(c->ctx->launches, c->key->v, c->key->n * sizeof *c->key->v);
  return l != NULL ? ga__launch_run_with(l, c->n, c->values) : run_new(c);
}

int ga__cached_run(const ga__cached_call *c) {
  int err;

  ga__ctx_lock(c->ctx);
  err = run_locked(c);
  ga__ctx_unlock(c->ctx);
  return err;
}
