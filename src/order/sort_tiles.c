/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/sort_tiles.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"

/* A group has as many work-items as a digit of passes has values. For short
 * rows, which would leave most of them idle, groups are smaller. */
#define DIGIT_BITS 8
#define DIGITS ((size_t)1 << DIGIT_BITS)
#define GROUP 256
#define SMALL_GROUP 64

/* Parts of which one group adds up the counts; more are shared by groups. */
#define SCAN_PARTS 32
#define SCAN_BLOCKS 16

/* Elements of a work-item where parts of rows are sorted: more where there is
 * local memory for them. Whole rows are sorted faster by more groups. */
#define ITEMS 8
#define ITEMS_WIDE 4 /* of 8 bytes */
#define ITEMS_MOST 12

/* With the instructions of NVIDIA: the same, for elements with positions of up
 * to 8, up to 12 and more bytes together. */
#define WARP_LOCAL_BYTES 49152
#define WARP_ITEMS 16
#define WARP_ITEMS_WIDE 12
#define WARP_ITEMS_WIDEST 8

/* Elements and positions of a tile, counts of 16 digits in 16 bits, and sums
 * and starts of digits; some are apart for their banks. */
static size_t local_bytes(const ga__sort_job *j, size_t items) {
  const size_t each = items * (j->word + 8) + 16 * sizeof(uint16_t) + 8 + 8;

  return GROUP * (each + each / 16);
}

static int has_warps(const gpudevice_caps *caps) {
  return caps->ptx && caps->local_bytes >= WARP_LOCAL_BYTES;
}

static unsigned int warp_items(const ga__sort_job *j) {
  const size_t bytes =
      j->word + (j->gen.wide_positions ? sizeof(uint64_t) : sizeof(uint32_t));

  return bytes <= 8    ? WARP_ITEMS
         : bytes <= 12 ? WARP_ITEMS_WIDE
                       : WARP_ITEMS_WIDEST;
}

static unsigned int items_of(const ga__sort_job *j) {
  if (j->gen.has_warps)
    return warp_items(j);
  if (j->word > 4)
    return ITEMS_WIDE;
  return j->n > (size_t)GROUP * ITEMS && gpucontext_caps(j->ctx)->local_bytes >=
                                             local_bytes(j, ITEMS_MOST)
             ? ITEMS_MOST
             : ITEMS;
}

/* With warps there is a size in between. */
static unsigned int group_of(const ga__sort_job *j) {
  const size_t step = j->gen.has_warps ? 2 : GROUP / SMALL_GROUP;
  size_t group = SMALL_GROUP;

  while (group < GROUP && j->n > group * j->gen.items)
    group *= step;
  return (unsigned int)group;
}

int ga__sort_tiles_fit(const ga__sort_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  return !caps->is_cpu && ga__group_size(caps, GROUP) == GROUP &&
         caps->local_bytes >= local_bytes(j, j->word > 4 ? ITEMS_WIDE : ITEMS);
}

static int cut(ga__sort_job *j, ga__sort_input in) {
  ga__gen_sort *g = &j->gen;

  g->has_warps = has_warps(gpucontext_caps(j->ctx));
  g->wide_positions = in.at != NULL || !ga__fits_int(j->n);
  g->items = items_of(j);
  g->group = group_of(j);
  g->digit_bits = DIGIT_BITS;
  g->has_indices = j->array[GA_SORT_INDICES] != NULL;
  g->is_flat = ga__sort_is_flat(j, in);
  ga__sort_cut_tiles(j);
  return ga__sort_write_macros(j);
}

/* Whole rows, each a tile. */
static void add_rows(GpuLaunch *l, const ga__sort_job *j, ga__sort_input in) {
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  ga__sort_place none = ga__sort_any_place();
  const unsigned int stores = ga__sort_stores(j);

  ga__launch_rounds(l, 16 * j->word * j->gen.items);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_row", j->gs);
  ga__sort_operand(l, j, in.source);
  ga__sort_operand(l, j, in.at != NULL ? in.at : &none);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_VALUES ? &values : &none);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_POSITIONS ? &indices : &none);
  ga__sort_sizes(l, j);
  ga__launch_size(l, j->n);
  ga__launch_uint(l, j->how);
  ga__launch_uint(l, in.at != NULL);
  ga__launch_uint(l, stores);
}

/* Workspaces: the counts and totals of digits, what varies in rows and their
 * parts, and what passes write that are not the last: in turn to two halves. */
typedef struct works {
  unsigned int counts, totals, varies, words, positions;
} works;

/* The first pass makes the workspace. */
static void add_work(GpuLaunch *l, unsigned int *work, size_t bytes,
                     int is_first) {
  if (bytes == 0)
    ga__launch_none(l);
  else if (is_first)
    *work = ga__launch_work(l, bytes);
  else
    ga__launch_work_arg(l, *work);
}

/* The bytes of halves of elements of `bytes` bytes. */
static size_t half_bytes(const ga__sort_job *j, size_t bytes) {
  const size_t halves = ga__at_most(j->word - 1, 2);

  return ga__times(ga__times(halves, bytes), ga__times(j->n_rows, j->n));
}

static void add_words(GpuLaunch *l, const ga__sort_job *j, works *w,
                      int is_first) {
  add_work(l, &w->words, half_bytes(j, j->word), is_first);
  add_work(l, &w->varies,
           ga__times(ga__times(j->n_rows, j->cut.parts + 1), j->word),
           is_first);
}

static void add_counts(GpuLaunch *l, const ga__sort_job *j, works *w,
                       ga__sort_place *source, unsigned int shift) {
  const int is_first = shift == 0;

  ga__launch_rounds(l, j->cut.chunk / j->gen.group + 64);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_count", j->gs);
  ga__sort_operand(l, j, source);
  ga__sort_sizes(l, j);
  add_work(l, &w->counts, ga__sort_count_bytes(j, DIGITS), is_first);
  ga__sort_parts(l, j, shift);
  add_words(l, j, w, is_first);
}

static void add_scan(GpuLaunch *l, const ga__sort_job *j, works *w,
                     unsigned int shift) {
  const size_t entry = j->gen.wide_index ? sizeof(uint64_t) : sizeof(uint32_t);
  const unsigned int blocks = j->cut.parts > SCAN_PARTS ? SCAN_BLOCKS : 1;

  ga__launch_rounds(l, 3 * j->cut.parts);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_scan",
                  ga__times(j->n_rows, (size_t)blocks * DIGITS));
  ga__launch_work_arg(l, w->counts);
  add_work(l, &w->totals, ga__times(j->n_rows, DIGITS * entry), shift == 0);
  ga__launch_size(l, j->cut.parts);
  ga__launch_uint(l, shift);
  ga__launch_uint(l, blocks);
  ga__launch_work_arg(l, w->varies);
}

static void add_move(GpuLaunch *l, const ga__sort_job *j, works *w,
                     ga__sort_input in, unsigned int shift) {
  const size_t tiles =
      ga__ceil_div(j->cut.chunk, (size_t)j->gen.group * j->gen.items);
  const size_t position =
      j->gen.wide_positions ? sizeof(uint64_t) : sizeof(uint32_t);
  ga__sort_place values = {.index = GA_SORT_VALUES},
                 none = ga__sort_any_place();
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  const unsigned int stores = ga__sort_stores(j);

  ga__launch_rounds(l, 128 * tiles + 256);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_move", j->gs);
  ga__sort_operand(l, j, in.source);
  ga__sort_operand(l, j, in.at != NULL ? in.at : &none);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_VALUES ? &values : &none);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_POSITIONS ? &indices : &none);
  ga__sort_sizes(l, j);
  ga__launch_work_arg(l, w->counts);
  ga__sort_parts(l, j, shift);
  add_words(l, j, w, 0);
  ga__launch_work_arg(l, w->totals);
  add_work(l, &w->positions, j->gen.has_indices ? half_bytes(j, position) : 0,
           shift == 0);
  ga__launch_uint(l, in.at != NULL);
  ga__launch_uint(l, stores);
}

/* Digits are bytes. */
static void add_passes(GpuLaunch *l, const ga__sort_job *j, ga__sort_input in) {
  works w = {0};

  GA_ASSERT(in.at == NULL || in.at->is_work); /* positions without strides */
  for (unsigned int p = 0; p < j->word; p++) {
    add_counts(l, j, &w, in.source, p * DIGIT_BITS);
    add_scan(l, j, &w, p * DIGIT_BITS);
    add_move(l, j, &w, in, p * DIGIT_BITS);
  }
}

int ga__sort_tiles_add(GpuLaunch *l, ga__sort_job *j, ga__sort_input in) {
  GA_TRY(cut(j, in));
  if (j->n <= (size_t)j->gen.group * j->gen.items)
    add_rows(l, j, in);
  else
    add_passes(l, j, in);
  return GA_NO_ERROR;
}
