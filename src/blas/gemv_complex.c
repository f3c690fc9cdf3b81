/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrix times vector on all devices. The kernels are
 * cl/gemv_complex_cpu.cl, cl/gemv_complex_gpu.cl and cl/gemv_complex_join.cl.
 *
 * With few rows the columns are cut into runs as well, whose sums a second
 * kernel adds. Cuts depend on sizes and the device only, so results repeat. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  CPU_ROWS = 4,       /* at a time */
  CPU_SUMS = 1 << 14, /* bytes of each of two sums that are kept along m */
  CPU_LINE = 64,      /* bytes that a cache moves at once */
  CPU_RUN = 1 << 13,  /* numbers that are worth a work-item of their own */
  GPU_WIDTH = 32,     /* neighbours along A's unit stride */
  GPU_TEAMS = 8,
  GPU_UNROLL = 4,
  GPU_GROUPS = 8, /* per compute unit */
  GPU_RUN = 512,  /* columns that are worth a group of their own */
  GPU_LANES = 4
};

/* How the work is cut: `items` runs of `chunk` rows, `parts` of `run` columns.
 */
typedef struct plan {
  unsigned int lanes, width, teams;
  int along; /* A's stride of 1: 1 along n, 2 along m, or 0 */
  size_t chunk, items, run, parts;
} plan;

/* Cut the columns into at most `parts` runs, multiples of `step`. */
static void cut_columns(plan *p, const ga__gemv *g, size_t parts, size_t step) {
  p->run =
      ga__ceil_div(ga__ceil_div(g->n, ga__at_least(parts, 1)), step) * step;
  p->parts = p->run > 0 ? ga__ceil_div(g->n, p->run) : 1;
}

/* Rows are cut evenly if there are plenty, else columns. */
static void plan_cpu(plan *p, const ga__gemv *g) {
  const size_t cores = gpucontext_caps(g->ctx)->compute_units;
  const size_t useful =
      ga__at_most(cores, ga__at_least(g->m * g->n / CPU_RUN, 1));

  p->lanes = ga__complex_lanes(g->ctx, g->typecode);
  size_t block = p->along == 2 ? p->lanes / 2 : CPU_ROWS;
  size_t by_rows = g->m >= 8 * block * useful;
  p->items = by_rows ? useful : 1;
  p->chunk = ga__ceil_div(ga__ceil_div(g->m, p->items), block) * block;
  p->items = ga__ceil_div(g->m, p->chunk);
  cut_columns(p, g, by_rows ? 1 : useful, p->lanes);
}

static void plan_gpu(plan *p, const ga__gemv *g) {
  const size_t want =
      (size_t)GPU_GROUPS * gpucontext_caps(g->ctx)->compute_units;
  const ga__product_group c =
      ga__product_fit(g->ctx, (ga__product_group){GPU_WIDTH, GPU_TEAMS},
                      2 * ga__dtype_size(g->typecode));

  p->lanes = GPU_LANES;
  p->width = c.width;
  p->teams = c.teams;
  p->chunk = p->along == 2 ? p->width : p->teams;
  p->items = ga__ceil_div(g->m, p->chunk);
  cut_columns(p, g, ga__at_most(ga__ceil_div(want, p->items), g->n / GPU_RUN),
              32);
}

static void add_main(GpuLaunch *l, const ga__gemv *g, const plan *p,
                     int is_cpu) {
  const size_t cpu_gs[2] = {p->items, p->parts}, cpu_ls[2] = {1, 1};
  const size_t ls[2] = {p->width, p->teams};
  const size_t gs[2] = {p->items * ls[0], p->parts * ls[1]};
  const unsigned int along = (unsigned int)p->along, parts = p->parts > 1;
  const unsigned int size = (unsigned int)ga__dtype_size(g->typecode);
  const unsigned int vector = p->lanes / 2 * size; /* bytes */
  const ga__macro cpu[] = {{"ALONG", along},
                           {"PARTS", parts},
                           {"ROWS", CPU_ROWS},
                           {"WIDTH", CPU_SUMS / size},
                           {"LINE", vector < CPU_LINE ? CPU_LINE / vector : 1}};
  const ga__macro gpu[] = {{"ALONG", along},
                           {"PARTS", parts},
                           {"LANES", p->width},
                           {"TEAMS", p->teams},
                           {"UNROLL", GPU_UNROLL}};
  const size_t team = p->along == 2 ? p->teams : p->width;

  if (!is_cpu)
    ga__launch_rounds(l, p->run / (team * GPU_UNROLL));
  if (is_cpu)
    ga__complex_kernel(l, "gemv_complex_cpu", "gemv", g->typecode, p->lanes, 5,
                       cpu, 2, cpu_gs, cpu_ls);
  else
    ga__complex_kernel(l, "gemv_complex_gpu", "gemv", g->typecode, p->lanes, 5,
                       gpu, 2, gs, ls);
  ga__product_matrix(l, &g->a, 0);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__complex_factor(l, g->typecode, g->alpha);
  ga__complex_factor(l, g->typecode, g->beta);
  ga__complex_sign(l, g->typecode, g->conj_a);
  ga__complex_sign(l, g->typecode, g->conj_x);
  ga__launch_size(l, p->run);
}

static void add_join(GpuLaunch *l, const ga__gemv *g, const plan *p,
                     unsigned int work) {
  ga__complex_kernel(l, "gemv_complex_join", "gemv_join", g->typecode, p->lanes,
                     0, NULL, 1, &g->m, NULL);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, p->parts);
  ga__product_vector(l, &g->y);
  ga__launch_size(l, g->m);
  ga__complex_factor(l, g->typecode, g->alpha);
  ga__complex_factor(l, g->typecode, g->beta);
}

static void add_steps(GpuLaunch *l, const ga__gemv *g, int is_cpu) {
  const size_t size = ga__dtype_size(g->typecode);
  plan p = {.along = ga__product_unit(&g->a, g->m, g->n)};
  unsigned int work = 0;

  if (is_cpu)
    plan_cpu(&p, g);
  else
    plan_gpu(&p, g);
  add_main(l, g, &p, is_cpu);
  if (p.parts > 1)
    work = ga__launch_work(l, p.parts * g->m * size);
  else
    ga__launch_none(l);
  if (is_cpu)
    ga__launch_size(l, p.chunk);
  if (p.parts > 1)
    add_join(l, g, &p, work);
}

int ga__cgemv_prepare_by(GpuLaunch **out, const ga__gemv *g, ga__provider who) {
  ga__gemv p = *g;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  ga__product_drop(&p.alpha, &p.n);
  GpuLaunch *l = ga__product_open(p.ctx, "gemv", &p.a, &p.x, &p.y, NULL);
  ga__gemv_cost(l, &p);
  if (p.m > 0)
    add_steps(l, &p, who == GA_PROVIDER_CPU);
  return ga__launch_seal(out, l);
}
