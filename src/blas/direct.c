/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct calls: what their launches depend on, for the cache of launches. */
#include "blas/direct.h"
#include "ocl/launch_cache.h"

/* A call with its operands by slot. */
typedef struct call {
  ga__launch_key key;
  GpuArray operands[3]; /* buffers and offsets only */
} call;

/* --- what a call depends on --- */

static void start(call *c, gpucontext *ctx, const char *routine, int typecode,
                  int conj_first, int conj_second) {
  ga__launch_key_start(&c->key, ctx, routine);
  ga__launch_key_number(&c->key, (size_t)typecode);
  ga__launch_key_number(&c->key, (size_t)(conj_first != 0) * 2 +
                                     (size_t)(conj_second != 0));
}

static void add_factor(call *c, ga_complex factor) {
  ga__launch_key_double(&c->key, factor.re);
  ga__launch_key_double(&c->key, factor.im);
}

static void add_operand(call *c, const ga__operand *o) {
  c->operands[o->slot] = (GpuArray){.data = o->buf, .offset = o->off};
  ga__launch_key_number(&c->key, (size_t)o->rs);
  ga__launch_key_number(&c->key, (size_t)o->cs);
  ga__launch_key_number(&c->key, (size_t)o->bs);
  ga__launch_key_offset(&c->key, o->off);
}

static int run(const call *c, gpucontext *ctx,
               int (*prepare)(GpuLaunch **out, const void *product),
               const void *product) {
  const void *const values[] = {&c->operands[0], &c->operands[1],
                                &c->operands[2]};

  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &c->key,
                                           .n = 3,
                                           .values = values,
                                           .prepare = prepare,
                                           .arg = product});
}

/* --- one per routine --- */

static int prepare_gemm(GpuLaunch **out, const void *g) {
  return ga__gemm_prepare(out, g);
}

int ga__gemm_run(const ga__gemm *g) {
  call c;

  start(&c, g->ctx, "gemm", g->typecode, g->conj_a, g->conj_b);
  ga__launch_key_number(&c.key, g->m);
  ga__launch_key_number(&c.key, g->n);
  ga__launch_key_number(&c.key, g->k);
  ga__launch_key_number(&c.key, g->batch);
  add_factor(&c, g->alpha);
  add_factor(&c, g->beta);
  add_operand(&c, &g->a);
  add_operand(&c, &g->b);
  add_operand(&c, &g->c);
  return run(&c, g->ctx, prepare_gemm, g);
}

static int prepare_gemv(GpuLaunch **out, const void *g) {
  return ga__gemv_prepare(out, g);
}

int ga__gemv_run(const ga__gemv *g) {
  call c;

  start(&c, g->ctx, "gemv", g->typecode, g->conj_a, g->conj_x);
  ga__launch_key_number(&c.key, g->m);
  ga__launch_key_number(&c.key, g->n);
  add_factor(&c, g->alpha);
  add_factor(&c, g->beta);
  add_operand(&c, &g->a);
  add_operand(&c, &g->x);
  add_operand(&c, &g->y);
  return run(&c, g->ctx, prepare_gemv, g);
}

static int prepare_ger(GpuLaunch **out, const void *g) {
  return ga__ger_prepare(out, g);
}

int ga__ger_run(const ga__ger *g) {
  call c;

  start(&c, g->ctx, "ger", g->typecode, g->conj_x, g->conj_y);
  ga__launch_key_number(&c.key, g->m);
  ga__launch_key_number(&c.key, g->n);
  add_factor(&c, g->alpha);
  add_operand(&c, &g->x);
  add_operand(&c, &g->y);
  add_operand(&c, &g->a);
  return run(&c, g->ctx, prepare_ger, g);
}

static int prepare_dot(GpuLaunch **out, const void *g) {
  return ga__dot_prepare(out, g);
}

int ga__dot_run(const ga__dot *g) {
  call c;

  start(&c, g->ctx, "dot", g->typecode, g->conj_x, 0);
  ga__launch_key_number(&c.key, g->n);
  add_operand(&c, &g->x);
  add_operand(&c, &g->y);
  add_operand(&c, &g->z);
  return run(&c, g->ctx, prepare_dot, g);
}
