/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex products as real ones, so that the best provider for real matrices on
 * a GPU, such as tensor cores or CLBlast, also computes complex products.
 *
 * A row of complex numbers is a row of twice as many real ones. If A and C are
 * read like that, C = A B is a real product by a matrix of [2k, 2n], in which
 * each number x + iy of B has become the rows (x, y) and (-y, x). Expanding B
 * costs as much as reading it six times, which is little beside m products with
 * it. The kernels are in cl/gemm_as_real.cl. */
#include "blas/product_provider.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  LANES = 4,
  MOST_LINES = 1 << 15,
  LEAST_ROWS = 64, /* minimum of C's rows, for which expanding B pays */
  LEAST_SIZE = 64, /* minimum of the other two sizes */
  MEMORY_SHARE = 8 /* a workspace has at most 1/8 of the device's memory */
};

/* Bytes of the expanded B. */
static double expanded_bytes(const ga__product *p) {
  const double batch = p->b.bs == 0 ? 1 : (double)p->batch;

  return 2 * batch * (double)p->k * (double)p->n *
         (double)ga__dtype_size(p->typecode);
}

static double copied_bytes(const ga__product *p) {
  const double batch = p->a.bs == 0 ? 1 : (double)p->batch;

  return batch * (double)p->m * (double)p->k *
         (double)ga__dtype_size(p->typecode);
}

static int takes(const ga__product *given) {
  return ga__dtype_is_complex(given->typecode) &&
         (ga__product_unit(&given->c, given->m, given->n) != 0);
}

/* On GPUs, for sizes for which it pays and for which there is memory. The
 * complex kernels for CPUs are as fast. */
static int wants(const ga__product *given) {
  const gpudevice_caps *caps = gpucontext_caps(given->ctx);
  const double most = (double)caps->max_alloc_bytes;

  if (caps->is_cpu || !takes(given))
    return 0;
  ga__product p = *given;
  ga__product_turn(&p);
  if (p.m < LEAST_ROWS || p.n * 2 < LEAST_SIZE || p.k < LEAST_SIZE)
    return 0;
  const double b = expanded_bytes(&p), a = copied_bytes(&p);
  return a <= most && b <= most &&
         a + b <= (double)caps->memory_bytes / MEMORY_SHARE;
}

/* The same matrix with twice as many real columns. */
static ga__product_operand as_real(const ga__product_operand *o) {
  ga__product_operand r = *o;

  r.rs *= 2;
  r.cs = 1;
  r.bs *= 2;
  return r;
}

/* Add a kernel that reads the matrix `from` and writes `to`, or works in place
 * if `to` is NULL, over `slow` lines of `fast` elements, `batch` times. There
 * are work-items for MOST_LINES lines; they loop over further ones. */
static void add_kernel(GpuLaunch *l, const ga__product *p, const char *entry,
                       const ga__product_operand *from,
                       const ga__product_operand *to, size_t fast, size_t slow,
                       size_t batch) {
  const ga__product_group c =
      ga__product_fit(p->ctx, (ga__product_group){32, 8}, 0);
  const size_t lines = slow < MOST_LINES ? slow : MOST_LINES;
  const size_t ls[3] = {c.width, c.teams, 1};
  const ga__gen_macros gen = {.typecode = p->typecode, .lanes = LANES};
  size_t gs[3];

  gs[0] = ga__ceil_div(fast, ls[0]) * ls[0];
  gs[1] = ga__ceil_div(lines, ls[1]) * ls[1];
  gs[2] = batch;
  ga__product_kernel(p->ctx, l, p->typecode, "gemm_as_real", entry,
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 3, gs, ls);
  ga__product_matrix(l, from, 1);
  if (to != NULL)
    ga__product_matrix(l, to, 1);
  ga__launch_size(l, fast);
  ga__launch_size(l, slow);
}

/* C = beta C, for a beta with an imaginary part. */
static void scale(GpuLaunch *l, const ga__product *p) {
  add_kernel(l, p, "gemm_scale", &p->c, NULL, p->n, p->m, p->batch);
  ga__product_factor(l, p->typecode, p->beta);
}

/* A, or a copy of it, with contiguous rows. */
static ga__product_operand rows_of_a(GpuLaunch *l, const ga__product *p) {
  const size_t batch = p->a.bs == 0 ? 1 : p->batch;
  ga__product_operand to = {.rs = (ptrdiff_t)p->k, .cs = 1};

  if (ga__product_unit(&p->a, p->m, p->k) == 1)
    return p->a;
  to.bs = batch > 1 ? (ptrdiff_t)(p->m * p->k) : 0;
  to.slot = ga__launch_own_slot(l, (size_t)copied_bytes(p));
  add_kernel(l, p, "gemm_rows", &p->a, &to, p->k, p->m, batch);
  return to;
}

/* The expanded alpha B, of [2k, 2n] real numbers, by rows or columns as B. */
static ga__product_operand expand_b(GpuLaunch *l, const ga__product *p) {
  const size_t batch = p->b.bs == 0 ? 1 : p->batch;
  const int by_rows = ga__product_unit(&p->b, p->k, p->n) != 2;
  ga__product_operand to = {.rs = by_rows ? 2 * (ptrdiff_t)p->n : 1,
                            .cs = by_rows ? 1 : 2 * (ptrdiff_t)p->k};

  to.bs = batch > 1 ? (ptrdiff_t)(4 * p->k * p->n) : 0;
  to.slot = ga__launch_own_slot(l, (size_t)expanded_bytes(p));
  add_kernel(l, p, "gemm_expand", &p->b, &to, by_rows ? p->n : p->k,
             by_rows ? p->k : p->n, batch);
  ga__product_factor(l, p->typecode, p->alpha);
  ga__product_signs(l, p);
  ga__launch_int(l, by_rows);
  return to;
}

static void lower(GpuLaunch *l, ga__product *p) {
  ga__product_turn(p);
  const ga__product g = *p;

  *p = (ga__product){.ctx = g.ctx,
                     .routine = GA_ROUTINE_GEMM,
                     .typecode = ga__complex_part(g.typecode),
                     .m = g.m,
                     .n = 2 * g.n,
                     .k = 2 * g.k,
                     .batch = g.batch,
                     .alpha = {1, 0},
                     .beta = {g.beta.re, 0},
                     .c = as_real(&g.c)};
  if (g.beta.im != 0) {
    scale(l, &g);
    p->beta.re = 1;
  }
  p->a = p->c; /* with k 0, A and B are not read */
  p->b = p->c;
  if (g.k > 0) {
    p->a = rows_of_a(l, &g);
    p->a = as_real(&p->a);
    p->b = expand_b(l, &g);
  }
}

const ga__provider ga__gemm_as_real = {
    .takes = takes, .wants = wants, .lower = lower};
