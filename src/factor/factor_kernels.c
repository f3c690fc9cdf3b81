/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels and products of blocks. */
#include <string.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "factor/factor.h"

enum {
  VECTORS = 2,        /* of a row that a CPU solves for at once */
  MMA_ELEMENTS = 2048 /* of a result on tensor cores, for each compute unit */
};

static void add_cpu(ga__factor *f, const char *entry, size_t items,
                    int x_unit) {
  const size_t gs[2] = {items, f->batch}, ls[2] = {1, 1};
  const ga__gen_macros gen = {.typecode = f->typecode,
                              .lanes = ga__product_lanes(f->ctx, f->typecode),
                              .n = 5,
                              .v = {{"NB", f->nb},
                                    {"NV", VECTORS},
                                    {"X_UNIT", x_unit != 0},
                                    {"PB", f->panel},
                                    {"QB", f->columns}}};

  ga__product_kernel(f->ctx, f->l, f->typecode, "factor_cpu", entry,
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 2, gs, ls);
}

void ga__factor_group_kernel(ga__factor *f, const char *name, const char *entry,
                             size_t items, size_t group, size_t n,
                             const ga__macro *macros) {
  const size_t gs[2] = {ga__times(items, group), f->batch}, ls[2] = {group, 1};
  const int real = ga__dtype_work(ga__dtype_real(f->typecode));
  const int is_wide = f->is_cpu && f->is_complex;
  ga__gen_macros gen = {
      .typecode = f->typecode,
      .lanes = is_wide ? ga__product_lanes(f->ctx, f->typecode) : 1,
      .n = n};

  GA_ASSERT(n + 2 <= GA_MACROS_MAX);
  memcpy(gen.v, macros, n * sizeof *macros);
  gen.v[gen.n++] = (ga__macro){"PTX", (size_t)gpucontext_caps(f->ctx)->ptx};
  gen.v[gen.n++] =
      (ga__macro){"UNITS", ga__dtype_size(real) / sizeof(uint32_t)};
  ga__product_kernel(f->ctx, f->l, f->typecode, name, entry,
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 2, gs, ls);
}

void ga__factor_kernel(ga__factor *f, const char *entry, size_t items,
                       size_t group, int x_unit) {
  const ga__macro macros[] = {
      {"NB", f->nb}, {"SIDE", f->side}, {"SR", f->rows}, {"G", group}};
  const ga__macro for_complex[] = {
      {"NB", f->nb}, {"SIDE", f->side}, {"G", group}};

  if (f->is_complex)
    ga__factor_group_kernel(f, "factor_complex", entry, items, group,
                            sizeof for_complex / sizeof *for_complex,
                            for_complex);
  else if (f->is_cpu)
    add_cpu(f, entry, items, x_unit);
  else
    ga__factor_group_kernel(f, "factor_gpu", entry, items, group,
                            sizeof macros / sizeof *macros, macros);
}

static ga__product_operand operand_of(const ga__block *b) {
  return (ga__product_operand){.slot = b->slot,
                               .off = b->off,
                               .rel = b->rel,
                               .rs = b->rs,
                               .cs = b->cs,
                               .bs = b->bs};
}

void ga__factor_arg(ga__factor *f, const ga__block *b) {
  const ga__product_operand o = operand_of(b);

  ga__product_matrix(f->l, &o, 1);
}

/* Walk rows of C, and sums, upwards, since products are fast for strides of
 * 1. */
static void walk_upwards(ga__block *a, ga__block *b, ga__block *c) {
  if (c->rs < 0) {
    *a = ga__block_rows_reversed(a);
    *c = ga__block_rows_reversed(c);
  }
  if (a->cs < 0) {
    const ga__block turned = ga__block_turned(a);
    const ga__block reversed = ga__block_rows_reversed(&turned);

    *a = ga__block_turned(&reversed);
    *b = ga__block_rows_reversed(b);
  }
}

/* Blocks begin anywhere in their slots, which only the library's own gemms
 * support. Of those for GPUs, tensor cores are for doubles, whose precision
 * they keep, in results that are large enough for all compute units. */
static const ga__provider *provider(const ga__factor *f, const ga__product *p) {
  const size_t units = gpucontext_caps(f->ctx)->compute_units;

  if (f->is_cpu)
    return &ga__gemm_cpu;
  return f->typecode == GA_DOUBLE &&
                 ga__times(p->m, p->n) >= units * MMA_ELEMENTS &&
                 ga__gemm_mma.wants(p)
             ? &ga__gemm_mma
             : &ga__gemm_gpu;
}

/* c = alpha a b + beta c, or one triangle of it. A c that stands for its
 * conjugate gets the conjugate product. */
static void add_product(ga__factor *f, ga__block a, ga__block b, ga__block c,
                        double alpha, double beta, ga__product_part part) {
  if (c.m == 0 || c.n == 0)
    return;
  walk_upwards(&a, &b, &c);
  const ga__product p = {.ctx = f->ctx,
                         .routine = GA_ROUTINE_GEMM,
                         .typecode = f->typecode,
                         .m = c.m,
                         .n = c.n,
                         .k = a.n,
                         .batch = f->batch,
                         .alpha = {alpha, 0},
                         .beta = {beta, 0},
                         .conj_a = a.conj != c.conj,
                         .conj_b = b.conj != c.conj,
                         .part = part,
                         .a = operand_of(&a),
                         .b = operand_of(&b),
                         .c = operand_of(&c)};

  ga__launch_begin_sharing(f->l);
  ga__product_add(f->l, &p, provider(f, &p));
  ga__launch_end_sharing(f->l);
}

void ga__factor_product(ga__factor *f, const ga__block *a, const ga__block *b,
                        const ga__block *c) {
  add_product(f, *a, *b, *c, -1, 1, GA_PART_ALL);
}

/* By strips of columns, each from its diagonal block on. Elements above the
 * diagonal within a diagonal block change, too. */
static void subtract_strips(ga__factor *f, const ga__block *a,
                            const ga__block *b, const ga__block *c) {
  for (size_t j = 0; j < c->n; j += f->nb) {
    const size_t cols = ga__at_most(f->nb, c->n - j), rows = c->m - j;
    const ga__block left = ga__block_part(a, j, 0, rows, a->n);
    const ga__block right = ga__block_part(b, 0, j, b->m, cols);
    const ga__block part = ga__block_part(c, j, j, rows, cols);

    ga__factor_product(f, &left, &right, &part);
  }
}

/* The same by halves of the columns, whose products are larger. */
static void subtract_halves(ga__factor *f, const ga__block *a,
                            const ga__block *b, const ga__block *c) {
  if (c->n <= f->nb) {
    ga__factor_product(f, a, b, c);
    return;
  }
  const size_t half = ga__factor_half(f, c->n), rest = c->n - half;
  const size_t below = c->m - half;
  const ga__block a1 = ga__block_part(a, 0, 0, half, a->n);
  const ga__block a2 = ga__block_part(a, half, 0, below, a->n);
  const ga__block b1 = ga__block_part(b, 0, 0, b->m, half);
  const ga__block b2 = ga__block_part(b, 0, half, b->m, rest);
  const ga__block c11 = ga__block_part(c, 0, 0, half, half);
  const ga__block c21 = ga__block_part(c, half, 0, below, half);
  const ga__block c22 = ga__block_part(c, half, half, below, rest);

  subtract_halves(f, &a1, &b1, &c11);
  ga__factor_product(f, &a2, &b1, &c21);
  subtract_halves(f, &a2, &b2, &c22);
}

/* A complex product with a part of C is not known to be right: under PoCL it
 * writes elsewhere. */
void ga__factor_product_lower(ga__factor *f, const ga__block *a,
                              const ga__block *b, const ga__block *c) {
  if (f->is_cpu)
    subtract_strips(f, a, b, c);
  else if (f->is_complex)
    subtract_halves(f, a, b, c);
  else
    add_product(f, *a, *b, *c, -1, 1, GA_PART_LOWER);
}

void ga__factor_multiply(ga__factor *f, const ga__block *a, const ga__block *b,
                         const ga__block *c) {
  add_product(f, *a, *b, *c, 1, 0, GA_PART_ALL);
}

ga__block ga__factor_op(const ga__block *a, int flags) {
  return flags & GA_FACTOR_CONJ_TRANS ? ga__block_adjoint(a)
         : flags & GA_FACTOR_TRANS    ? ga__block_turned(a)
                                      : *a;
}

void ga__factor_cost(ga__factor *f, double bytes, double flops) {
  ga__launch_cost(f->l, bytes, f->is_complex ? 4 * flops : flops);
}

size_t ga__factor_half(const ga__factor *f, size_t n) {
  return (ga__ceil_div(n, f->nb) + 1) / 2 * f->nb;
}

gpudata *ga__factor_info(ga__factor *f) {
  f->info = ga__launch_works(f->l);
  return ga__launch_workspace(
      f->l, ga__times(ga__at_least(f->batch, 1), sizeof(int32_t)));
}

void ga__factor_info_arg(ga__factor *f, int is_first) {
  if (is_first && ga__factor_info(f) == NULL)
    return; /* the error is in the launch */
  ga__launch_work_arg(f->l, f->info);
}
