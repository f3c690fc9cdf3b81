/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few channels in a group. As products they would copy each
 * element for a single row, and long sums would fill few columns of a tile. The
 * kernels are cl/conv_direct.cl, and cl/conv_direct_sum.cl for gradients by
 * filters; on GPUs cl/conv_direct_gpu.cl. */
#include "conv/conv_direct.h"

#include <limits.h>

#include "base/arith.h"
#include "base/dtype.h"

enum {
  LEAST_LINE = 4,
  MOST_ROWS = 4, /* beyond them, copied panels pay */
  FEW_ROWS = 2,
  FEW_COLUMNS = 32,
  MOST_SUMS = 2048, /* rows times columns */
  FEW_SUMS = 64,    /* the same, if a product keeps the cores busy */
  TILE_ROWS = 8,    /* of a product */
  TILE_COLUMNS = 32,
  MOST_TAPS = 256,    /* TAPS of cl/conv_direct.cl */
  MOST_COLUMNS = 128, /* COLUMNS of cl/conv_direct_sum.cl */
  MOST_PARTS = 32,
  ITEMS_PER_CORE = 4,
  GPU_ROWS = 4,
  GPU_RUN = 4, /* columns of a work-item */
  GPU_LANES = 4,
  GPU_GROUP = 128
};

/* How lanes are chosen. */
typedef struct lanes {
  unsigned int count, line;
  int are_groups;
  size_t across; /* work-items for all groups */
} lanes;

/* Groups whose elements are neighbours in memory. */
static int are_groups(const ga__conv_direct *d) {
  const ga__product *p = d->p;

  if (p->batch < 4 || p->m != 1 || p->b.bs != 1)
    return 0;
  return d->has_long_sums ? p->a.bs == 1 : p->epilogue != NULL || p->c.bs == 1;
}

static lanes choose(const ga__conv_direct *d) {
  const ga__window *w = d->p->window;
  const ptrdiff_t apart = d->has_long_sums ? w->pt[2] : w->jt[2];
  lanes s = {.count = ga__product_lanes(d->p->ctx, d->p->typecode),
             .are_groups = are_groups(d),
             .across = d->p->batch};

  if (s.are_groups)
    s.across = ga__ceil_div(d->p->batch, s.count);
  else if (apart * w->s[2] == 1)
    s.line = 1;
  else if (apart == 2 && w->s[2] == 1)
    s.line = 2;
  return s;
}

/* Lanes that are not neighbours in memory are loaded one by one, which pays for
 * few rows only. Lines that are much shorter than a vector waste it. */
static int columns_pay(const ga__conv_direct *d, const lanes *s) {
  if (d->p->k > MOST_TAPS)
    return 0;
  return s->are_groups || (d->p->window->j[3] >= LEAST_LINE &&
                           d->p->m <= (s->line != 0 ? MOST_ROWS : FEW_ROWS));
}

/* Nonzero if a product has tiles for more than half of the cores. It uses a
 * core twice as well as sums that are kept for each column, but does not divide
 * sums. */
static int product_pays(const ga__product *p) {
  const size_t tiles = ga__times(ga__ceil_div(p->m, TILE_ROWS) *
                                     ga__ceil_div(p->n, TILE_COLUMNS),
                                 p->batch);

  return tiles > gpucontext_caps(p->ctx)->compute_units / 2;
}

static int sums_pay(const ga__conv_direct *d, const lanes *s) {
  const int are_loaded = s->line != 0 && d->a[3] == 1;
  const size_t m = d->p->m, n = d->p->n;

  if (n > MOST_COLUMNS)
    return 0;
  if (s->are_groups)
    return 1;
  if (d->p->window->p[3] < LEAST_LINE)
    return 0;
  if (m <= FEW_ROWS)
    return are_loaded || n <= FEW_COLUMNS;
  return are_loaded && m <= (product_pays(d->p) ? FEW_SUMS : MOST_SUMS) / n;
}

int ga__conv_direct_wants(const ga__conv_direct *d) {
  if (d->p->k == 0)
    return 0;
  if (!gpucontext_caps(d->p->ctx)->is_cpu)
    return !d->has_long_sums && d->p->m <= GPU_ROWS && d->p->k <= MOST_TAPS;
  const lanes s = choose(d);
  return d->has_long_sums ? sums_pay(d, &s) : columns_pay(d, &s);
}

/* Lines for each work-item, so that there are enough for all cores. */
static size_t lines_of(const ga__conv_direct *d, const lanes *s, size_t lines,
                       size_t most_parts) {
  const size_t enough =
      gpucontext_caps(d->p->ctx)->compute_units * (size_t)ITEMS_PER_CORE;
  const size_t parts = ga__ceil_div(enough, ga__times(s->across, d->p->m));

  return ga__ceil_div(lines, ga__between(1, parts, most_parts));
}

static ga__gen_macros macros_of(const ga__conv_direct *d, const lanes *s) {
  const int is_sum = d->has_long_sums;

  return (ga__gen_macros){
      .typecode = d->p->typecode,
      .lanes = s->count,
      .names_lanes = 1,
      .n = 4,
      .v = {{"LINE", s->line},
            {"CHANNELS", s->are_groups != 0},
            {is_sum ? "COLUMNS" : "TAPS", is_sum ? MOST_COLUMNS : MOST_TAPS},
            {"A_UNIT", is_sum && (s->are_groups || d->a[3] == 1)}}};
}

static void add_columns(GpuLaunch *l, const ga__conv_direct *d) {
  const lanes s = choose(d);
  const ga__gen_macros gen = macros_of(d, &s);
  const size_t *j = d->p->window->j;
  const size_t lines = j[0] * j[1] * j[2];
  const size_t run = lines_of(d, &s, lines, lines);
  const size_t gs[3] = {ga__ceil_div(lines, run), d->p->m, s.across};
  const size_t ls[3] = {1, 1, 1};
  ga__ending end = ga__product_ending(d->p, s.count);

  end.turned = s.are_groups; /* lanes go along rows */
  ga__ending_kernel(l, "conv_direct", "conv_direct",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 3, gs, ls);
  ga__launch_provided(l, "direct");
  ga__conv_direct_factors(l, d);
  ga__product_matrix(l, &d->p->c, 1);
  ga__product_sizes(l, d->p);
  ga__launch_size(l, d->p->batch);
  ga__launch_size(l, lines);
  ga__launch_size(l, run);
  ga__window_args(l, d->p->window);
  ga__ending_args(l, &end);
}

/* Add up the parts, in order. */
static void join(GpuLaunch *l, const ga__conv_direct *d, unsigned int work,
                 size_t parts) {
  const ga__gen_macros gen = {.typecode = d->p->typecode, .lanes = 4};
  const ga__ending end = ga__product_ending(d->p, 4);
  const size_t rows = d->p->batch * d->p->m;

  ga__ending_kernel(l, "conv_direct_join", "conv_direct_join",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 1, &rows,
                    NULL);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, parts);
  ga__product_matrix(l, &d->p->c, 1);
  ga__product_sizes(l, d->p);
  ga__window_args(l, d->p->window);
  ga__ending_args(l, &end);
}

static void add_sums(GpuLaunch *l, const ga__conv_direct *d) {
  const lanes s = choose(d);
  const ga__gen_macros gen = macros_of(d, &s);
  const ga__product *p = d->p;
  const size_t *k = p->window->p;
  const size_t lines = k[0] * k[1] * k[2];
  const size_t run = lines_of(d, &s, lines, MOST_PARTS);
  const size_t parts = ga__ceil_div(lines, run);
  const size_t gs[3] = {parts, p->m, s.across}, ls[3] = {1, 1, 1};
  const size_t bytes = ga__times(ga__times(parts * p->batch, p->m * p->n),
                                 ga__dtype_size(ga__dtype_work(p->typecode)));
  ga__ending end = ga__product_ending(p, s.count);

  end.is_none = 1;
  end.epilogue = NULL;
  ga__ending_kernel(l, "conv_direct_sum", "conv_direct_sum",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 3, gs, ls);
  ga__launch_provided(l, "direct");
  ga__conv_direct_factors(l, d);
  ga__launch_size(l, p->m);
  ga__launch_size(l, p->n);
  ga__launch_size(l, p->batch);
  ga__launch_size(l, lines);
  ga__launch_size(l, run);
  const unsigned int work = ga__launch_work(l, bytes);
  ga__window_args(l, p->window);
  join(l, d, work, parts);
}

/* --- GPUs --- */

static int are_multiples(const ptrdiff_t *v, int n, ptrdiff_t of) {
  for (int i = 0; i < n; i++)
    if (v[i] % of != 0)
      return 0;
  return 1;
}

/* Groups of a work-item: several if their elements are aligned vectors. */
static unsigned int lanes_on_gpu(const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const ga__window *w = p->window;
  const size_t bytes = GPU_LANES * ga__dtype_size(p->typecode);

  if (!are_groups(d) || p->batch % GPU_LANES != 0 || p->b.off % bytes != 0 ||
      p->b.rel % (ptrdiff_t)bytes != 0 || !are_multiples(w->s, 3, GPU_LANES) ||
      !are_multiples(&w->js, 1, GPU_LANES))
    return 1;
  return p->epilogue != NULL ||
                 (p->c.off % bytes == 0 && p->c.rel % (ptrdiff_t)bytes == 0 &&
                  are_multiples(w->c, 4, GPU_LANES))
             ? GPU_LANES
             : 1;
}

static void add_gpu(GpuLaunch *l, const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const size_t *j = p->window->j;
  const size_t runs = j[0] * j[1] * ga__ceil_div(j[2], GPU_RUN) * j[3];
  const unsigned int wide = lanes_on_gpu(d);
  const size_t items = ga__times(runs, p->batch / wide);
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);
  const size_t ls[2] = {ga__floor_pow2(ga__between(1, able, GPU_GROUP)), 1};
  const size_t gs[2] = {ga__round_up(items, ls[0]), p->m};
  const size_t bytes = wide * ga__dtype_size(p->typecode);
  ga__ending end = ga__product_ending(p, wide);
  const ga__gen_macros gen = {.typecode = p->typecode,
                              .lanes = wide,
                              .is_aligned = wide > 1,
                              .n = 4,
                              .v = {{"CHANNELS", are_groups(d) != 0},
                                    {"GROUPS", wide},
                                    {"RUN", GPU_RUN},
                                    {"WIDE", gs[0] > INT_MAX}}};

  end.turned = wide > 1; /* lanes go along rows */
  if (wide > 1) {
    ga__launch_require_align(l, p->b.slot, bytes);
    if (p->epilogue == NULL)
      ga__launch_require_align(l, p->c.slot, bytes);
  }
  ga__launch_rounds(l, p->k * GPU_RUN);
  ga__ending_kernel(l, "conv_direct_gpu", "conv_direct_gpu",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 2, gs, ls);
  ga__launch_provided(l, "direct");
  ga__conv_direct_factors(l, d);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, p->batch);
  ga__launch_size(l, runs);
  ga__window_args(l, p->window);
  ga__ending_args(l, &end);
}

void ga__conv_direct_add(GpuLaunch *l, const ga__conv_direct *d) {
  if (!gpucontext_caps(d->p->ctx)->is_cpu)
    add_gpu(l, d);
  else if (d->has_long_sums)
    add_sums(l, d);
  else if (!are_groups(d) && ga__conv_plane_wants(d))
    ga__conv_plane_add(l, d);
  else
    add_columns(l, d);
}
