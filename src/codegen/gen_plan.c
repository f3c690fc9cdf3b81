/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices for elementwise kernels. The numbers in here were measured: see
 * bench_elemwise. */
#include "codegen/gen_plan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"

/* GPU */
#define HALF_LANES 8
#define VECTOR_BYTES 16 /* what one work-item moves at once */
#define GROUP 256       /* work-items of a group */
#define TILE_SIDE 64    /* of a square tile */
#define TILE_SIDE_MIN 32
#define TILES_PER_UNIT 2 /* or smaller ones are taken */

/* CPU */
#define CHUNK_MIN 1024 /* elements of a work-item */
#define CHUNK_MAX 16384
#define CHUNKS_PER_UNIT 32 /* for balance */
#define CHUNK_ALIGN 64     /* elements; keeps cores off each other's lines */
#define BLOCK_SIDE 256
#define BLOCK_MIN 64
#define BLOCKS_PER_UNIT 8
#define STREAM_MIN ((size_t)32 << 20) /* bytes written that no cache keeps */
#define STREAM_MIN_BLOCK ((size_t)8 << 20) /* where stores cost more */
#define STREAM_VECTOR 32                   /* bytes; less is not combined */
#define PACK_PAD 16 /* elements between rows of a packed block */
#define PACK_MIN 8  /* shorter sides are not worth packing */

/* What the steps of planning share. */
typedef struct planner {
  ga__plan *p;
  ga__iter *it;
  const gpuelemwise_arg *args;
  const size_t *offsets;
  const ga__expr *e;
  const ga__target *t;
} planner;

static size_t ceil_div(size_t a, size_t b) {
  return a / b + (a % b != 0);
}

static size_t round_up(size_t a, size_t b) {
  return ceil_div(a, b) * b;
}

static size_t at_most(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t between(size_t lo, size_t v, size_t hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

static unsigned int pow2_ceil(size_t v, unsigned int max) {
  unsigned int p = 1;

  while (p < v && p < max)
    p *= 2;
  return p;
}

/* --- the numbers that a kernel gets --- */

static int add_size(ga__plan *p, const char *name, size_t value) {
  ga__plan_size s = {.value = (long long)value};

  snprintf(s.name, sizeof s.name, "%s", name);
  return ga__vec_push(&p->sizes, s) == GA_NO_ERROR ? GA_NO_ERROR
                                                   : ga__fail_nomem();
}

static int add_dim(planner *q, unsigned int d) {
  char name[32];

  snprintf(name, sizeof name, "ga_n%u", d);
  return add_size(q->p, name, q->it->dims[d]);
}

/* The stride of array k, in elements. */
static ptrdiff_t stride_of(const planner *q, unsigned int k, unsigned int d) {
  return q->it->strides[k][d] / (ptrdiff_t)q->p->args[k].bytes;
}

static int add_stride(planner *q, unsigned int k, unsigned int d) {
  char name[32];

  snprintf(name, sizeof name, "ga_s%u_%u", k, d);
  return add_size(q->p, name, (size_t)stride_of(q, k, d));
}

/* Where the walk of random numbers starts. */
static int add_firsts(planner *q) {
  char name[32];

  for (unsigned int k = 0; k < q->p->n; k++) {
    if (!ga__is_random(&q->args[k]))
      continue;
    snprintf(name, sizeof name, "ga_f%u", k);
    GA_TRY(
        add_size(q->p, name,
                 (size_t)(q->it->first[k] / (ptrdiff_t)q->p->args[k].bytes)));
  }
  return GA_NO_ERROR;
}

/* Strides of every array from dimension `from` on, and the inner one where
 * lanes need it. */
static int add_strides(planner *q, unsigned int from) {
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
      if (d != 1 || at != GA_AT_PACK) /* is 1 */
        GA_TRY(add_stride(q, k, d));
    }
  }
  return GA_NO_ERROR;
}

/* --- arguments --- */

static int check_strides(const planner *q, unsigned int k) {
  for (unsigned int d = 0; d < q->it->nd; d++) {
    ptrdiff_t stride = q->it->strides[k][d];

    if (stride % (ptrdiff_t)q->p->args[k].bytes != 0)
      return ga__fail(GA_UNALIGNED_ERROR,
                      "arg %s: stride %td is no multiple of %zu bytes",
                      q->args[k].name, stride, q->p->args[k].bytes);
  }
  return GA_NO_ERROR;
}

static int is_read_only(const gpuelemwise_arg *a) {
  return (a->flags & GE_WRITE) == 0;
}

static int init_args(planner *q) {
  ga__plan *p = q->p;

  p->args = ga__calloc(p->n, sizeof *p->args);
  if (p->args == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < p->n; k++) {
    p->args[k].bytes = ga__dtype_size(q->args[k].typecode);
    if (q->args[k].flags & GE_SCALAR)
      p->args[k].access = GA_AT_VALUE;
    else
      GA_TRY(check_strides(q, k));
  }
  return GA_NO_ERROR;
}

/* How lanes find array k in a row of the inner dimension. */
static ga__access row_access(const planner *q, unsigned int k) {
  ptrdiff_t s = stride_of(q, k, 0);

  if (q->args[k].flags & GE_SCALAR)
    return GA_AT_VALUE;
  if (is_read_only(&q->args[k]) && ga__iter_is_fixed(q->it, k))
    return GA_AT_FIXED;
  if (is_read_only(&q->args[k]) && s == 0)
    return GA_AT_ROW;
  return s == 1 ? GA_AT_NEXT : GA_AT_APART;
}

/* Whether vectors of random numbers begin where those of words do. */
static int is_aligned_random(const planner *q, unsigned int k, int flat) {
  const size_t bytes = q->p->args[k].bytes, block = bytes == 8 ? 2 : 4;
  const ptrdiff_t unit = (ptrdiff_t)(at_most(q->p->lanes, block) * bytes);

  if (q->it->first[k] % unit != 0)
    return 0;
  for (unsigned int d = 1; !flat && d < q->it->nd; d++) {
    if (q->it->strides[k][d] % unit != 0)
      return 0;
  }
  return 1;
}

/* Whether array k's vectors of `lanes` along dimension `along` can be loaded
 * as such. With `flat` only the start counts. */
static int is_aligned(const planner *q, unsigned int k, unsigned int lanes,
                      unsigned int along, int flat) {
  size_t bytes = q->p->args[k].bytes * lanes;

  if (bytes > VECTOR_BYTES || q->offsets[k] % bytes != 0 ||
      q->it->first[k] % (ptrdiff_t)bytes != 0)
    return 0;
  for (unsigned int d = 0; !flat && d < q->it->nd; d++) {
    if (d != along && q->it->strides[k][d] % (ptrdiff_t)bytes != 0)
      return 0;
  }
  return 1;
}

/* Whether indices of 32 bits reach everything, with room for the last group to
 * run past the end. */
static int fits_int(const planner *q) {
  if (ga__iter_total(q->it) > INT32_MAX - 65536)
    return 0;
  for (unsigned int k = 0; k < q->p->n; k++) {
    if ((q->args[k].flags & GE_SCALAR) == 0 &&
        ga__iter_reach(q->it, k) / q->p->args[k].bytes > INT32_MAX - 65536)
      return 0;
  }
  return 1;
}

/* --- lanes --- */

static size_t widest_stored(const planner *q) {
  size_t widest = 1;

  for (unsigned int k = 0; k < q->p->n; k++) {
    if ((q->args[k].flags & GE_SCALAR) == 0 && q->p->args[k].bytes > widest)
      widest = q->p->args[k].bytes;
  }
  return widest;
}

static int has_complex(const planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__dtype_kind(q->args[k].typecode) == GA_KIND_COMPLEX)
      return 1;
  }
  return 0;
}

static int has_half(const planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (q->args[k].typecode == GA_HALF)
      return 1;
  }
  return 0;
}

static int has_random(const planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__is_random(&q->args[k]))
      return 1;
  }
  return 0;
}

/* Scalar text is copied once per lane, hence the limit. On a CPU the compiler
 * makes vectors of loops better than of copies, but not of conversions between
 * halfs and floats, nor of random numbers. */
static unsigned int best_lanes(const planner *q) {
  if (q->t->is_cpu && q->e->is_vector)
    return (unsigned int)between(2, 4 * q->t->lanes / q->e->widest, 16);
  if (q->t->is_cpu)
    return (has_half(q) || has_random(q)) && !has_complex(q) ? HALF_LANES : 1;
  if (has_complex(q))
    return 1;
  return (unsigned int)at_most(VECTOR_BYTES / widest_stored(q),
                               q->e->is_vector ? 16 : 8);
}

/* On a GPU all written arrays must take aligned vectors, else items that do
 * one element each are better. */
static void settle_lanes(planner *q, int flat) {
  ga__plan *p = q->p;

  for (unsigned int k = 0; !p->is_cpu && k < p->n; k++) {
    if (p->args[k].access != GA_AT_NEXT || ga__is_random(&q->args[k]))
      continue;
    p->args[k].is_aligned = is_aligned(q, k, p->lanes, 0, flat);
    if (!p->args[k].is_aligned && !is_read_only(&q->args[k]))
      p->lanes = 1;
  }
  for (unsigned int k = 0; !p->is_cpu && k < p->n; k++) {
    if (p->args[k].access == GA_AT_PACK)
      p->args[k].is_aligned = is_aligned(q, k, p->lanes, 1, 0);
  }
  for (unsigned int k = 0; p->lanes == 1 && k < p->n; k++)
    p->args[k].is_aligned = 0;
  for (unsigned int k = 0; k < p->n; k++) {
    if (p->args[k].access == GA_AT_NEXT && ga__is_random(&q->args[k]))
      p->args[k].is_aligned = is_aligned_random(q, k, flat);
  }
}

/* Large results gain by not being read into the caches first, as long as the
 * next kernel would not find them there. */
static void settle_streams(planner *q) {
  ga__plan *p = q->p;
  size_t min = p->kernel == GA_EW_BLOCK ? STREAM_MIN_BLOCK : STREAM_MIN;

  for (unsigned int k = 0; p->is_cpu && k < p->n; k++) {
    ga__plan_arg *a = &p->args[k];

    a->is_stream = a->access == GA_AT_NEXT && !is_read_only(&q->args[k]) &&
                   (q->args[k].flags & GE_READ) == 0 &&
                   a->bytes * p->lanes >= STREAM_VECTOR &&
                   a->bytes * ga__iter_total(q->it) >= min;
  }
}

/* --- packing --- */

static int wants_pack(const planner *q, unsigned int k, unsigned int d) {
  ptrdiff_t s = stride_of(q, k, 0);

  if ((q->args[k].flags & GE_SCALAR) || !is_read_only(&q->args[k]) ||
      ga__dtype_kind(q->args[k].typecode) == GA_KIND_COMPLEX ||
      ga__is_random(&q->args[k]))
    return 0;
  return s != 0 && s != 1 && stride_of(q, k, d) == 1;
}

/* The dimension along which the arrays that are not contiguous in the inner
 * one mostly are; 0 if there is none. */
static unsigned int pack_dim(const planner *q) {
  size_t best_bytes = 0;
  unsigned int best = 0;
  size_t min = q->t->is_cpu ? PACK_MIN : 2;

  if (q->it->nd < 2 || q->it->dims[0] < min || q->t->local_bytes == 0)
    return 0;
  for (unsigned int d = 1; d < q->it->nd; d++) {
    size_t bytes = 0;

    for (unsigned int k = 0; k < q->p->n; k++) {
      if (wants_pack(q, k, d))
        bytes += q->p->args[k].bytes;
    }
    if (bytes > best_bytes && q->it->dims[d] >= min) {
      best_bytes = bytes;
      best = d;
    }
  }
  return best;
}

/* Mark arrays for packing while `per_byte` bytes of local memory for each byte
 * of an element fit into `room`. Returns the bytes per element of all. */
static size_t take_packs(planner *q, size_t per_byte, size_t room) {
  size_t bytes = 0;

  for (unsigned int k = 0; k < q->p->n; k++) {
    if (!wants_pack(q, k, 1) || per_byte * (bytes + q->p->args[k].bytes) > room)
      continue;
    q->p->args[k].access = GA_AT_PACK;
    bytes += q->p->args[k].bytes;
  }
  return bytes;
}

/* --- the four kernels --- */

static size_t cpu_chunk(const planner *q) {
  size_t total = ga__iter_total(q->it);

  return between(CHUNK_MIN,
                 ceil_div(total, (size_t)q->t->units * CHUNKS_PER_UNIT),
                 CHUNK_MAX);
}

static void set_items(planner *q, size_t items) {
  q->p->ls = q->t->is_cpu ? 1 : at_most(GROUP, q->t->group);
  q->p->gs = round_up(items, q->p->ls);
}

static int plan_flat(planner *q) {
  ga__plan *p = q->p;
  size_t total = ga__iter_total(q->it);
  size_t chunk = p->lanes;

  p->kernel = GA_EW_FLAT;
  p->is_wide = (p->is_cpu && !p->has_digits) || !fits_int(q);
  GA_TRY(add_size(p, "ga_n", total));
  if (p->is_cpu) {
    chunk = round_up(cpu_chunk(q), CHUNK_ALIGN);
    GA_TRY(add_size(p, "ga_chunk", chunk));
  }
  for (unsigned int d = 0; p->has_digits && d < p->nd; d++)
    GA_TRY(add_dim(q, d));
  set_items(q, ceil_div(total, chunk));
  return add_strides(q, 1);
}

/* One dimension, or several that every array crosses without a gap or not at
 * all. */
static int plan_line(planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++)
    q->p->args[k].access = row_access(q, k);
  settle_lanes(q, 1);
  return plan_flat(q);
}

static int plan_digits(planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    ga__access at = row_access(q, k);

    if (at != GA_AT_VALUE && at != GA_AT_FIXED)
      at = ga__iter_is_flat(q->it, k, q->p->args[k].bytes) ? GA_AT_NEXT
                                                           : GA_AT_ANY;
    q->p->args[k].access = at;
  }
  q->p->has_digits = 1;
  settle_lanes(q, 1);
  return plan_flat(q);
}

static int plan_rows(planner *q) {
  ga__plan *p = q->p;
  size_t n0 = q->it->dims[0], rows = ga__iter_total(q->it) / n0;
  size_t len = p->lanes, per_item = 1;

  p->kernel = GA_EW_ROWS;
  p->is_wide = p->is_cpu || !fits_int(q);
  if (p->is_cpu) {
    size_t chunk = cpu_chunk(q);

    len = n0 < 2 * chunk ? n0 : round_up(chunk, CHUNK_ALIGN);
    per_item = len == n0 ? ceil_div(chunk, n0) : 1;
  }
  GA_TRY(add_dim(q, 0));
  GA_TRY(add_size(p, "ga_m", rows));
  GA_TRY(add_size(p, "ga_segs", ceil_div(n0, len)));
  if (p->is_cpu) {
    GA_TRY(add_size(p, "ga_len", len));
    GA_TRY(add_size(p, "ga_rows", per_item));
  }
  for (unsigned int d = 1; d + 1 < p->nd; d++)
    GA_TRY(add_dim(q, d));
  set_items(q, ceil_div(n0, len) * ceil_div(rows, per_item));
  return add_strides(q, 1);
}

/* Sizes that BLOCK and TILE have in common, for parts of `i` rows and `j`
 * columns. */
static int add_tiles(planner *q, size_t i, size_t j, size_t *tiles) {
  ga__plan *p = q->p;
  size_t segs = ceil_div(q->it->dims[0], j);
  size_t blocks = ceil_div(q->it->dims[1], i);
  size_t outer = ga__iter_total(q->it) / (q->it->dims[0] * q->it->dims[1]);

  *tiles = segs * blocks * outer;
  GA_TRY(add_dim(q, 0));
  GA_TRY(add_dim(q, 1));
  GA_TRY(add_size(p, "ga_segs", segs));
  GA_TRY(add_size(p, "ga_blocks", blocks));
  for (unsigned int d = 2; d + 1 < p->nd; d++)
    GA_TRY(add_dim(q, d));
  return add_strides(q, 1);
}

static size_t blocks_of(const planner *q, size_t bi, size_t bj) {
  size_t outer = ga__iter_total(q->it) / (q->it->dims[0] * q->it->dims[1]);

  return ceil_div(q->it->dims[0], bj) * ceil_div(q->it->dims[1], bi) * outer;
}

/* Long rows in a block please the prefetcher, so columns are kept longest. */
static int plan_block(planner *q) {
  ga__plan *p = q->p;
  size_t room = q->t->local_bytes / 4, tiles, bytes;
  size_t want = (size_t)q->t->units * BLOCKS_PER_UNIT;
  unsigned int side = BLOCK_SIDE;
  size_t bi, bj;

  p->kernel = GA_EW_BLOCK;
  p->is_wide = 1;
  bytes = take_packs(q, (size_t)PACK_MIN * (PACK_MIN + PACK_PAD), room);
  while (side > PACK_MIN && bytes * side * (side + PACK_PAD) > room)
    side /= 2;
  p->block = side * (side + PACK_PAD);
  for (bi = side; bi > BLOCK_MIN && blocks_of(q, bi, side) < want;)
    bi /= 2;
  for (bj = side; bj > BLOCK_MIN && blocks_of(q, bi, bj) < want;)
    bj /= 2;
  settle_lanes(q, 0);
  GA_TRY(add_size(p, "ga_rows", bi));
  GA_TRY(add_size(p, "ga_len", bj));
  GA_TRY(add_size(p, "ga_pitch", bj + PACK_PAD));
  GA_TRY(add_tiles(q, bi, bj, &tiles));
  set_items(q, tiles);
  return GA_NO_ERROR;
}

/* Square tiles, or if a side is short, long ones; no side is below the lanes.
 */
static void shape_tile(planner *q) {
  ga__plan *p = q->p;
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

/* Local memory per byte of an element. */
static size_t tile_room(const ga__plan *p) {
  return (size_t)p->tile_j * (p->tile_i + 1);
}

static int plan_tile(planner *q) {
  ga__plan *p = q->p;
  size_t room = q->t->local_bytes, bytes, tiles;

  p->kernel = GA_EW_TILE;
  p->is_wide = !fits_int(q);
  bytes = take_packs(q, (size_t)TILE_SIDE_MIN * (TILE_SIDE_MIN + 1), room);
  settle_lanes(q, 0);
  shape_tile(q);
  while (tile_room(p) * bytes > room && p->tile_i > p->lanes)
    p->tile_i /= 2;
  while (tile_room(p) * bytes > room && p->tile_j > p->lanes)
    p->tile_j /= 2;
  /* Powers of 2, so that the items share the vectors of a tile evenly. */
  p->group = pow2_ceil(p->tile_i * p->tile_j / p->lanes, GROUP);
  while (p->group > q->t->group)
    p->group /= 2;
  GA_TRY(add_tiles(q, p->tile_i, p->tile_j, &tiles));
  p->ls = p->group;
  p->gs = tiles * p->group;
  return GA_NO_ERROR;
}

/* --- the choice --- */

static int outputs_are_flat(const planner *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (!is_read_only(&q->args[k]) &&
        !ga__iter_is_flat(q->it, k, q->p->args[k].bytes))
      return 0;
  }
  return 1;
}

/* Rows too short for vectors, or vectors that do not end with them. */
static int rows_waste_lanes(const planner *q) {
  size_t n0 = q->it->dims[0];

  if (q->p->lanes == 1)
    return 0;
  return q->p->is_cpu ? n0 / 4 < q->p->lanes : n0 % q->p->lanes != 0;
}

static int choose(planner *q) {
  ga__plan *p = q->p;
  unsigned int d = pack_dim(q);

  if (p->nd == 1)
    return plan_line(q);
  if (d == 0 && rows_waste_lanes(q) && outputs_are_flat(q))
    return plan_digits(q);
  if (d != 0)
    ga__iter_raise(q->it, d);
  for (unsigned int k = 0; k < p->n; k++)
    p->args[k].access = row_access(q, k);
  if (d != 0)
    return p->is_cpu ? plan_block(q) : plan_tile(q);
  settle_lanes(q, 0);
  return plan_rows(q);
}

/* Kernel arguments beyond the device's room become text. */
static void settle_sizes(planner *q) {
  ga__plan *p = q->p;
  size_t bytes = p->sizes.n * (p->is_wide ? 8 : 4);

  for (unsigned int k = 0; k < p->n; k++)
    bytes += p->args[k].access == GA_AT_VALUE ? 16 : sizeof(void *) + 8;
  p->is_baked = bytes > q->t->param_bytes;
}

static unsigned int lead_of(unsigned int n, const gpuelemwise_arg *args) {
  for (unsigned int k = 0; k < n; k++) {
    if (args[k].flags & GE_WRITE)
      return k;
  }
  return 0;
}

int ga__plan_make(ga__plan *p, ga__iter *it, const gpuelemwise_arg *args,
                  const size_t *offsets, const ga__expr *e, const ga__target *t,
                  int merge) {
  planner q = {p, it, args, offsets, e, t};

  memset(p, 0, sizeof *p);
  p->n = it->n;
  p->is_cpu = t->is_cpu;
  GA_TRY(init_args(&q));
  ga__iter_order(it, lead_of(it->n, args));
  if (merge)
    ga__iter_merge(it);
  if (it->nd == 0) { /* one element, as the first of a row */
    it->dims[it->nd++] = 1;
    for (unsigned int k = 0; k < it->n; k++)
      it->strides[k][0] = (ptrdiff_t)p->args[k].bytes;
  }
  p->nd = it->nd;
  p->lanes = best_lanes(&q);
  GA_TRY(choose(&q));
  GA_TRY(add_firsts(&q));
  settle_streams(&q);
  settle_sizes(&q);
  return GA_NO_ERROR;
}

void ga__plan_clear(ga__plan *p) {
  ga__free(p->args);
  ga__vec_clear(&p->sizes);
  memset(p, 0, sizeof *p);
}
