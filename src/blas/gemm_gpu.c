/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on GPUs: tile sizes, cuts along k. The kernels are cl/gemm_gpu.cl
 * and cl/gemm_join.cl. */
#include "blas/product.h"

#include <math.h>

#include "base/dtype.h"
#include "codegen/gen_gemm.h"

/* Largest first: what a group computes, and the work-items that do it. `speed`
 * is what a compute unit reaches with it, in any unit; the ratios were measured
 * on an H200 with floats. */
typedef struct tile {
  unsigned int bm, bn, bk, tm, tn, speed;
} tile;

static const tile tiles[] = {
    {256, 128, 8, 16, 8, 456}, {192, 128, 16, 12, 8, 482},
    {64, 128, 16, 8, 8, 445},  {64, 64, 16, 8, 8, 440},
    {64, 64, 16, 4, 4, 320},   {32, 32, 16, 4, 4, 150},
    {16, 16, 16, 4, 4, 60},
};
enum { N_TILES = sizeof tiles / sizeof tiles[0], MIN_RUN = 256, BAND = 8 };

static size_t groups(const tile *t, const ga__gemm *g) {
  return ga__div_up(g->m, t->bm) * ga__div_up(g->n, t->bn) * g->batch;
}

static unsigned int items(const tile *t) {
  return t->bm / t->tm * (t->bn / t->tn);
}

static int fits(const tile *t, const ga__gemm *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const size_t row = (size_t)t->bm + t->bn + 8;
  const size_t local =
      2 * row * t->bk * ga__dtype_size(ga__dtype_work(g->typecode));

  return items(t) <= caps->max_group && local <= caps->local_bytes;
}

/* The tile whose rounds take the least time; the last one always fits. Doubles
 * need twice the registers. */
static const tile *choose(const ga__gemm *g) {
  const size_t units = gpucontext_caps(g->ctx)->compute_units;
  const tile *best = &tiles[N_TILES - 1];
  double least = HUGE_VAL;

  for (int i = g->typecode == GA_DOUBLE ? 2 : 0; i < N_TILES; i++) {
    const tile *t = &tiles[i];
    const double rounds = (double)ga__div_up(groups(t, g), units);
    const double time = rounds * t->bm * t->bn / t->speed;

    if (time < least && fits(t, g)) {
      least = time;
      best = t;
    }
  }
  return best;
}

/* Parts along k when there are too few groups without. */
static size_t cut(const tile *t, const ga__gemm *g) {
  const size_t units = gpucontext_caps(g->ctx)->compute_units;
  const size_t have = groups(t, g);
  const size_t most = g->k / MIN_RUN;
  size_t n = ga__div_up(2 * units, have);

  if (have >= units || most < 2)
    return 1;
  return n < most ? n : most;
}

/* May four neighbours be read at once, wherever they start? */
static int is_aligned(const ga__gemm *g, const ga__operand *o, int unit) {
  const size_t bytes = 4 * ga__dtype_size(g->typecode);
  const ptrdiff_t other = unit == 1 ? o->rs : o->cs;

  return unit != 0 && o->off % bytes == 0 && other % 4 == 0 &&
         (g->batch <= 1 || o->bs % 4 == 0);
}

static void join(GpuLaunch *l, const ga__gemm *g, unsigned int work,
                 size_t parts) {
  const size_t gs[3] = {g->n, g->m, g->batch};
  const ga__ending end = {.ctx = g->ctx,
                          .epilogue = g->epilogue,
                          .turned = g->turned,
                          .typecode = g->typecode,
                          .lanes = 1};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_real(&defines, g->typecode, 1);
  ga__ending_kernel(l, "gemm_join", "gemm_join", &defines, &end, 3, gs, NULL);
  ga__strb_clear(&defines);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, parts);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__product_scalar(l, g->typecode, g->alpha);
  ga__product_factor(l, g->typecode, g->beta);
  ga__ending_args(l, &end);
}

static unsigned int multiply(GpuLaunch *l, const ga__gemm *g, const tile *t,
                             size_t parts, size_t run) {
  ga__gen_gemm_gpu gen = {.typecode = g->typecode,
                          .bm = t->bm,
                          .bn = t->bn,
                          .bk = t->bk,
                          .tm = t->tm,
                          .tn = t->tn,
                          .band = BAND,
                          .parts = parts > 1};
  const size_t ls[3] = {items(t), 1, 1};
  const size_t gs[3] = {ga__div_up(g->n, t->bn) * ls[0],
                        ga__div_up(g->m, t->bm), g->batch * parts};
  const size_t size = ga__dtype_size(ga__dtype_work(g->typecode));
  const size_t sums = parts > 1 ? parts * g->batch * g->m * g->n * size : 1;
  const int a_along = ga__product_unit(&g->a, g->m, g->k);
  const int b_along = ga__product_unit(&g->b, g->k, g->n);
  const ga__ending end = {.ctx = g->ctx,
                          .epilogue = parts > 1 ? NULL : g->epilogue,
                          .turned = g->turned,
                          .typecode = g->typecode,
                          .lanes = 4};
  ga__strb defines = GA_STRB_INIT;
  unsigned int work;

  gen.a_unit = a_along;
  gen.b_unit = b_along == 0 ? 0 : 3 - b_along;
  gen.c_unit = ga__product_unit(&g->c, g->m, g->n) == 1;
  gen.a_aligned = is_aligned(g, &g->a, a_along);
  gen.b_aligned = is_aligned(g, &g->b, b_along);
  gen.c_aligned = g->epilogue == NULL && is_aligned(g, &g->c, gen.c_unit);
  gen.a_whole = gen.a_aligned && (a_along == 1 ? g->k : g->m) % 4 == 0;
  gen.b_whole = gen.b_aligned && (b_along == 1 ? g->n : g->k) % 4 == 0;
  if (gen.c_aligned)
    ga__launch_require_align(l, g->c.slot, 4 * ga__dtype_size(g->typecode));
  if (gen.a_aligned)
    ga__launch_require_align(l, g->a.slot, 4 * ga__dtype_size(g->typecode));
  if (gen.b_aligned)
    ga__launch_require_align(l, g->b.slot, 4 * ga__dtype_size(g->typecode));
  ga__gen_gemm_gpu_text(&defines, &gen);
  ga__ending_kernel(l, "gemm_gpu", "gemm", &defines, &end, 3, gs, ls);
  ga__strb_clear(&defines);
  ga__product_matrix(l, &g->a, 1);
  ga__product_matrix(l, &g->b, 1);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__launch_size(l, g->k);
  ga__product_scalar(l, g->typecode, g->alpha);
  ga__product_factor(l, g->typecode, g->beta);
  ga__launch_size(l, parts);
  ga__launch_size(l, run);
  work = ga__launch_work(l, sums);
  ga__ending_args(l, &end);
  return work;
}

/* The product has C by rows, if one of C's strides is 1. */
static void add_steps(GpuLaunch *l, const ga__gemm *g) {
  const tile *t = choose(g);
  const size_t parts = cut(t, g);
  const size_t run = ga__div_up(ga__div_up(g->k, parts), t->bk) * (size_t)t->bk;
  const size_t used = run > 0 ? ga__div_up(g->k, run) : 1;
  const unsigned int work = multiply(l, g, t, used, run);

  if (used > 1)
    join(l, g, work, used);
}

void ga__gemm_gpu(GpuLaunch *l, const ga__gemm *given) {
  ga__gemm g = *given;

  ga__gemm_turn(&g);
  add_steps(l, &g);
}
