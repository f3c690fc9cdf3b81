/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of complex products, kept for the next call with the same geometry.
 * Their dtype tells them from those of real ones. */
#include "blas/product_complex.h"
#include "blas/reuse.h"

static size_t conjugates(int first, int second) {
  return (size_t)(first != 0) * 2 + (size_t)(second != 0);
}

static int prepare_gemm(GpuLaunch **out, const void *g) {
  return ga__cgemm_prepare(out, g);
}

int ga__cgemm_run(const ga__cgemm *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_gemm, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GEMM,
                        .typecode = (size_t)g->typecode,
                        .how = conjugates(g->conj_a, g->conj_b),
                        .m = g->m,
                        .n = g->n,
                        .k = g->k,
                        .batch = g->batch,
                        .alpha = {g->alpha.re, g->alpha.im},
                        .beta = {g->beta.re, g->beta.im}};
  ga__call_operand(&c, &g->a);
  ga__call_operand(&c, &g->b);
  ga__call_operand(&c, &g->c);
  return ga__call_run(&c);
}

static int prepare_gemv(GpuLaunch **out, const void *g) {
  return ga__cgemv_prepare(out, g);
}

int ga__cgemv_run(const ga__cgemv *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_gemv, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GEMV,
                        .typecode = (size_t)g->typecode,
                        .how = conjugates(g->conj_a, g->conj_x),
                        .m = g->m,
                        .n = g->n,
                        .alpha = {g->alpha.re, g->alpha.im},
                        .beta = {g->beta.re, g->beta.im}};
  ga__call_operand(&c, &g->a);
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  return ga__call_run(&c);
}

static int prepare_ger(GpuLaunch **out, const void *g) {
  return ga__cger_prepare(out, g);
}

int ga__cger_run(const ga__cger *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_ger, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_GER,
                        .typecode = (size_t)g->typecode,
                        .how = conjugates(g->conj_x, g->conj_y),
                        .m = g->m,
                        .n = g->n,
                        .alpha = {g->alpha.re, g->alpha.im}};
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  ga__call_operand(&c, &g->a);
  return ga__call_run(&c);
}

static int prepare_dot(GpuLaunch **out, const void *g) {
  return ga__cdot_prepare(out, g);
}

int ga__cdot_run(const ga__cdot *g) {
  ga__call c = {.ctx = g->ctx, .prepare = prepare_dot, .product = g};

  c.shape = (ga__shape){.routine = GA_ROUTINE_DOT,
                        .typecode = (size_t)g->typecode,
                        .how = conjugates(g->conj_x, 0),
                        .n = g->n};
  ga__call_operand(&c, &g->x);
  ga__call_operand(&c, &g->y);
  ga__call_operand(&c, &g->z);
  return ga__call_run(&c);
}
