/* SPDX-License-Identifier: BSD-2-Clause */
/* The launches that a context keeps for direct calls of this layer. They are
 * bound to no buffers and hold no references to the context between calls. */
#include "array/keep.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "cache/lru.h"
#include "ocl/ocl.h"

enum { KEPT_LAUNCHES = 128, KEPT_WORK = 8 << 20, VECTOR_MAX = 128 };

typedef struct kept {
  ga__lru *launches;
  ga__keep_key last_key; /* of `last` */
  GpuLaunch *last;       /* borrowed from `launches`, or NULL */
} kept;

/* --- keys --- */

void ga__keep_start(ga__keep_key *k, gpucontext *ctx, ga__keep_what what) {
  k->n = 0;
  ga__keep_number(k, what);
  ga__keep_number(k, (size_t)gpucontext_caps(ctx)->is_cpu);
}

void ga__keep_number(ga__keep_key *k, size_t v) {
  if (k->n < GA_KEEP_NUMBERS)
    k->v[k->n] = v;
  k->n++;
}

void ga__keep_text(ga__keep_key *k, const char *text) {
  const size_t bytes = text != NULL ? strlen(text) : 0;

  ga__keep_number(k, text != NULL ? bytes : SIZE_MAX);
  for (size_t i = 0; i < bytes; i += sizeof(size_t)) {
    size_t v = 0;

    memcpy(&v, text + i, bytes - i < sizeof v ? bytes - i : sizeof v);
    ga__keep_number(k, v);
  }
}

void ga__keep_array(ga__keep_key *k, const GpuArray *a) {
  ga__keep_number(k, a->nd);
  ga__keep_number(k, (size_t)a->typecode);
  ga__keep_number(k, (size_t)a->flags);
  ga__keep_number(k, a->offset % VECTOR_MAX);
  for (unsigned int d = 0; d < a->nd; d++) {
    ga__keep_number(k, a->dimensions[d]);
    ga__keep_number(k, (size_t)a->strides[d]);
  }
}

static int same_key(const ga__keep_key *a, const ga__keep_key *b) {
  return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

static void copy_key(ga__keep_key *to, const ga__keep_key *from) {
  to->n = from->n;
  memcpy(to->v, from->v, from->n * sizeof *from->v);
}

/* --- launches --- */

static void drop_launch(void *l) {
  GpuLaunch_free(l);
}

static void drop_kept(void *p) {
  kept *k = p;

  ga__lru_free(k->launches);
  ga__free(k);
}

/* Lock held. */
static int get_kept(kept **out, gpucontext *ctx) {
  kept *k = ga__ctx_kept(ctx, GA_KEEPER_CALLS);

  *out = k;
  if (k != NULL)
    return GA_NO_ERROR;
  k = ga__calloc(1, sizeof *k);
  if (k == NULL)
    return ga__fail_nomem();
  int err = ga__lru_new(&k->launches, KEPT_LAUNCHES, drop_launch);
  if (err != GA_NO_ERROR) {
    ga__free(k);
    return err;
  }
  ga__ctx_keep(ctx, GA_KEEPER_CALLS, k, drop_kept);
  *out = k;
  return GA_NO_ERROR;
}

static GpuLaunch *look_up(kept *k, const ga__keep_key *key,
                          unsigned char hash[GA_SHA256_BYTES]) {
  ga__sha256 h;

  if (k->last != NULL && same_key(&k->last_key, key))
    return k->last;
  ga__sha256_init(&h);
  ga__sha256_add(&h, key->v, key->n * sizeof *key->v);
  ga__sha256_end(&h, hash);
  k->last = ga__lru_get(k->launches, hash);
  copy_key(&k->last_key, key);
  return k->last;
}

static int rerun(GpuLaunch *l, const ga__keep_call *c) {
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; err == GA_NO_ERROR && i < c->n; i++) {
    if (c->arrays[i] != NULL)
      err = GpuLaunch_bind(l, i, c->arrays[i]->data, c->arrays[i]->offset);
  }
  if (err == GA_NO_ERROR)
    err = GpuLaunch_run(l);
  ga__launch_unbind(l);
  return err;
}

/* A launch that is new is bound already. */
static int run_new(GpuLaunch **out, const ga__keep_call *c) {
  GA_TRY(c->prepare(out, c->arg));
  int err = GpuLaunch_run(*out);
  if (err != GA_NO_ERROR || ga__launch_work_bytes(*out) > KEPT_WORK) {
    GpuLaunch_free(*out);
    *out = NULL;
  }
  return err;
}

static int run_locked(const ga__keep_call *c) {
  unsigned char hash[GA_SHA256_BYTES];
  kept *k;

  GA_TRY(get_kept(&k, c->ctx));
  GpuLaunch *l = look_up(k, c->key, hash);
  if (l != NULL)
    return rerun(l, c);
  GA_TRY(run_new(&l, c));
  if (l == NULL)
    return GA_NO_ERROR;
  ga__launch_weaken(l);
  /* Without memory for the entry the launch is gone, but it has run. */
  if (ga__lru_put(k->launches, hash, l) == GA_NO_ERROR)
    k->last = l;
  return GA_NO_ERROR;
}

int ga__keep_run(const ga__keep_call *c) {
  GpuLaunch *l = NULL;

  if (c->key->n <= GA_KEEP_NUMBERS) {
    ga__ctx_lock(c->ctx);
    int err = run_locked(c);
    ga__ctx_unlock(c->ctx);
    return err;
  }
  int err = run_new(&l, c);
  GpuLaunch_free(l);
  return err;
}
