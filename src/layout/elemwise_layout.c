/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses one of the four templates of elementwise kernels, and how work-items
 * share the space. The constants were measured with bench_elemwise. */
#include "layout/elemwise_layout.h"

#include <string.h>

#include "base/arith.h"
#include "layout/cut.h"
#include "layout/elemwise_access.h"

/* GPU */
#define GROUP 256 /* work-items of a group */
/* The same where elements are read by index: what a large group gathers lies
 * in fewer rows, which stay in its unit's cache. */
#define GROUP_TAKE 512
/* Segments of a strip of rows, where elements are read by index from their own
 * columns of other rows. Measured on one H200 with 4096 x 4096 floats, as a
 * share of the rate of a copy: 0.54, and 0.28 with whole rows. */
#define STRIP 64
#define TILE_SIDE 64 /* rows and columns of a square tile */
#define TILE_SIDE_MIN 32
#define TILES_PER_UNIT 2 /* with fewer, tiles are smaller */

/* CPU */
#define CHUNK_MIN 1024 /* elements of a work-item */
#define CHUNK_MAX 16384
#define CHUNKS_PER_UNIT 32 /* for balance */
#define CHUNK_ALIGN 64     /* elements; avoids false sharing of cache lines */
#define BLOCK_SIDE 256
#define BLOCK_MIN 64
#define BLOCKS_PER_UNIT 8
#define PACK_PAD 16 /* elements between rows of a packed block */

static unsigned int pow2_ceil(size_t v, unsigned int max) {
  return (unsigned int)ga__ceil_pow2(ga__at_most(v, max));
}

/* --- sizes of a kernel --- */

static int push_size(ga__elemwise_layout *p, const char *stem, int first,
                     int second, ptrdiff_t value) {
  return ga__vec_push(&p->sizes,
                      ((ga__layout_size){stem, first, second, value}));
}

static int add_size(ga__elemwise_layout *p, const char *name, size_t value) {
  return push_size(p, name, GA_NO_NUMBER, GA_NO_NUMBER, (ptrdiff_t)value);
}

static int add_dim(ga__draft *q, unsigned int d) {
  return push_size(q->p, "ga_n", (int)d, GA_NO_NUMBER,
                   (ptrdiff_t)q->it->dims[d]);
}

static int add_stride(ga__draft *q, unsigned int k, unsigned int d) {
  return push_size(q->p, "ga_s", (int)k, (int)d, ga__draft_stride(q, k, d));
}

/* The index, in elements, where random numbers start. */
static int add_firsts(ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__is_random(&q->args[k]))
      GA_TRY(push_size(q->p, "ga_f", (int)k, GA_NO_NUMBER,
                       q->it->first[k] / (ptrdiff_t)q->p->args[k].bytes));
  }
  return GA_NO_ERROR;
}

/* Add the strides of every array from dimension `from` on, and the inner one
 * where lanes need it. */
static int add_strides(ga__draft *q, unsigned int from) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    ga__access at = q->p->args[k].access;
    int is_inner = at == GA_AT_APART || at == GA_AT_PACK || at == GA_AT_ANY;

    if (at == GA_AT_VALUE || at == GA_AT_FIXED)
      continue;
    if (is_inner)
      GA_TRY(add_stride(q, k, 0));
    if (q->p->kernel == GA_EW_FLAT && at != GA_AT_ANY)
      continue;
    for (unsigned int d = from; d < q->p->nd; d++) {
      if (d != 1 || at != GA_AT_PACK) /* that stride is 1 */
        GA_TRY(add_stride(q, k, d));
    }
  }
  return GA_NO_ERROR;
}

/* --- the four kernels --- */

static size_t cpu_chunk(const ga__draft *q) {
  return ga__cut_even(ga__iter_total(q->it),
                      (size_t)q->t->units * CHUNKS_PER_UNIT, CHUNK_MIN,
                      CHUNK_MAX);
}

static int takes(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__is_taken(&q->args[k]))
      return 1;
  }
  return 0;
}

/* A kernel declares that its groups are large, so that it gets by with the
 * registers that they leave to a work-item. */
static void set_items(ga__draft *q, size_t items) {
  ga__elemwise_layout *p = q->p;

  p->ls = ga__at_most(GROUP, q->t->group);
  if (p->is_cpu)
    p->ls = p->group = 1;
  else if (takes(q) && q->t->group >= GROUP_TAKE)
    p->ls = p->group = GROUP_TAKE;
  p->gs = ga__round_up(items, p->ls);
}

static int lay_flat(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t total = ga__iter_total(q->it);
  size_t chunk = p->lanes;

  p->kernel = GA_EW_FLAT;
  p->is_wide = (p->is_cpu && !p->has_digits) || !ga__access_fits_int(q);
  GA_TRY(add_size(p, "ga_n", total));
  if (p->is_cpu) {
    chunk = ga__round_up(cpu_chunk(q), CHUNK_ALIGN);
    GA_TRY(add_size(p, "ga_chunk", chunk));
  }
  for (unsigned int d = 0; p->has_digits && d < p->nd; d++)
    GA_TRY(add_dim(q, d));
  set_items(q, ga__ceil_div(total, chunk));
  return add_strides(q, 1);
}

/* Lay out a space of one dimension. */
static int lay_line(ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++)
    q->p->args[k].access = ga__access_in_row(q, k);
  ga__access_settle_lanes(q, 1);
  return lay_flat(q);
}

static int lay_digits(ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    ga__access at = ga__access_in_row(q, k);

    if (at != GA_AT_VALUE && at != GA_AT_FIXED)
      at = !ga__is_taken(&q->args[k]) &&
                   ga__iter_is_flat(q->it, k, q->p->args[k].bytes)
               ? GA_AT_NEXT
               : GA_AT_ANY;
    q->p->args[k].access = at;
  }
  q->p->has_digits = 1;
  ga__access_settle_lanes(q, 1);
  return lay_flat(q);
}

/* Whether neighbours in a row are read from neighbouring columns of other rows:
 * these stay in the cache if strips of all rows are done one after another. */
static int takes_columns(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__is_taken(&q->args[k]) && q->it->strides[k][0] != 0)
      return 1;
  }
  return 0;
}

static int lay_rows(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t n0 = q->it->dims[0], rows = ga__iter_total(q->it) / n0;
  ga__row_cut cut = {1, p->lanes};

  p->kernel = GA_EW_ROWS;
  p->is_wide = p->is_cpu || !ga__access_fits_int(q);
  if (p->is_cpu)
    cut = ga__cut_rows(n0, ga__round_up(cpu_chunk(q), CHUNK_ALIGN));
  GA_TRY(add_dim(q, 0));
  GA_TRY(add_size(p, "ga_m", rows));
  size_t segments = ga__ceil_div(n0, cut.segment);
  if (!p->is_cpu && segments > STRIP && takes_columns(q)) {
    p->strip = STRIP;
    segments = ga__round_up(segments, STRIP);
  }
  GA_TRY(add_size(p, "ga_segs", segments));
  if (p->is_cpu) {
    GA_TRY(add_size(p, "ga_len", cut.segment));
    GA_TRY(add_size(p, "ga_rows", cut.rows));
  }
  for (unsigned int d = 1; d + 1 < p->nd; d++)
    GA_TRY(add_dim(q, d));
  set_items(q, segments * ga__ceil_div(rows, cut.rows));
  return add_strides(q, 1);
}

/* The number of blocks or tiles of `i` rows and `j` columns. */
static size_t blocks_of(const ga__draft *q, size_t i, size_t j) {
  size_t outer = ga__iter_total(q->it) / (q->it->dims[0] * q->it->dims[1]);

  return ga__ceil_div(q->it->dims[0], j) * ga__ceil_div(q->it->dims[1], i) *
         outer;
}

/* Add the sizes that BLOCK and TILE have in common. */
static int add_tiles(ga__draft *q, size_t i, size_t j) {
  ga__elemwise_layout *p = q->p;

  GA_TRY(add_dim(q, 0));
  GA_TRY(add_dim(q, 1));
  GA_TRY(add_size(p, "ga_segs", ga__ceil_div(q->it->dims[0], j)));
  GA_TRY(add_size(p, "ga_blocks", ga__ceil_div(q->it->dims[1], i)));
  for (unsigned int d = 2; d + 1 < p->nd; d++)
    GA_TRY(add_dim(q, d));
  return add_strides(q, 1);
}

/* Columns are reduced last: the prefetcher works best with long rows. */
static int lay_block(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t room = q->t->local_bytes / 4;
  size_t want = (size_t)q->t->units * BLOCKS_PER_UNIT;
  unsigned int side = BLOCK_SIDE;
  size_t bi, bj;

  p->kernel = GA_EW_BLOCK;
  p->is_wide = 1;
  size_t bytes = ga__access_take_packs(
      q, (size_t)GA_PACK_MIN * (GA_PACK_MIN + PACK_PAD), room);
  while (side > GA_PACK_MIN && bytes * side * (side + PACK_PAD) > room)
    side /= 2;
  p->block = side * (side + PACK_PAD);
  for (bi = side; bi > BLOCK_MIN && blocks_of(q, bi, side) < want;)
    bi /= 2;
  for (bj = side; bj > BLOCK_MIN && blocks_of(q, bi, bj) < want;)
    bj /= 2;
  ga__access_settle_lanes(q, 0);
  GA_TRY(add_size(p, "ga_rows", bi));
  GA_TRY(add_size(p, "ga_len", bj));
  GA_TRY(add_size(p, "ga_pitch", bj + PACK_PAD));
  GA_TRY(add_tiles(q, bi, bj));
  set_items(q, blocks_of(q, bi, bj));
  return GA_NO_ERROR;
}

/* Choose a square tile, or a long one if a dimension is short. No side is
 * shorter than the lanes. */
static void shape_tile(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t units = (size_t)q->t->units * TILES_PER_UNIT;
  unsigned int side =
      blocks_of(q, TILE_SIDE, TILE_SIDE) < units ? TILE_SIDE_MIN : TILE_SIDE;
  unsigned int all = side * side;

  p->tile_i = pow2_ceil(q->it->dims[1], side);
  if (p->tile_i < p->lanes)
    p->tile_i = p->lanes;
  p->tile_j = all / p->tile_i;
  if (q->it->dims[0] < p->tile_j) {
    p->tile_j = pow2_ceil(q->it->dims[0], p->tile_j);
    if (p->tile_j < p->lanes)
      p->tile_j = p->lanes;
    p->tile_i = all / p->tile_j;
  }
}

/* Bytes of local memory for one byte of an element; rows are padded by 1. */
static size_t tile_room(const ga__elemwise_layout *p) {
  return (size_t)p->tile_j * (p->tile_i + 1);
}

static int lay_tile(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t room = q->t->local_bytes;

  p->kernel = GA_EW_TILE;
  p->is_wide = !ga__access_fits_int(q);
  size_t bytes = ga__access_take_packs(
      q, (size_t)TILE_SIDE_MIN * (TILE_SIDE_MIN + 1), room);
  ga__access_settle_lanes(q, 0);
  shape_tile(q);
  while (tile_room(p) * bytes > room && p->tile_i > p->lanes)
    p->tile_i /= 2;
  while (tile_room(p) * bytes > room && p->tile_j > p->lanes)
    p->tile_j /= 2;
  /* A power of 2, so that the work-items share the vectors of a tile evenly. */
  p->group = pow2_ceil(p->tile_i * p->tile_j / p->lanes, GROUP);
  while (p->group > q->t->group)
    p->group /= 2;
  GA_TRY(add_tiles(q, p->tile_i, p->tile_j));
  p->ls = p->group;
  p->gs = blocks_of(q, p->tile_i, p->tile_j) * p->group;
  return GA_NO_ERROR;
}

/* --- the choice --- */

static int outputs_are_flat(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (!ga__arg_is_read_only(&q->args[k]) &&
        !ga__iter_is_flat(q->it, k, q->p->args[k].bytes))
      return 0;
  }
  return 1;
}

/* Whether rows are too short for vectors, or on a GPU no multiple of them. */
static int rows_waste_lanes(const ga__draft *q) {
  size_t n0 = q->it->dims[0];

  if (q->p->lanes == 1)
    return 0;
  return q->p->is_cpu ? n0 / 4 < q->p->lanes : n0 % q->p->lanes != 0;
}

static int choose(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  unsigned int d = ga__access_pack_dim(q);

  if (p->nd == 1)
    return lay_line(q);
  if (d == 0 && rows_waste_lanes(q) && outputs_are_flat(q))
    return lay_digits(q);
  if (d != 0)
    ga__iter_raise(q->it, d);
  for (unsigned int k = 0; k < p->n; k++)
    p->args[k].access = ga__access_in_row(q, k);
  if (d != 0)
    return p->is_cpu ? lay_block(q) : lay_tile(q);
  ga__access_settle_lanes(q, 0);
  return lay_rows(q);
}

/* Sizes become constants in the source if the arguments exceed the device's
 * limit. */
static void settle_sizes(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t bytes = p->sizes.n * (p->is_wide ? 8 : 4);

  for (unsigned int k = 0; k < p->n; k++)
    bytes += p->args[k].access == GA_AT_VALUE ? 16
             : ga__is_taken(&q->args[k])      ? sizeof(void *) + 40
                                              : sizeof(void *) + 8;
  p->is_baked = bytes > q->t->param_bytes;
}

static unsigned int lead_of(unsigned int n, const gpuelemwise_arg *args) {
  for (unsigned int k = 0; k < n; k++) {
    if (args[k].flags & GE_WRITE)
      return k;
  }
  return 0;
}

int ga__elemwise_layout_make(ga__elemwise_layout *p, ga__iter *it,
                             const gpuelemwise_arg *args, const size_t *offsets,
                             const ga__expr *e, const ga__target *t,
                             int merge) {
  ga__draft q = {p, it, args, offsets, e, t};

  memset(p, 0, sizeof *p);
  p->n = it->n;
  p->is_cpu = t->is_cpu;
  GA_TRY(ga__access_init(&q));
  ga__iter_order(it, lead_of(it->n, args));
  if (merge)
    ga__iter_merge(it);
  if (it->nd == 0) { /* a space of rank 0 is a row of one element */
    it->dims[it->nd++] = 1;
    for (unsigned int k = 0; k < it->n; k++)
      it->strides[k][0] = (ptrdiff_t)p->args[k].bytes;
  }
  p->nd = it->nd;
  p->lanes = ga__access_best_lanes(&q);
  GA_TRY(choose(&q));
  GA_TRY(add_firsts(&q));
  ga__access_settle_streams(&q);
  settle_sizes(&q);
  GA_ASSERT(p->lanes > 0 && p->gs % p->ls == 0);
  return GA_NO_ERROR;
}

void ga__elemwise_layout_clear(ga__elemwise_layout *p) {
  ga__free(p->args);
  ga__vec_clear(&p->sizes);
  memset(p, 0, sizeof *p);
}
