/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses what a work-item of a GPU computes: blocks of rows and columns, where
 * windows repeat. */
#include "pooling/pooling_block.h"

#include "base/arith.h"

/* Rows, and most columns, of a block; the most elements, or vectors of
 * channels, that it reads; the most elements of the source from a block of
 * columns to the next, so that a group reads few lines of the cache at once;
 * and the work-items that keep a compute unit busy: where there are fewer,
 * blocks have fewer rows. */
#define BLOCK 4
#define BLOCK_READS 64
#define BLOCK_LEAD 4
#define GPU_ITEMS 512

/* Bytes from lane to lane: along the last axis, or along dimension 0 of the
 * batch. */
static ptrdiff_t lane_stride(const ga__pooling *j, unsigned int k, int is_row) {
  return is_row            ? j->operands[k].by[0]
         : j->batch.nd > 0 ? j->batch.strides[k][0]
                           : 0;
}

/* Nonzero if vectors of array k, along dimension 0 of the batch or along the
 * last axis, are aligned. */
static int is_aligned(const ga__pooling *j, unsigned int k, size_t lanes,
                      int is_row) {
  const ga__pool_operand *a = &j->operands[k];
  const size_t bytes = lanes * ga__pooling_size(j, k);

  if (a->array == NULL)
    return 1;
  if (lane_stride(j, k, is_row) == 0)
    return 1;
  if ((a->array->offset + (size_t)j->batch.first[k]) % bytes != 0)
    return 0;
  for (unsigned int d = !is_row; d < j->batch.nd; d++)
    if (j->batch.strides[k][d] % (ptrdiff_t)bytes != 0)
      return 0;
  for (int d = is_row; d < j->gen.nw; d++)
    if (a->by[d] % (ptrdiff_t)bytes != 0)
      return 0;
  return 1;
}

int ga__pooling_is_aligned(const ga__pooling *j, size_t lanes) {
  for (unsigned int k = 0; k < j->n; k++)
    if (!is_aligned(j, k, lanes, 0))
      return 0;
  return 1;
}

/* Nonzero if rows of results consist of aligned vectors. */
static int has_vectors(const ga__pooling *j, size_t lanes) {
  for (unsigned int k = 0; k < j->n; k++)
    if (j->operands[k].at_result && !is_aligned(j, k, lanes, 1))
      return 0;
  return j->sizes[0] % lanes == 0;
}

static int sources_align(const ga__pooling *j, size_t lanes) {
  for (unsigned int k = 0; k < j->n_in; k++)
    if (!is_aligned(j, k, lanes, 1))
      return 0;
  return 1;
}

/* The widest vectors of the source that all blocks have in the same places. */
static size_t find_wide(const ga__pooling *j) {
  size_t wide = ga__at_most(BLOCK_LEAD, GA_POOLING_VECTOR_BYTES /
                                            ga__dtype_size(j->x->typecode));

  if (j->op == GA_POOLING_PICK)
    return 1;
  while (wide > 1 && (j->gen.block[0].lead % (int)wide != 0 ||
                      j->m[0] % wide != 0 || !sources_align(j, wide)))
    wide /= 2;
  return wide;
}

/* Columns that are stored as vectors. */
static void choose_columns(ga__pooling *j) {
  const GpuBand *b = ga__pooling_band(j, 0);
  ga__pool_block *block = &j->gen.block[0];

  for (size_t size = BLOCK; size > 1; size /= 2)
    if (has_vectors(j, size) && ga__band_block(block, b, size) &&
        block->size == (int)size && block->lead <= BLOCK_LEAD) {
      j->gen.is_aligned = 1;
      j->gen.rounds[0] = (int)b->most;
      j->gen.wide = (int)find_wide(j);
      return;
    }
  *block = (ga__pool_block){0};
}

/* Rows: as many as keep the device busy, and as the registers have room for
 * what is read. */
static void choose_rows(ga__pooling *j, const gpudevice_caps *caps) {
  const GpuBand *b = ga__pooling_band(j, 1);
  const size_t busy = (size_t)caps->compute_units * GPU_ITEMS;
  const size_t lanes = (size_t)j->gen.lanes;
  const size_t items = ga__iter_total(&j->batch) / lanes * j->sizes[0] /
                       ga__pooling_block(j, 0) *
                       (j->gen.nw > 2 ? j->sizes[2] : 1);
  const size_t columns = ga__at_least(
      (size_t)j->gen.block[0].span, ga__at_least((size_t)j->gen.rounds[0], 1));
  ga__pool_block *block = &j->gen.block[1];
  size_t size = BLOCK;

  while (size > 1 && ga__times(items, ga__ceil_div(j->sizes[1], size)) < busy)
    size /= 2;
  for (; size > 1; size /= 2)
    if (ga__band_block(block, b, size) && block->size > 1 &&
        (size_t)block->span * columns * lanes <= BLOCK_READS) {
      j->gen.rounds[1] = (int)b->most;
      j->gen.is_whole = j->sizes[1] % (size_t)block->size == 0;
      return;
    }
  *block = (ga__pool_block){0};
}

void ga__pooling_choose_blocks(ga__pooling *j, const gpudevice_caps *caps) {
  if (j->gen.lanes == 1 && j->gen.has_rows && j->maps.is_vector)
    choose_columns(j);
  if (j->gen.nw > 1)
    choose_rows(j, caps);
}

size_t ga__pooling_aligned_lanes(const ga__pooling *j, unsigned int k) {
  if (!j->gen.is_aligned || j->maps.steps[k] == GA_LANES_SAME)
    return 1;
  if (j->gen.block[0].size == 0)
    return (size_t)j->gen.lanes;
  if (k < j->n_in)
    return (size_t)j->gen.wide;
  return j->operands[k].at_result ? (size_t)j->gen.block[0].size : 1;
}

void ga__pooling_find_steps(ga__pooling *j) {
  const int is_row = !j->gen.channels_first;

  for (unsigned int k = 0; k < j->n; k++) {
    j->maps.is_fixed[k] = j->operands[k].by[0] == 0;
    j->maps.steps[k] = lane_stride(j, k, is_row) == 0 ? GA_LANES_SAME
                       : j->gen.is_aligned            ? GA_LANES_ALIGNED
                                                      : GA_LANES_NEXT;
  }
}
