/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with filters of 3 x 3 elements and stride 1 by Winograd's
 * algorithm, which needs a quarter of the multiplications, and their gradients.
 * A gradient by filters transposes the algorithm: it transforms tiles of x and
 * of the gradient by y, products add them up over tiles, and the sums are
 * transformed to filters. Tiles are computed in parts, so that workspaces are
 * bounded. The kernels are cl/conv_winograd_*.cl, and those of products between
 * them. */
#include "conv/conv_winograd.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "blas/dispatch.h"
#include "conv/conv_winograd_args.h"
#include "conv/conv_winograd_cpu.h"

enum {
  NUMBERS = 36, /* of a tile or filter, transformed */
  SIDE = 4,     /* columns of a tile along each dimension */
  LEAST_DEPTH = 16,
  GROUP = 128,      /* work-items */
  STEP_TILES = 128, /* parts are multiples of it */
  /* For the choice, measured on an H200 with floats; elsewhere only their
   * ratios matter: products of a picosecond, bytes of a nanosecond, and
   * nanoseconds for three more kernels. */
  PRODUCTS_PS = 18,
  BYTES_NS = 2500,
  KERNELS_NS = 9000
};

/* The tiles of an image and of all images, and the channels of a group. */
typedef struct tiling {
  size_t down, along, total, channels;
} tiling;

/* Tiles are those of y, whose elements are the columns of a product. In a
 * gradient by filters they are what it sums over. */
static tiling find_tiling(const ga__conv_direct *d) {
  const ga__window *w = d->p->window;
  const size_t *at = d->has_long_sums ? w->p : w->j;
  const size_t *taps = d->has_long_sums ? w->j : w->p;
  const int is_last = d->has_long_sums ? w->j_last : w->p_last;
  tiling t = {.down = ga__ceil_div(at[2], SIDE),
              .along = ga__ceil_div(at[3], SIDE),
              .channels = taps[is_last ? 3 : 0]};

  t.total = ga__times(at[0], ga__times(t.down, t.along));
  return t;
}

static int takes(const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const ga__window *w = p->window;
  const int back = d->has_long_sums;
  const size_t *at = back ? w->p : w->j;
  const size_t *taps =
      (back ? w->j : w->p) + ((back ? w->j_last : w->p_last) ? 0 : 1);
  const ptrdiff_t *step = back ? w->pt : w->jt, *apart = back ? w->jt : w->pt;

  return !(back ? w->p_last : w->j_last) &&
         (p->typecode == GA_FLOAT || p->typecode == GA_DOUBLE) &&
         taps[0] == 1 && taps[1] == 3 && taps[2] == 3 && at[1] == 1 &&
         w->pad[0] == 0 && w->x[0] >= 1 && step[1] == 1 && step[2] == 1 &&
         apart[1] * apart[1] == 1 && apart[2] * apart[2] == 1 &&
         (!back || (apart[1] == 1 && apart[2] == 1)) && p->k > 0 &&
         find_tiling(d).total <= INT32_MAX;
}

/* Nanoseconds of the product as it is, and by this algorithm. */
static double time_of_product(const ga__product *p) {
  return (double)p->batch * (double)p->m * (double)p->n * (double)p->k * 1e-3 /
         PRODUCTS_PS;
}

static double time_of_winograd(const ga__conv_direct *d) {
  const ga__product *p = d->p;
  const tiling t = find_tiling(d);
  const double tiles = (double)t.total, c = (double)t.channels;
  const double m = (double)p->m, groups = (double)p->batch;
  const double products = NUMBERS * tiles * c * m;
  const double numbers = NUMBERS * (2 * tiles * (c + m) + 2 * c * m);

  return groups * products * 1e-3 / PRODUCTS_PS +
         groups * numbers * (double)ga__dtype_size(p->typecode) / BYTES_NS +
         KERNELS_NS;
}

/* As many tiles as workspaces may hold, with the sums of their products. */
static size_t most_tiles(const ga__product *p, size_t channels) {
  const size_t each = ga__times(ga__times(NUMBERS, p->batch), channels + p->m);

  return (size_t)(ga__product_wish(p->ctx).workspace /
                  ga__times(each, ga__dtype_size(p->typecode)));
}

int ga__conv_winograd_wants(const ga__conv_direct *d, const ga__provider *by) {
  const ga__product *p = d->p;

  if ((by != NULL && by != &ga__conv_winograd) || !takes(d))
    return 0;
  if (by != NULL)
    return 1;
  const size_t channels = find_tiling(d).channels;
  if (ga__conv_winograd_cpu_takes(d))
    return channels >= LEAST_DEPTH && p->m >= LEAST_DEPTH &&
           ga__conv_winograd_cpu_pays(p);
  return !gpucontext_caps(p->ctx)->is_cpu && p->m >= LEAST_DEPTH &&
         channels >= LEAST_DEPTH && most_tiles(p, channels) >= STEP_TILES &&
         time_of_winograd(d) < time_of_product(p);
}

static int takes_no_product(const ga__product *p) {
  (void)p;
  return 0;
}

const ga__provider ga__conv_winograd = {.takes = takes_no_product};

/* What the steps share. Workspaces are slots. */
typedef struct work {
  GpuLaunch *l;         /* borrowed */
  const ga__product *p; /* borrowed */
  const ptrdiff_t *a;   /* strides of A, as in ga__conv_direct; borrowed */
  ga__window w;         /* with filters read forwards; in gradients by filters,
                           ps and js are swapped, so that ps is the stride of
                           channels */
  tiling t;
  size_t part; /* tiles at once */
  int turned;
  unsigned int filters, input, sums;
} work;

/* Work-groups of [GROUP] along the first dimension, as far as there is work. */
static size_t group_of(const ga__product *p, size_t n) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);

  return ga__floor_pow2(ga__between(1, n, ga__at_most(able, GROUP)));
}

static void transform_filters(const work *s) {
  const ga__product *p = s->p;
  const ga__gen_macros gen = {.typecode = p->typecode, .lanes = 1};
  const size_t ls[3] = {group_of(p, s->t.channels), 1, 1};
  const size_t gs[3] = {ga__round_up(s->t.channels, ls[0]), p->m, p->batch};

  ga__product_kernel(p->ctx, s->l, p->typecode, "conv_winograd_filters",
                     "conv_winograd_filters",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 3, gs, ls);
  ga__launch_provided(s->l, "winograd");
  ga__conv_winograd_filter_args(s->l, p, s->a);
  ga__launch_size(s->l, p->m);
  ga__launch_size(s->l, s->t.channels);
  ga__launch_size(s->l, p->batch);
  ga__launch_slot(s->l, s->filters);
}

static void tiling_args(const work *s, size_t from, size_t tiles,
                        unsigned int slot) {
  ga__launch_size(s->l, s->p->batch);
  ga__launch_uint(s->l, (uint32_t)s->t.down);
  ga__launch_uint(s->l, (uint32_t)s->t.along);
  ga__launch_uint(s->l, (uint32_t)from);
  ga__launch_uint(s->l, (uint32_t)tiles);
  ga__launch_slot(s->l, slot);
}

/* The sizes of a step's kernel: a work-item for each tile and each of n
 * channels or rows. */
static void step_sizes(const work *s, size_t n, size_t tiles, size_t gs[3],
                       size_t ls[3]) {
  const size_t inner = s->turned ? n : tiles;

  ls[0] = group_of(s->p, inner);
  ls[1] = ls[2] = 1;
  gs[0] = ga__round_up(inner, ls[0]);
  gs[1] = s->turned ? tiles : n;
  gs[2] = s->p->batch;
}

static void transform_input(const work *s, size_t from, size_t tiles) {
  const ga__gen_winograd gen = {
      .typecode = s->p->typecode, .lanes = 1, .turned = s->turned};
  ga__ending end = ga__product_ending(s->p, 1);
  size_t gs[3], ls[3];

  end.is_none = 1;
  end.epilogue = NULL;
  step_sizes(s, s->t.channels, tiles, gs, ls);
  ga__ending_kernel(s->l, "conv_winograd_input", "conv_winograd_input",
                    GA_GEN_TEXT(ga__gen_winograd_text, gen), &end, 3, gs, ls);
  ga__launch_provided(s->l, "winograd");
  ga__product_matrix(s->l, &s->p->b, 1);
  ga__launch_size(s->l, s->t.channels);
  tiling_args(s, from, tiles, s->input);
  ga__window_args(s->l, &s->w);
}

/* One product for each number and group. Rows of all matrices are neighbours in
 * memory, or with `turned` columns of C and rows of B. */
static void multiply(const work *s, size_t tiles) {
  const size_t m = s->p->m, k = s->t.channels;
  ga__product p = {.ctx = s->p->ctx,
                   .routine = GA_ROUTINE_GEMM,
                   .typecode = s->p->typecode,
                   .m = m,
                   .n = tiles,
                   .k = k,
                   .batch = NUMBERS * s->p->batch,
                   .alpha.re = 1,
                   .a = {.slot = s->filters,
                         .rs = (ptrdiff_t)k,
                         .cs = 1,
                         .bs = (ptrdiff_t)(m * k)},
                   .b = {.slot = s->input,
                         .rs = s->turned ? 1 : (ptrdiff_t)tiles,
                         .cs = s->turned ? (ptrdiff_t)k : 1,
                         .bs = (ptrdiff_t)(k * tiles)},
                   .c = {.slot = s->sums,
                         .rs = s->turned ? 1 : (ptrdiff_t)tiles,
                         .cs = s->turned ? (ptrdiff_t)m : 1,
                         .bs = (ptrdiff_t)(m * tiles)}};

  ga__product_add(s->l, &p, NULL);
}

static void transform_sums(const work *s, size_t from, size_t tiles) {
  const ga__product *p = s->p;
  const int has_lines = !s->turned && p->window->c[3] == 1;
  const ga__gen_winograd gen = {.typecode = p->typecode,
                                .lanes = SIDE,
                                .turned = s->turned,
                                .c_unit = has_lines,
                                .c_aligned =
                                    has_lines && p->epilogue == NULL &&
                                    ga__product_lines_aligned(p, SIDE)};
  const ga__ending end = ga__product_ending(p, has_lines ? SIDE : 1);
  size_t gs[3], ls[3];

  step_sizes(s, p->m, tiles, gs, ls);
  if (gen.c_aligned)
    ga__launch_require_align(s->l, p->c.slot,
                             SIDE * ga__dtype_size(p->typecode));
  ga__ending_kernel(s->l, "conv_winograd_sums", "conv_winograd_sums",
                    GA_GEN_TEXT(ga__gen_winograd_text, gen), &end, 3, gs, ls);
  ga__launch_provided(s->l, "winograd");
  ga__product_matrix(s->l, &p->c, 1);
  ga__product_sizes(s->l, p);
  tiling_args(s, from, tiles, s->sums);
  ga__window_args(s->l, &s->w);
  ga__ending_args(s->l, &end);
}

/* --- the gradient by filters --- */

/* To the slot of sums. */
static void transform_gradient(const work *s, size_t from, size_t tiles) {
  const ga__product *p = s->p;
  const ga__gen_winograd gen = {
      .typecode = p->typecode, .lanes = 1, .turned = s->turned};
  size_t gs[3], ls[3];

  step_sizes(s, p->m, tiles, gs, ls);
  ga__product_kernel(p->ctx, s->l, p->typecode, "conv_winograd_gradient",
                     "conv_winograd_gradient",
                     GA_GEN_TEXT(ga__gen_winograd_text, gen), 3, gs, ls);
  ga__launch_provided(s->l, "winograd");
  ga__product_matrix(s->l, &p->a, 1);
  ga__launch_ssize(s->l, s->a[0]);
  ga__launch_ssize(s->l, s->a[2]);
  ga__launch_ssize(s->l, s->a[3]);
  ga__launch_uint(s->l, (uint32_t)p->window->p[2]);
  ga__launch_uint(s->l, (uint32_t)p->window->p[3]);
  ga__launch_size(s->l, p->m);
  tiling_args(s, from, tiles, s->sums);
}

/* The products of tiles, added to those of earlier parts. */
static void multiply_tiles(const work *s, size_t from, size_t tiles) {
  const size_t m = s->p->m, n = s->t.channels;
  const int turned = s->turned;
  ga__product p = {.ctx = s->p->ctx,
                   .routine = GA_ROUTINE_GEMM,
                   .typecode = s->p->typecode,
                   .m = m,
                   .n = n,
                   .k = tiles,
                   .batch = NUMBERS * s->p->batch,
                   .alpha.re = 1,
                   .beta.re = from > 0,
                   .a = {.slot = s->sums,
                         .rs = turned ? 1 : (ptrdiff_t)tiles,
                         .cs = turned ? (ptrdiff_t)m : 1,
                         .bs = (ptrdiff_t)(m * tiles)},
                   .b = {.slot = s->input,
                         .rs = turned ? (ptrdiff_t)n : 1,
                         .cs = turned ? 1 : (ptrdiff_t)tiles,
                         .bs = (ptrdiff_t)(n * tiles)},
                   .c = {.slot = s->filters,
                         .rs = (ptrdiff_t)n,
                         .cs = 1,
                         .bs = (ptrdiff_t)(m * n)}};

  ga__product_add(s->l, &p, NULL);
}

static void transform_filter_sums(const work *s) {
  const ga__product *p = s->p;
  const ga__gen_winograd gen = {.typecode = p->typecode, .lanes = 1};
  const ga__ending end = ga__product_ending(p, 1);
  const size_t ls[3] = {group_of(p, s->t.channels), 1, 1};
  const size_t gs[3] = {ga__round_up(s->t.channels, ls[0]), p->m, p->batch};

  ga__ending_kernel(s->l, "conv_winograd_filter_sums",
                    "conv_winograd_filter_sums",
                    GA_GEN_TEXT(ga__gen_winograd_text, gen), &end, 3, gs, ls);
  ga__launch_provided(s->l, "winograd");
  ga__product_matrix(s->l, &p->c, 1);
  ga__product_sizes(s->l, p);
  ga__launch_size(s->l, s->t.channels);
  ga__launch_size(s->l, p->batch);
  ga__launch_slot(s->l, s->filters);
  ga__window_args(s->l, p->window);
  ga__ending_args(s->l, &end);
}

/* --- all --- */

/* The tiles that are computed at once. */
static size_t part_of(const work *s) {
  const size_t room = ga__at_least(most_tiles(s->p, s->t.channels), STEP_TILES);
  const size_t parts = ga__ceil_div(s->t.total, room);

  return ga__at_most(s->t.total,
                     ga__round_up(ga__ceil_div(s->t.total, parts), STEP_TILES));
}

static unsigned int add_slot(const work *s, size_t lines, size_t length) {
  const size_t numbers = ga__times(NUMBERS, s->p->batch);

  return ga__launch_own_slot(
      s->l, ga__times(ga__times(numbers, ga__times(lines, length)),
                      ga__dtype_size(s->p->typecode)));
}

static void add_forward(work *s) {
  s->w = ga__conv_winograd_window(s->p->window);
  transform_filters(s);
  for (size_t from = 0; from < s->t.total; from += s->part) {
    const size_t tiles = ga__at_most(s->part, s->t.total - from);

    transform_input(s, from, tiles);
    multiply(s, tiles);
    transform_sums(s, from, tiles);
  }
}

static void add_filters(work *s) {
  s->w.ps = s->p->window->js;
  s->w.js = s->p->window->ps;
  for (size_t from = 0; from < s->t.total; from += s->part) {
    const size_t tiles = ga__at_most(s->part, s->t.total - from);

    transform_input(s, from, tiles);
    transform_gradient(s, from, tiles);
    multiply_tiles(s, from, tiles);
  }
  transform_filter_sums(s);
}

void ga__conv_winograd_add(GpuLaunch *l, const ga__conv_direct *d) {
  const ga__product *p = d->p;
  work s = {.l = l, .p = p, .a = d->a, .w = *p->window, .t = find_tiling(d)};

  if (ga__conv_winograd_cpu_takes(d)) {
    ga__conv_winograd_cpu_add(l, d);
    return;
  }
  s.turned = d->has_long_sums ? s.w.j_last : s.w.p_last;
  s.part = part_of(&s);
  s.filters = add_slot(&s, p->m, s.t.channels);
  s.input = add_slot(&s, s.t.channels, s.part);
  s.sums = add_slot(&s, p->m, s.part);
  if (d->has_long_sums)
    add_filters(&s);
  else
    add_forward(&s);
}
