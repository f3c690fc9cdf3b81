/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex products by real ones, so that whoever multiplies real matrices best
 * on a GPU, tensor cores and CLBlast included, does it for complex ones too.
 *
 * Rows of complex numbers are rows of twice as many real ones. With A and C
 * taken so, C = A B is a real product by a B of 2k x 2n, in which each number
 * x + iy has become the rows (x, y) and (-y, x). Writing that down costs as
 * much as reading B six times, which is little beside m products with it. The
 * kernel is cl/gemm_complex_real.cl. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  LANES = 4,
  MOST_LINES = 1 << 15,
  LEAST_ROWS = 64, /* of C, for which writing B down pays */
  LEAST_SIZE = 64, /* the other two */
  MEMORY_SHARE = 8 /* of the device's, at most, for a workspace */
};

/* Bytes of B as it is written down. */
static double expanded_bytes(const ga__gemm *g) {
  const double batch = g->b.bs == 0 ? 1 : (double)g->batch;

  return 2 * batch * (double)g->k * (double)g->n *
         (double)ga__dtype_size(g->typecode);
}

static double copied_bytes(const ga__gemm *g) {
  const double batch = g->a.bs == 0 ? 1 : (double)g->batch;

  return batch * (double)g->m * (double)g->k *
         (double)ga__dtype_size(g->typecode);
}

int ga__cgemm_real_takes(const ga__gemm *g) {
  const double most = (double)gpucontext_caps(g->ctx)->max_alloc_bytes;
  const double memory = (double)gpucontext_caps(g->ctx)->memory_bytes;
  const double b = expanded_bytes(g), a = copied_bytes(g);

  if (ga__product_unit(&g->c, g->m, g->n) != 1)
    return 0;
  if (g->m < LEAST_ROWS || g->n * 2 < LEAST_SIZE || g->k < LEAST_SIZE)
    return 0;
  return a <= most && b <= most && a + b <= memory / MEMORY_SHARE;
}

/* The same matrix of twice as many real columns. */
static ga__operand as_real(const ga__operand *o) {
  ga__operand r = *o;

  r.rs *= 2;
  r.cs = 1;
  r.bs *= 2;
  return r;
}

/* A kernel over `slow` lines of `fast` numbers, `batch` times; it loops over
 * lines beyond the MOST_LINES that have work-items. */
static void add_kernel(GpuLaunch *l, const ga__gemm *g, const char *entry,
                       size_t fast, size_t slow, size_t batch) {
  const ga__product_group c =
      ga__product_fit(g->ctx, (ga__product_group){32, 8}, 0);
  const size_t lines = slow < MOST_LINES ? slow : MOST_LINES;
  const size_t ls[3] = {c.width, c.teams, 1};
  size_t gs[3];

  gs[0] = ga__ceil_div(fast, ls[0]) * ls[0];
  gs[1] = ga__ceil_div(lines, ls[1]) * ls[1];
  gs[2] = batch;
  ga__complex_kernel(l, "gemm_complex_real", entry, g->typecode, LANES, 0, NULL,
                     3, gs, ls);
  ga__launch_size(l, fast);
  ga__launch_size(l, slow);
}

/* C = beta C, for a beta that real numbers cannot say. */
static void scale(GpuLaunch *l, const ga__gemm *g) {
  add_kernel(l, g, "gemm_scale", g->n, g->m, g->batch);
  ga__product_matrix(l, &g->c, 1);
  ga__complex_factor(l, g->typecode, g->beta);
}

/* A with its rows along the unit stride. */
static ga__operand rows_of_a(GpuLaunch *l, const ga__gemm *g) {
  const size_t batch = g->a.bs == 0 ? 1 : g->batch;
  ga__operand to = {.rs = (ptrdiff_t)g->k, .cs = 1};

  if (ga__product_unit(&g->a, g->m, g->k) == 1)
    return g->a;
  to.bs = batch > 1 ? (ptrdiff_t)(g->m * g->k) : 0;
  to.slot = ga__launch_own_slot(l, (size_t)copied_bytes(g));
  add_kernel(l, g, "gemm_rows", g->k, g->m, batch);
  ga__product_matrix(l, &g->a, 1);
  ga__product_matrix(l, &to, 1);
  return to;
}

/* alpha B as real numbers, with the same unit stride as B. */
static ga__operand expand_b(GpuLaunch *l, const ga__gemm *g) {
  const size_t batch = g->b.bs == 0 ? 1 : g->batch;
  const int by_rows = ga__product_unit(&g->b, g->k, g->n) != 2;
  ga__operand to = {.rs = by_rows ? 2 * (ptrdiff_t)g->n : 1,
                    .cs = by_rows ? 1 : 2 * (ptrdiff_t)g->k};

  to.bs = batch > 1 ? (ptrdiff_t)(4 * g->k * g->n) : 0;
  to.slot = ga__launch_own_slot(l, (size_t)expanded_bytes(g));
  add_kernel(l, g, "gemm_expand", by_rows ? g->n : g->k, by_rows ? g->k : g->n,
             batch);
  ga__product_matrix(l, &g->b, 1);
  ga__product_matrix(l, &to, 1);
  ga__complex_factor(l, g->typecode, g->alpha);
  ga__complex_sign(l, g->typecode, g->conj_a);
  ga__complex_sign(l, g->typecode, g->conj_b);
  ga__launch_int(l, by_rows);
  return to;
}

void ga__cgemm_real(GpuLaunch *l, const ga__gemm *g) {
  ga__gemm r = {.ctx = g->ctx,
                .typecode = ga__complex_part(g->typecode),
                .m = g->m,
                .n = 2 * g->n,
                .k = 2 * g->k,
                .batch = g->batch,
                .alpha = {1, 0},
                .beta = {g->beta.re, 0},
                .c = as_real(&g->c)};

  if (g->beta.im != 0) {
    scale(l, g);
    r.beta.re = 1;
  }
  r.a = r.c; /* of no products nothing is read */
  r.b = r.c;
  if (g->k > 0) {
    r.a = rows_of_a(l, g);
    r.a = as_real(&r.a);
    r.b = expand_b(l, g);
  }
  ga__gemm_steps(l, &r, GA_PROVIDER_AUTO);
}
