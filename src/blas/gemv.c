/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix times vector on all devices, limited by how fast A is read. The
 * kernels of real ones are cl/gemv_cpu.cl, cl/gemv_gpu.cl and cl/gemv_join.cl.
 *
 * With few rows the columns are cut into runs as well, whose sums a second
 * kernel adds. Cuts depend on sizes and the device only, so results repeat. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  CPU_SUMS = 1 << 14,   /* bytes of sums that are kept: half of a first level */
  CPU_LINE = 64,        /* bytes that a cache moves at once */
  CPU_BLOCK = 8,        /* rows whose sums are in registers */
  CPU_RUN = 1 << 17,    /* elements that are worth a work-item of their own */
  CPU_CACHED = 1 << 19, /* elements of A up to which it may be read in tiles */
  GPU_UNROLL = 4,
  GPU_GROUPS = 4,       /* per compute unit */
  GPU_LARGE = 1 << 23,  /* elements of A from which the memory's rate counts */
  GPU_ITEM_COLUMNS = 16 /* that are worth a work-item, with rows side by side */
};

/* A group of a GPU: neighbours along A's unit stride, and how many of those.
 * A small product takes as long as the longest chain of loads in it, a large
 * one as long as the memory takes, which likes long lines. */
static const ga__product_group along_n = {64, 2}, along_m_small = {8, 32},
                               along_m_large = {32, 8}, along_none = {32, 8};

/* Is the sum of x wanted beside y? */
static int sums_vector(const ga__gemv *g) {
  return g->epilogue != NULL && g->epilogue->sum != NULL;
}

/* How the work is cut: `items` runs of `chunk` rows, `parts` of `run` columns.
 * The sum of x, where it is wanted, is the first items' work. */
typedef struct plan {
  ga__gen_gemv gen;
  size_t chunk, items, run, parts;
  int stream; /* column by column, CPU */
} plan;

/* Cut the columns into at most `parts` runs, multiples of `step`. */
static void cut_columns(plan *p, const ga__gemv *g, size_t parts, size_t step) {
  p->run =
      ga__ceil_div(ga__ceil_div(g->n, ga__at_least(parts, 1)), step) * step;
  p->parts = p->run > 0 ? ga__ceil_div(g->n, p->run) : 1;
  p->gen.parts = p->parts > 1;
}

/* Would cutting m into `items` runs of whole blocks leave some idle? */
static int is_uneven(size_t m, size_t items, size_t block) {
  const size_t chunk = ga__ceil_div(ga__ceil_div(m, items), block) * block;

  return chunk * items > m + m / 4;
}

/* Rows are cut if that is even, else columns. */
static void plan_cpu(plan *p, const ga__gemv *g) {
  const size_t want = gpucontext_caps(g->ctx)->compute_units;
  const unsigned int lanes = ga__product_lanes(g->ctx, g->typecode);
  const size_t useful =
      ga__at_most(want, ga__at_least(g->m * g->n / CPU_RUN, 1));
  const size_t whole = p->gen.along == 2 ? lanes : CPU_BLOCK;
  const size_t block = is_uneven(g->m, useful, whole) ? 1 : whole;
  const int by_rows = !is_uneven(g->m, useful, block);

  p->gen.lanes = lanes;
  p->gen.rows =
      (unsigned int)(CPU_SUMS / ga__dtype_size(ga__dtype_work(g->typecode)));
  p->gen.line = (unsigned int)ga__at_least(
      CPU_LINE / (lanes * ga__dtype_size(g->typecode)), 1);
  p->gen.x_unit =
      (p->gen.along != 2 || p->gen.sum) && (g->n <= 1 || g->x.rs == 1);
  p->gen.y_unit = g->m <= 1 || g->y.rs == 1;
  p->items = by_rows ? useful : 1;
  p->chunk =
      ga__at_least(ga__ceil_div(ga__ceil_div(g->m, p->items), block), 1) *
      block;
  p->items = ga__at_least(ga__ceil_div(g->m, p->chunk), 1);
  p->stream = g->m * g->n > CPU_CACHED;
  cut_columns(p, g, by_rows ? 1 : useful, (size_t)2 * lanes);
}

/* May A, and along n x too, be read 4 neighbours at a time? */
static int is_wide(const ga__gemv *g, int along) {
  const size_t bytes = 4 * ga__dtype_size(g->typecode);
  const ptrdiff_t lines = along == 1 ? g->a.rs : g->a.cs;

  if (along == 0 || g->a.off % bytes != 0 || lines % 4 != 0)
    return 0;
  if (along == 2)
    return g->m % 4 == 0;
  return g->n % 4 == 0 && g->x.rs == 1 && g->x.off % bytes == 0;
}

/* Rows are side by side: few of them, or few columns, take another shape. */
static void fit_columns(ga__product_group *c, const ga__gemv *g,
                        unsigned int each) {
  if (each == 1 && c->width < 16)
    c->width = 16; /* as long a line, nearly */
  for (; c->teams > g->n && c->teams > 1; c->teams /= 2)
    c->width *= 2;
  while (c->width > 4 && (size_t)c->width / 2 * each >= g->m)
    c->width /= 2;
}

/* Rows that are shorter than a team is wide. */
static void fit_rows(ga__product_group *c, const ga__gemv *g,
                     unsigned int each) {
  for (; c->width > 4 && (size_t)c->width / 2 * each >= g->n; c->width /= 2)
    c->teams *= 2;
}

static ga__product_group choose_group(const ga__gemv *g,
                                      const ga__gen_gemv *gen) {
  const unsigned int each = gen->wide ? 4 : 1;
  const size_t sum = 4 * ga__dtype_size(ga__dtype_work(g->typecode));
  ga__product_group c = gen->along == 1            ? along_n
                        : gen->along == 0          ? along_none
                        : g->m * g->n >= GPU_LARGE ? along_m_large
                                                   : along_m_small;

  if (gen->along == 2)
    fit_columns(&c, g, each);
  else
    fit_rows(&c, g, each);
  return ga__product_fit(g->ctx, c, sum);
}

/* Columns that are worth a group of their own. */
static size_t group_columns(const ga__gen_gemv *gen) {
  if (gen->along == 2)
    return (size_t)gen->teams * GPU_ITEM_COLUMNS;
  return (size_t)gen->width * gen->unroll * (gen->wide ? 4 : 1) * 4;
}

static void plan_gpu(plan *p, const ga__gemv *g) {
  const size_t units = gpucontext_caps(g->ctx)->compute_units;

  p->gen.tickets = ga__product_tickets(g->ctx);
  p->gen.unroll = GPU_UNROLL;
  p->gen.wide = is_wide(g, p->gen.along);
  ga__product_group c = choose_group(g, &p->gen);
  p->gen.width = c.width;
  p->gen.teams = c.teams;
  p->chunk = p->gen.along == 2 ? p->gen.width : p->gen.teams;
  if (p->gen.along == 2 && p->gen.wide)
    p->chunk *= 4; /* rows of a lane */
  p->items = ga__at_least(ga__ceil_div(g->m, p->chunk), 1);
  cut_columns(p, g,
              ga__at_most(units * GPU_GROUPS / p->items,
                          ga__ceil_div(g->n, group_columns(&p->gen))),
              32);
}

/* Columns that a group's work-items do in one round of their loop. */
static size_t round_columns(const ga__gen_gemv *gen) {
  const size_t step =
      gen->along == 2 ? gen->teams : (size_t)gen->width * (gen->wide ? 4 : 1);

  return step * gen->unroll;
}

/* Rounds of the loops of a work-item. */
static size_t rounds(const plan *p) {
  const size_t sum =
      p->gen.sum ? p->run / ((size_t)p->gen.width * p->gen.teams) : 0;

  return p->run / round_columns(&p->gen) + sum;
}

/* Parts that a second kernel adds up. */
static int is_apart(const plan *p) {
  return p->parts > 1 && p->gen.tickets == GA_TICKETS_NONE;
}

/* Rows of the parts. */
static size_t part_rows(const ga__gemv *g, const plan *p) {
  return g->m + (size_t)p->gen.sum;
}

/* The parts and their tickets, where there are some; returns the workspace with
 * the parts. */
static unsigned int add_parts(GpuLaunch *l, const ga__gemv *g, const plan *p,
                              int is_cpu) {
  const size_t size = ga__dtype_size(ga__dtype_work(g->typecode));
  unsigned int work = 0;

  if (p->parts > 1)
    work = ga__launch_work(l, p->parts * part_rows(g, p) * size);
  else
    ga__launch_none(l);
  if (is_cpu)
    return work;
  ga__launch_size(l, p->parts);
  if (p->parts > 1 && !is_apart(p))
    ga__launch_zeros(l, p->items * sizeof(uint32_t));
  else
    ga__launch_none(l);
  return work;
}

/* Returns the workspace with the parts. */
static unsigned int add_main(GpuLaunch *l, const ga__gemv *g, const plan *p,
                             int is_cpu) {
  const size_t cpu_gs[2] = {p->items, p->parts}, cpu_ls[2] = {1, 1};
  const size_t ls[2] = {p->gen.width, p->gen.teams};
  const size_t gs[2] = {p->items * ls[0], p->parts * ls[1]};
  const ga__ending end = {.ctx = g->ctx,
                          .epilogue = is_apart(p) ? NULL : g->epilogue,
                          .turned = g->turned,
                          .typecode = g->typecode,
                          .lanes = is_cpu ? p->gen.lanes : 1};
  ga__strb defines = GA_STRB_INIT;

  if (p->gen.wide)
    ga__launch_require_align(l, g->a.slot, 4 * ga__dtype_size(g->typecode));
  if (p->gen.wide && p->gen.along == 1)
    ga__launch_require_align(l, g->x.slot, 4 * ga__dtype_size(g->typecode));
  if (!is_cpu)
    ga__launch_rounds(l, rounds(p));
  ga__gen_gemv_text(&defines, &p->gen);
  ga__ending_kernel(l, is_cpu ? "gemv_cpu" : "gemv_gpu", "gemv", &defines, &end,
                    2, is_cpu ? cpu_gs : gs, is_cpu ? cpu_ls : ls);
  ga__strb_clear(&defines);
  ga__product_matrix(l, &g->a, 0);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__product_scalar(l, g->typecode, g->alpha.re);
  ga__product_factor(l, g->typecode, g->beta.re);
  if (is_cpu)
    ga__launch_size(l, p->chunk);
  ga__launch_size(l, p->run);
  if (is_cpu)
    ga__launch_int(l, p->stream);
  unsigned int work = add_parts(l, g, p, is_cpu);
  ga__ending_args(l, &end);
  return work;
}

static void add_join(GpuLaunch *l, const ga__gemv *g, unsigned int work,
                     const plan *p) {
  const size_t gs = part_rows(g, p);
  const ga__ending end = {.ctx = g->ctx,
                          .epilogue = g->epilogue,
                          .turned = g->turned,
                          .typecode = g->typecode,
                          .lanes = 1};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_join_text(&defines, g->typecode, p->gen.sum);
  ga__ending_kernel(l, "gemv_join", "gemv_join", &defines, &end, 1, &gs, NULL);
  ga__strb_clear(&defines);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, p->parts);
  ga__product_vector(l, &g->y);
  ga__launch_size(l, g->m);
  ga__product_scalar(l, g->typecode, g->alpha.re);
  ga__product_factor(l, g->typecode, g->beta.re);
  ga__ending_args(l, &end);
}

static void add_steps(GpuLaunch *l, const ga__gemv *g, int is_cpu) {
  plan p = {.gen = {.typecode = g->typecode, .sum = sums_vector(g)}};

  p.gen.along = ga__product_unit(&g->a, g->m, g->n);
  if (p.gen.along == 2 && g->a.cs < 1 && g->n > 1)
    p.gen.along = 0; /* reads past the last row rely on the order of columns */
  if (is_cpu)
    plan_cpu(&p, g);
  else
    plan_gpu(&p, g);
  unsigned int work = add_main(l, g, &p, is_cpu);
  if (is_apart(&p))
    add_join(l, g, work, &p);
}

void ga__gemv_cost(GpuLaunch *l, const ga__gemv *g) {
  const double m = (double)g->m, n = (double)g->n;
  const double y_times = ga__complex_is_zero(g->beta) ? 1 : 2;
  const double flops = ga__dtype_is_complex(g->typecode) ? 8 : 2;

  ga__launch_cost(
      l, (double)ga__dtype_size(g->typecode) * (m * n + n + y_times * m),
      flops * m * n);
}

int ga__gemv_prepare_by(GpuLaunch **out, const ga__gemv *g, ga__provider who) {
  ga__gemv p = *g;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  ga__product_drop(&p.alpha, &p.n);
  GpuLaunch *l = ga__product_open(p.ctx, "gemv", &p.a, &p.x, &p.y, p.epilogue);
  ga__gemv_cost(l, &p);
  if (p.m > 0 || sums_vector(&p))
    add_steps(l, &p, who == GA_PROVIDER_CPU);
  return ga__launch_seal(out, l);
}

int ga__gemv_prepare(GpuLaunch **out, const ga__gemv *g) {
  const ga__provider who =
      gpucontext_caps(g->ctx)->is_cpu ? GA_PROVIDER_CPU : GA_PROVIDER_GPU;

  if (ga__dtype_is_complex(g->typecode))
    return ga__cgemv_prepare_by(out, g, who);
  return ga__gemv_prepare_by(out, g, who);
}
