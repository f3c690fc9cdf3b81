/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of direct calls, kept in the context for the next call with the
 * same geometry: that one costs a look-up and the arguments.
 *
 * Kept launches are bound to no buffers and hold no references to the context
 * between calls. Those with large workspaces are not kept. */
#include "blas/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "blas/direct.h"
#include "cache/lru.h"

enum { KEPT_LAUNCHES = 64, KEPT_WORK = 32 << 20 };

typedef struct kept {
  ga__lru *launches;
  ga__shape last_shape; /* of `last` */
  GpuLaunch *last;      /* borrowed from `launches`, or NULL */
} kept;

static void drop_launch(void *l) {
  GpuLaunch_free(l);
}

static void drop_kept(void *p) {
  kept *k = p;

  ga__lru_free(k->launches);
  ga__free(k);
}

int ga__reuse_setup(gpucontext *ctx) {
  int err = GA_NO_ERROR;
  kept *k = NULL;

  ga__ctx_lock(ctx);
  if (ga__ctx_kept(ctx, GA_KEEPER_BLAS) != NULL)
    goto done;
  k = ga__calloc(1, sizeof *k);
  if (k == NULL)
    err = ga__fail_nomem();
  else
    err = ga__lru_new(&k->launches, KEPT_LAUNCHES, drop_launch);
  if (err == GA_NO_ERROR)
    ga__ctx_keep(ctx, GA_KEEPER_BLAS, k, drop_kept);
  else
    ga__free(k);

done:
  ga__ctx_unlock(ctx);
  return err;
}

void ga__reuse_teardown(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  ga__ctx_keep(ctx, GA_KEEPER_BLAS, NULL, NULL);
  ga__ctx_unlock(ctx);
}

static void hash_shape(const ga__shape *s, unsigned char out[GA_SHA256_BYTES]) {
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add(&h, s, sizeof *s);
  ga__sha256_end(&h, out);
}

static GpuLaunch *look_up(kept *k, const ga__shape *s,
                          unsigned char key[GA_SHA256_BYTES]) {
  if (k->last != NULL && memcmp(&k->last_shape, s, sizeof *s) == 0)
    return k->last;
  hash_shape(s, key);
  k->last = ga__lru_get(k->launches, key);
  k->last_shape = *s;
  return k->last;
}

static int bind_all(GpuLaunch *l, const ga__call *c) {
  for (unsigned int i = 0; i < 3; i++)
    GA_TRY(GpuLaunch_bind(l, i, c->operands[i]->buf, c->operands[i]->off));
  return GA_NO_ERROR;
}

/* A launch that is new runs first and is kept then; it is bound already. */
static int run_new(kept *k, const ga__call *c, const unsigned char *key) {
  GpuLaunch *l;
  int err;

  GA_TRY(c->prepare(&l, c->product));
  err = GpuLaunch_run(l);
  if (err != GA_NO_ERROR || ga__launch_work_bytes(l) > KEPT_WORK) {
    GpuLaunch_free(l);
    return err;
  }
  ga__launch_weaken(l);
  /* Without memory for the entry the launch is gone, but it has run. */
  if (ga__lru_put(k->launches, key, l) == GA_NO_ERROR)
    k->last = l;
  return GA_NO_ERROR;
}

int ga__call_run(const ga__call *c) {
  unsigned char key[GA_SHA256_BYTES];
  GpuLaunch *l;
  kept *k;
  int err;

  GA_TRY(ga__reuse_setup(c->ctx));
  ga__ctx_lock(c->ctx);
  k = ga__ctx_kept(c->ctx, GA_KEEPER_BLAS);
  l = look_up(k, &c->shape, key);
  if (l == NULL) {
    err = run_new(k, c, key);
  } else {
    err = bind_all(l, c);
    if (err == GA_NO_ERROR)
      err = GpuLaunch_run(l);
    ga__launch_unbind(l);
  }
  ga__ctx_unlock(c->ctx);
  return err;
}

/* --- what a call depends on --- */

void ga__call_operand(ga__call *c, const ga__operand *o) {
  ptrdiff_t *to = c->shape.strides[o->slot];

  c->operands[o->slot] = o;
  to[0] = o->rs;
  to[1] = o->cs;
  to[2] = o->bs;
  c->shape.how = c->shape.how * 32 + o->off % 32;
}

size_t ga__call_provider(void) {
  const char *v = getenv("GPUARRAY_BLAS");

  return v != NULL ? (unsigned char)v[0] : 0;
}

/* --- one per routine --- */

static int prepare_gemm(GpuLaunch **out, const void *g) {
  return ga__gemm_prepare(out, g);
}

int ga__gemm_run(const ga__gemm *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_gemm, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GEMM,
                        .typecode = (size_t)g->typecode,
                        .how = ga__call_provider(),
                        .m = g->m,
                        .n = g->n,
                        .k = g->k,
                        .batch = g->batch,
                        .alpha = {g->alpha},
                        .beta = {g->beta}};
  ga__call_operand(&c, &g->a);
  ga__call_operand(&c, &g->b);
  ga__call_operand(&c, &g->c);
  return ga__call_run(&c);
}

static int prepare_gemv(GpuLaunch **out, const void *g) {
  return ga__gemv_prepare(out, g);
}

int ga__gemv_run(const ga__gemv *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_gemv, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GEMV,
                        .typecode = (size_t)g->typecode,
                        .m = g->m,
                        .n = g->n,
                        .alpha = {g->alpha},
                        .beta = {g->beta}};
  ga__call_operand(&c, &g->a);
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  return ga__call_run(&c);
}

static int prepare_ger(GpuLaunch **out, const void *g) {
  return ga__ger_prepare(out, g);
}

int ga__ger_run(const ga__ger *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_ger, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GER,
                        .typecode = (size_t)g->typecode,
                        .m = g->m,
                        .n = g->n,
                        .alpha = {g->alpha}};
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  ga__call_operand(&c, &g->a);
  return ga__call_run(&c);
}

static int prepare_dot(GpuLaunch **out, const void *g) {
  return ga__dot_prepare(out, g);
}

int ga__dot_run(const ga__dot *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_dot, .product = g};

  c.shape = (ga__shape){
      .routine = GA_ROUTINE_DOT, .typecode = (size_t)g->typecode, .n = g->n};
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  ga__call_operand(&c, &g->z);
  return ga__call_run(&c);
}
