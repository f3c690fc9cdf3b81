/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/sort_tiles.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"

/* A group has as many work-items as a digit of passes has values. For short
 * rows, which would leave most of them idle, groups are smaller. */
#define DIGIT_BITS 8
#define GROUP 256
#define SMALL_GROUP 64
#define GROUPS_PER_UNIT 8 /* that are there at the same time */
#define MOST_TILES 256    /* of a part: the iterations of a loop */

/* Arguments of the kernels. */
enum { AT_NONE = 1, AT_LONG = 2, POS_LONG = 4 };

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
  const size_t each = items * (j->word + 8) + 16 * 2 + 8 + 8;

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
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t full = (size_t)caps->compute_units * GROUPS_PER_UNIT;
  ga__gen_sort *g = &j->gen;

  g->has_warps = has_warps(caps);
  g->wide_positions = in.at != NULL || !ga__fits_int(j->n);
  g->items = items_of(j);
  g->group = group_of(j);
  g->digit_bits = DIGIT_BITS;
  g->has_indices = j->array[GA_SORT_INDICES] != NULL;
  g->is_flat = 0;
  const size_t tile = (size_t)g->group * g->items;
  const size_t tiles = ga__ceil_div(j->n, tile);
  const size_t wanted = ga__at_least(ga__ceil_div(full, j->n_rows),
                                     ga__ceil_div(tiles, MOST_TILES));
  j->cut = ga__cut_parts(j->n, ga__at_most(wanted, tiles), tile, 2 * tile);
  j->gs = ga__times(ga__times(j->n_rows, j->cut.parts), g->group);
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
  ga__launch_uint(l, in.at == NULL ? AT_NONE : AT_LONG);
  ga__launch_uint(l, stores);
}

/* Workspaces: the counts and totals of digits. */
typedef struct works {
  unsigned int counts, totals;
} works;

static void add_counts(GpuLaunch *l, const ga__sort_job *j, works *w,
                       ga__sort_place *from, unsigned int shift) {
  const size_t digits = (size_t)1 << DIGIT_BITS;
  const size_t entry = j->gen.wide_index ? sizeof(uint64_t) : sizeof(uint32_t);

  ga__launch_rounds(l, j->cut.chunk / j->gen.group + 64);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_count", j->gs);
  ga__sort_operand(l, j, from);
  ga__sort_sizes(l, j);
  if (shift == 0)
    w->counts = ga__launch_work(l, ga__sort_count_bytes(j, digits));
  else
    ga__launch_work_arg(l, w->counts);
  ga__sort_parts(l, j, shift);
  ga__launch_rounds(l, 2 * j->cut.parts);
  ga__sort_kernel(l, j, "sort_tile", "sort_tile_scan",
                  ga__times(j->n_rows, digits));
  ga__launch_work_arg(l, w->counts);
  if (shift == 0)
    w->totals =
        ga__launch_work(l, ga__times(j->n_rows, ga__times(digits, entry)));
  else
    ga__launch_work_arg(l, w->totals);
  ga__launch_size(l, j->cut.parts);
}

static unsigned int kinds_of(ga__sort_input in, size_t pass,
                             const ga__sort_place *pos) {
  const unsigned int read = pass > 0 ? 0 : in.at == NULL ? AT_NONE : AT_LONG;

  return read | (pos->is_work ? 0 : POS_LONG);
}

static void add_passes(GpuLaunch *l, const ga__sort_job *j, ga__sort_input in) {
  const size_t n = j->word; /* digits are bytes */
  const size_t tiles =
      ga__ceil_div(j->cut.chunk, (size_t)j->gen.group * j->gen.items);
  works w = {0};
  ga__sort_turns t;

  ga__sort_begin(&t, j, in,
                 j->gen.wide_positions ? sizeof(uint64_t) : sizeof(uint32_t));
  for (size_t p = 0; p < n; p++) {
    const unsigned int shift = (unsigned int)p * DIGIT_BITS;

    ga__sort_turn(&t, j, p, n);
    add_counts(l, j, &w, t.from, shift);
    ga__launch_rounds(l, 128 * tiles + 256);
    ga__sort_kernel(l, j, "sort_tile", "sort_tile_move", j->gs);
    ga__sort_moved(l, j, &t);
    ga__launch_work_arg(l, w.counts);
    ga__sort_parts(l, j, shift);
    ga__launch_work_arg(l, w.totals);
    ga__launch_uint(l, kinds_of(in, p, t.to_at));
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
