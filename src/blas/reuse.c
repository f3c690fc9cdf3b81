/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of direct calls, kept in the context for the next call with the
 * same geometry: that one costs a look-up and the arguments.
 *
 * Kept launches are bound to no buffers and hold no references to the context
 * between calls. Those with large workspaces are not kept. */
#include <string.h>

#include "base/alloc.h"
#include "blas/direct.h"
#include "cache/lru.h"

enum { KEPT_LAUNCHES = 64, KEPT_WORK = 32 << 20 };

enum { ROUTINE_DOT = 1, ROUTINE_GEMV, ROUTINE_GEMM, ROUTINE_GER };

/* Everything that a launch depends on, but for buffers and offsets. Without
 * padding: it is hashed as it lies. */
typedef struct shape {
  ga_complex alpha, beta;
  size_t routine, typecode;
  size_t how; /* conjugates, and offsets modulo 32 */
  size_t m, n, k, batch;
  ptrdiff_t strides[3][3];
} shape;

/* A direct call as what its launch depends on. */
typedef struct call {
  gpucontext *ctx;
  shape shape;
  const ga__operand *operands[3]; /* by slot */
  int (*prepare)(GpuLaunch **out, const void *product);
  const void *product;
} call;

typedef struct kept {
  ga__lru *launches;
  shape last_shape; /* of `last` */
  GpuLaunch *last;  /* borrowed from `launches`, or NULL */
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

static void hash_shape(const shape *s, unsigned char out[GA_SHA256_BYTES]) {
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add(&h, s, sizeof *s);
  ga__sha256_end(&h, out);
}

static GpuLaunch *look_up(kept *k, const shape *s,
                          unsigned char key[GA_SHA256_BYTES]) {
  if (k->last != NULL && memcmp(&k->last_shape, s, sizeof *s) == 0)
    return k->last;
  hash_shape(s, key);
  k->last = ga__lru_get(k->launches, key);
  k->last_shape = *s;
  return k->last;
}

static int bind_all(GpuLaunch *l, const call *c) {
  for (unsigned int i = 0; i < 3; i++)
    GA_TRY(GpuLaunch_bind(l, i, c->operands[i]->buf, c->operands[i]->off));
  return GA_NO_ERROR;
}

/* A launch that is new runs first and is kept then; it is bound already. */
static int run_new(kept *k, const call *c, const unsigned char *key) {
  GpuLaunch *l;

  GA_TRY(c->prepare(&l, c->product));
  int err = GpuLaunch_run(l);
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

/* Run the kept launch of this shape, or prepare, run and keep one. */
static int call_run(const call *c) {
  unsigned char key[GA_SHA256_BYTES];
  int err;

  GA_TRY(ga__reuse_setup(c->ctx));
  ga__ctx_lock(c->ctx);
  kept *k = ga__ctx_kept(c->ctx, GA_KEEPER_BLAS);
  GpuLaunch *l = look_up(k, &c->shape, key);
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

/* Add an operand to the shape, which has everything else by now. */
static void call_operand(call *c, const ga__operand *o) {
  ptrdiff_t *to = c->shape.strides[o->slot];

  c->operands[o->slot] = o;
  to[0] = o->rs;
  to[1] = o->cs;
  to[2] = o->bs;
  c->shape.how = c->shape.how * 32 + o->off % 32;
}

static size_t conjugates(int first, int second) {
  return (size_t)(first != 0) * 2 + (size_t)(second != 0);
}

/* --- one per routine --- */

static int prepare_gemm(GpuLaunch **out, const void *g) {
  return ga__gemm_prepare(out, g);
}

int ga__gemm_run(const ga__gemm *g) {
  call c = {.ctx = g->ctx, .prepare = prepare_gemm, .product = g};

  c.shape = (shape){.routine = ROUTINE_GEMM,
                    .typecode = (size_t)g->typecode,
                    .how = conjugates(g->conj_a, g->conj_b),
                    .m = g->m,
                    .n = g->n,
                    .k = g->k,
                    .batch = g->batch,
                    .alpha = g->alpha,
                    .beta = g->beta};
  call_operand(&c, &g->a);
  call_operand(&c, &g->b);
  call_operand(&c, &g->c);
  return call_run(&c);
}

static int prepare_gemv(GpuLaunch **out, const void *g) {
  return ga__gemv_prepare(out, g);
}

int ga__gemv_run(const ga__gemv *g) {
  call c = {.ctx = g->ctx, .prepare = prepare_gemv, .product = g};

  c.shape = (shape){.routine = ROUTINE_GEMV,
                    .typecode = (size_t)g->typecode,
                    .how = conjugates(g->conj_a, g->conj_x),
                    .m = g->m,
                    .n = g->n,
                    .alpha = g->alpha,
                    .beta = g->beta};
  call_operand(&c, &g->a);
  call_operand(&c, &g->x);
  call_operand(&c, &g->y);
  return call_run(&c);
}

static int prepare_ger(GpuLaunch **out, const void *g) {
  return ga__ger_prepare(out, g);
}

int ga__ger_run(const ga__ger *g) {
  call c = {.ctx = g->ctx, .prepare = prepare_ger, .product = g};

  c.shape = (shape){.routine = ROUTINE_GER,
                    .typecode = (size_t)g->typecode,
                    .how = conjugates(g->conj_x, g->conj_y),
                    .m = g->m,
                    .n = g->n,
                    .alpha = g->alpha};
  call_operand(&c, &g->x);
  call_operand(&c, &g->y);
  call_operand(&c, &g->a);
  return call_run(&c);
}

static int prepare_dot(GpuLaunch **out, const void *g) {
  return ga__dot_prepare(out, g);
}

int ga__dot_run(const ga__dot *g) {
  call c = {.ctx = g->ctx, .prepare = prepare_dot, .product = g};

  c.shape = (shape){.routine = ROUTINE_DOT,
                    .typecode = (size_t)g->typecode,
                    .how = conjugates(g->conj_x, 0),
                    .n = g->n};
  call_operand(&c, &g->x);
  call_operand(&c, &g->y);
  call_operand(&c, &g->z);
  return call_run(&c);
}
