/* SPDX-License-Identifier: BSD-2-Clause */
/* Winograd's algorithm on CPUs: how a convolution is divided into blocks and
 * work-items. The kernels are cl/conv_winograd_cpu.cl, which explains names,
 * and cl/conv_winograd_pack.cl. */
#include "conv/conv_winograd_cpu.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "blas/product_provider.h"
#include "conv/conv_winograd_args.h"

enum {
  NUMBERS = 36,
  LANES = 16,
  SIDE = 4, /* lines of a tile */
  BLOCK_CHANNELS = 32,
  GAP = 16,           /* elements between the tiles of two numbers */
  MOST_PANELS = 2,    /* of a block of C */
  MOST_ROWS = 64,     /* whose sums stay in the second cache level */
  ITEMS_PER_CORE = 4, /* work-items with a workspace of their own */
  /* For the choice, in cycles of a core with AVX-512: to transform a vector of
   * tiles, one of sums, and the filters of 16 channels; and to start one more
   * kernel. A vector of products takes half a cycle, and one of a product with
   * a window three quarters. */
  INPUT_CYCLES = 150, /* twice as many for units of 8 columns */
  SUMS_CYCLES = 200,
  FILTER_CYCLES = 150,
  KERNEL_CYCLES = 40000,
  /* Bytes of all filters' numbers that caches keep, and those that memory
   * delivers in a cycle. */
  CACHED_FILTERS = 1 << 23,
  MEMORY_BYTES = 4
};

/* How C is divided. */
typedef struct layout {
  unsigned int mr, nv, span;
  size_t panels; /* of all images */
  size_t tiles;  /* of rows */
  size_t block_panels, block_tiles;
  size_t blocks; /* of C, in all groups */
  int ready;     /* filters are transformed first */
  double cycles;
} layout;

static size_t channels_of(const ga__product *p) {
  return p->window->p[p->window->p_last ? 3 : 0];
}

static size_t cores(const ga__product *p) {
  return ga__at_least(gpucontext_caps(p->ctx)->compute_units, 1);
}

/* Bytes of the numbers of a block of filters. */
static size_t block_bytes(const layout *t) {
  return sizeof(float) * NUMBERS * t->mr * BLOCK_CHANNELS;
}

/* Bytes of a work-item's part of the workspace. */
static size_t room_bytes(const ga__product *p, const layout *t) {
  const size_t width = (size_t)t->nv * LANES;
  const size_t tiles = t->block_panels * (BLOCK_CHANNELS * width + GAP);
  const size_t kept =
      channels_of(p) > BLOCK_CHANNELS ? t->block_tiles * t->block_panels : 1;

  return NUMBERS * (tiles + kept * t->mr * width) * sizeof(float) +
         block_bytes(t);
}

/* Bytes of all filters' numbers. */
static size_t filter_bytes(const ga__product *p, const layout *t) {
  return ga__times(ga__times(ga__times(t->tiles, p->batch), block_bytes(t)),
                   ga__ceil_div(channels_of(p), BLOCK_CHANNELS));
}

/* Work-items for which there is room beside the filters' numbers. */
static size_t items_of(const ga__product *p, const layout *t) {
  const size_t all = ga__product_wish(p->ctx).workspace;
  const size_t filters = t->ready ? filter_bytes(p, t) : 0;
  const size_t most = filters < all ? (all - filters) / room_bytes(p, t) : 0;

  return ga__at_most(ga__at_most(t->blocks, most), ITEMS_PER_CORE * cores(p));
}

static int has_room(const ga__product *p, const layout *t) {
  return items_of(p, t) >= ga__at_most(t->blocks, cores(p));
}

/* Set the blocks of a layout and its cost. */
static layout divide(const ga__product *p, const layout *from) {
  layout t = *from;
  const size_t across = ga__ceil_div(t.panels, t.block_panels);
  const size_t down = ga__ceil_div(t.tiles, t.block_tiles);
  const double vectors = (double)(t.block_panels * t.nv);
  const double rows = (double)(t.block_tiles * t.mr);
  const double c = (double)channels_of(p);
  const double filters = c * FILTER_CYCLES / LANES;
  const double input = INPUT_CYCLES * (t.span < LANES ? 2 : 1);
  const double item =
      vectors * (c * (input + rows * NUMBERS / 2) + rows * SUMS_CYCLES) +
      (t.ready ? 0 : rows * filters);

  t.blocks = ga__times(ga__times(across, down), p->batch);
  t.cycles = item * (double)ga__ceil_div(t.blocks, cores(p));
  if (t.ready) {
    const size_t bytes = filter_bytes(p, &t);

    t.cycles += KERNEL_CYCLES +
                (double)p->batch * (double)p->m * filters / (double)cores(p);
    if (bytes > CACHED_FILTERS)
      t.cycles += (double)bytes * (1 + (double)across) / MEMORY_BYTES;
  }
  return t;
}

/* Try all blocks of a layout with the given units. */
static void try_blocks(layout *best, const ga__product *p, unsigned int span) {
  const ga__window *w = p->window;
  const int many = gpucontext_caps(p->ctx)->vector_float >= 16;
  const size_t each = 4 * LANES / span; /* units of a vector */
  const size_t units =
      ga__times(w->j[0], ga__times(ga__ceil_div(w->j[2], SIDE),
                                   ga__ceil_div(w->j[3], span)));
  layout t = {.mr = many ? 8 : 6, .span = span};

  t.nv = many && units > each ? 2 : 1;
  t.panels = ga__ceil_div(units, each * t.nv);
  t.tiles = ga__ceil_div(p->m, t.mr);
  const size_t most = ga__at_most(t.tiles, MOST_ROWS / t.mr);

  for (size_t parts = ga__ceil_div(t.tiles, most); parts <= t.tiles; parts *= 2)
    for (size_t panels = 1; panels <= MOST_PANELS; panels++)
      for (int ready = 0; ready <= 1; ready++) {
        t.block_tiles = ga__ceil_div(t.tiles, parts);
        t.block_panels = panels;
        t.ready = ready;
        const layout now = divide(p, &t);
        if (ready && !has_room(p, &now))
          continue;
        if (best->blocks == 0 || now.cycles < best->cycles)
          *best = now;
      }
}

/* The layout with the lowest cost. */
static layout choose(const ga__product *p) {
  layout best = {.blocks = 0};

  try_blocks(&best, p, LANES);
  try_blocks(&best, p, LANES / 2);
  return best;
}

int ga__conv_winograd_cpu_takes(const ga__conv_direct *d) {
  const ga__product *p = d->p;

  return gpucontext_caps(p->ctx)->is_cpu && !d->has_long_sums &&
         p->typecode == GA_FLOAT && p->window->s[2] == 1;
}

int ga__conv_winograd_cpu_pays(const ga__product *p) {
  const double work =
      (double)p->batch * (double)p->m * (double)p->n * (double)p->k / LANES;
  const layout t = choose(p);

  return has_room(p, &t) && t.cycles < work * 3 / 4 / (double)cores(p);
}

/* Lanes that are stored at once. */
static unsigned int put_lanes(const ga__product *p, const layout *t) {
  const size_t n = p->window->j[3];

  return n % t->span == 0 ? t->span : n % 8 == 0 ? 8 : 4;
}

static unsigned int pack(GpuLaunch *l, const ga__conv_direct *d,
                         const layout *t) {
  const ga__product *p = d->p;
  const size_t c = channels_of(p);
  const size_t gs[3] = {ga__ceil_div(c, BLOCK_CHANNELS), t->tiles, p->batch};
  const size_t ls[3] = {1, 1, 1};
  const ga__gen_macros gen = {.typecode = p->typecode,
                              .lanes = 4,
                              .n = 2,
                              .v = {{"MR", t->mr}, {"KC", BLOCK_CHANNELS}}};

  ga__product_kernel(p->ctx, l, p->typecode, "conv_winograd_pack",
                     "conv_winograd_pack",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 3, gs, ls);
  ga__launch_provided(l, "winograd");
  ga__conv_winograd_filter_args(l, p, d->a);
  ga__launch_size(l, p->m);
  ga__launch_size(l, c);
  return ga__launch_work(l, filter_bytes(p, t));
}

void ga__conv_winograd_cpu_add(GpuLaunch *l, const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const layout t = choose(p);
  const size_t c = channels_of(p);
  const int has_lines = p->window->c[3] == 1;
  const unsigned int ready = t.ready ? pack(l, d, &t) : 0;
  const size_t items = ga__at_least(items_of(p, &t), 1);
  const size_t room = room_bytes(p, &t) / sizeof(float);
  const size_t gs[3] = {items, 1, 1}, ls[3] = {1, 1, 1};
  const unsigned int lanes = put_lanes(p, &t);
  const ga__gen_macros gen = {.typecode = p->typecode,
                              .lanes = lanes,
                              .n = 7,
                              .v = {{"SPAN", t.span},
                                    {"MR", t.mr},
                                    {"NV", t.nv},
                                    {"KC", BLOCK_CHANNELS},
                                    {"GAP", GAP},
                                    {"READY", (size_t)t.ready},
                                    {"C_UNIT", (size_t)has_lines}}};
  const ga__ending end = ga__product_ending(p, has_lines ? lanes : 1);
  const ga__window w = ga__conv_winograd_window(p->window);

  ga__ending_kernel(l, "conv_winograd_cpu", "conv_winograd_cpu",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 3, gs, ls);
  ga__launch_provided(l, "winograd");
  ga__conv_winograd_filter_args(l, p, d->a);
  if (t.ready)
    ga__launch_work_arg(l, ready);
  else
    ga__launch_none(l);
  ga__product_matrix(l, &p->b, 1);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  ga__launch_size(l, c);
  ga__launch_size(l, ga__ceil_div(w.j[2], SIDE));
  ga__launch_size(l, ga__ceil_div(w.j[3], t.span));
  ga__launch_size(l, w.j[0]);
  ga__launch_size(l, t.block_tiles * t.mr);
  ga__launch_size(l, t.block_panels);
  ga__launch_size(l, p->batch);
  ga__launch_size(l, room);
  ga__launch_work(l, ga__times(ga__times(items, room), sizeof(float)));
  ga__window_args(l, &w);
  ga__ending_args(l, &end);
}
