/* SPDX-License-Identifier: BSD-2-Clause */
/* Our gemm on GPUs: tile sizes, cuts along k. The kernels are those of
 * cl/gemm_gpu.cl. */
#include "blas/product.h"

#include <math.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

/* What a group computes, and a work-item of it, largest first; the last one
 * always fits. `speed` is what a compute unit reaches when it has `busy`
 * work-items or more, in products and sums per nanosecond: measured on an H200
 * with floats, as the other times here; elsewhere their ratios count. */
typedef struct tile {
  unsigned int bm, bn, bk, tm, tn, busy, speed;
} tile;

static const tile tiles[] = {
    {128, 256, 16, 16, 8, 256, 195}, {192, 128, 16, 12, 8, 256, 190},
    {128, 128, 16, 16, 8, 256, 172}, {128, 128, 16, 8, 8, 128, 184},
    {64, 128, 16, 8, 8, 128, 145},   {64, 64, 16, 8, 4, 128, 150},
    {64, 32, 16, 8, 4, 128, 140},    {32, 32, 16, 4, 4, 128, 100},
    {64, 16, 16, 4, 4, 128, 95},     {16, 16, 16, 4, 4, 128, 60},
};
enum {
  N_TILES = sizeof tiles / sizeof tiles[0],
  DOUBLE_TILES = 3, /* the first for doubles, which need twice the registers */
  BAND = 8,
  STEP_NS = 20,      /* that groups wait for each step along k */
  JOIN_NS = 3500,    /* that another round trip to the memory takes, */
  JOIN_BYTES = 1900, /* and what is written or read there in a nanosecond */
  MIN_STEPS = 2,     /* blocks along k that a part is worth */
  MOST_PARTS = 32    /* they cost memory */
};

static size_t groups(const tile *t, const ga__gemm *g) {
  return ga__ceil_div(g->m, t->bm) * ga__ceil_div(g->n, t->bn) * g->batch;
}

static unsigned int items(const tile *t) {
  return t->bm / t->tm * (t->bn / t->tn);
}

static int fits(const tile *t, const ga__gemm *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const size_t row = (size_t)t->bm + t->bn + 8;
  const size_t local =
      2 * row * t->bk * ga__dtype_size(ga__dtype_work(g->typecode));

  return items(t) <= caps->max_group && local <= caps->declared_local_bytes;
}

/* What the product takes with this tile and as many parts along k, in
 * nanoseconds of the H200. */
static double time_of(const tile *t, const ga__gemm *g, size_t parts) {
  const size_t units = gpucontext_caps(g->ctx)->compute_units;
  const double each = (double)ga__ceil_div(groups(t, g) * parts, units);
  const double alone = (double)t->busy / items(t);
  const double run =
      (double)ga__ceil_div(ga__ceil_div(g->k, parts), t->bk) * t->bk;
  const double step = STEP_NS + (each > alone ? each : alone) * t->bm * t->bn /
                                    (double)t->speed;
  const double sums = (double)(groups(t, g) * parts) * t->bm * t->bn *
                      (double)ga__dtype_size(ga__dtype_work(g->typecode));

  return run * step + (parts > 1 ? JOIN_NS + 2 * sums / JOIN_BYTES : 0);
}

/* How a product is cut: into places of a tile's size, and `parts` of `run`
 * along k in each. */
typedef struct plan {
  const tile *t;
  ga__gen_gemm_gpu gen;
  ga__ending end;
  size_t parts, run;
} plan;

/* Take what takes the least time. */
static void choose(plan *p, const ga__gemm *g) {
  double least = HUGE_VAL;

  for (int i = g->typecode == GA_DOUBLE ? DOUBLE_TILES : 0; i < N_TILES; i++) {
    const tile *t = &tiles[i];

    if (!fits(t, g) && i < N_TILES - 1)
      continue;
    for (size_t parts = 1; parts <= MOST_PARTS; parts++) {
      const double time = time_of(t, g, parts);

      if (parts > 1 && g->k < parts * t->bk * MIN_STEPS)
        break;
      if (time < least) {
        least = time;
        p->t = t;
        p->parts = parts;
      }
    }
  }
}

/* May four neighbours be read at once, wherever they start? */
static int is_aligned(const ga__gemm *g, const ga__operand *o, int unit) {
  const size_t bytes = 4 * ga__dtype_size(g->typecode);
  const ptrdiff_t other = unit == 1 ? o->rs : o->cs;

  return unit != 0 && o->off % bytes == 0 && other % 4 == 0 &&
         (g->batch <= 1 || o->bs % 4 == 0);
}

static void describe(plan *p, const ga__gemm *g) {
  const tile *t = p->t;
  const int a_along = ga__product_unit(&g->a, g->m, g->k);
  const int b_along = ga__product_unit(&g->b, g->k, g->n);

  p->gen = (ga__gen_gemm_gpu){.typecode = g->typecode,
                              .bm = t->bm,
                              .bn = t->bn,
                              .bk = t->bk,
                              .tm = t->tm,
                              .tn = t->tn,
                              .band = BAND,
                              .parts = p->parts > 1,
                              .tickets = ga__product_tickets(g->ctx)};
  p->gen.a_unit = a_along;
  p->gen.b_unit = b_along == 0 ? 0 : 3 - b_along;
  p->gen.c_unit = ga__product_unit(&g->c, g->m, g->n) == 1;
  p->gen.a_aligned = is_aligned(g, &g->a, a_along);
  p->gen.b_aligned = is_aligned(g, &g->b, b_along);
  p->gen.c_aligned = g->epilogue == NULL && is_aligned(g, &g->c, p->gen.c_unit);
  p->gen.a_whole = p->gen.a_aligned && (a_along == 1 ? g->k : g->m) % 4 == 0;
  p->gen.b_whole = p->gen.b_aligned && (b_along == 1 ? g->n : g->k) % 4 == 0;
  p->end = (ga__ending){.ctx = g->ctx,
                        .epilogue = g->epilogue,
                        .turned = g->turned,
                        .typecode = g->typecode,
                        .lanes = 4};
}

/* A kernel of the template's, with `copies` of each place. */
static void add_kernel(GpuLaunch *l, const ga__gemm *g, const plan *p,
                       const char *entry, const ga__ending *end,
                       size_t copies) {
  const size_t ls[3] = {items(p->t), 1, 1};
  const size_t gs[3] = {ga__ceil_div(g->n, p->t->bn) * ls[0],
                        ga__ceil_div(g->m, p->t->bm), g->batch * copies};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_gemm_gpu_text(&defines, &p->gen);
  ga__ending_kernel(l, "gemm_gpu", entry, &defines, end, 3, gs, ls);
  ga__strb_clear(&defines);
}

static void scale_args(GpuLaunch *l, const ga__gemm *g) {
  ga__product_scalar(l, g->typecode, g->alpha.re);
  ga__product_factor(l, g->typecode, g->beta.re);
}

/* Add up the parts, where groups of the first kernel cannot. */
static void join(GpuLaunch *l, const ga__gemm *g, const plan *p,
                 unsigned int work) {
  add_kernel(l, g, p, "gemm_join", &p->end, 1);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, p->parts);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  scale_args(l, g);
  ga__ending_args(l, &p->end);
}

static void require_alignment(GpuLaunch *l, const ga__gemm *g,
                              const ga__gen_gemm_gpu *gen) {
  const size_t bytes = 4 * ga__dtype_size(g->typecode);

  if (gen->a_aligned)
    ga__launch_require_align(l, g->a.slot, bytes);
  if (gen->b_aligned)
    ga__launch_require_align(l, g->b.slot, bytes);
  if (gen->c_aligned)
    ga__launch_require_align(l, g->c.slot, bytes);
}

static void multiply(GpuLaunch *l, const ga__gemm *g, const plan *p) {
  const size_t places = groups(p->t, g);
  const size_t size = ga__dtype_size(ga__dtype_work(g->typecode));
  const size_t sums = places * p->t->bm * p->t->bn * size;
  const int apart = p->gen.parts && p->gen.tickets == GA_TICKETS_NONE;
  unsigned int work = 0;

  require_alignment(l, g, &p->gen);
  ga__launch_rounds(l, p->run / p->t->bk);
  add_kernel(l, g, p, "gemm", &p->end, p->parts);
  ga__product_matrix(l, &g->a, 1);
  ga__product_matrix(l, &g->b, 1);
  ga__product_matrix(l, &g->c, 1);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__launch_size(l, g->k);
  scale_args(l, g);
  ga__launch_size(l, p->parts);
  ga__launch_size(l, p->run);
  if (p->parts > 1)
    work = ga__launch_work(l, p->parts * sums);
  else
    ga__launch_none(l);
  if (p->parts > 1 && !apart)
    ga__launch_zeros(l, places * sizeof(uint32_t));
  else
    ga__launch_none(l); /* no tickets */
  ga__ending_args(l, &p->end);
  if (apart)
    join(l, g, p, work);
}

/* The product has C by rows, if one of C's strides is 1. */
static void add_steps(GpuLaunch *l, const ga__gemm *g) {
  plan p = {.t = &tiles[N_TILES - 1], .parts = 1};

  choose(&p, g);
  p.run = ga__ceil_div(ga__ceil_div(g->k, p.parts), p.t->bk) * (size_t)p.t->bk;
  p.parts = p.run > 0 ? ga__ceil_div(g->k, p.run) : 1;
  describe(&p, g);
  multiply(l, g, &p);
}

void ga__gemm_gpu(GpuLaunch *l, const ga__gemm *given) {
  ga__gemm g = *given;

  ga__gemm_turn(&g);
  add_steps(l, &g);
}
