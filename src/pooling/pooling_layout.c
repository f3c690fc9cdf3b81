/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernel of a launch of pooling or resizing, and cuts its work. */
#include "pooling/pooling_layout.h"

#include <gpuarray/device.h>
#include <limits.h>

#include "base/arith.h"
#include "layout/cut.h"
#include "pooling/pooling_block.h"

/* CPUs: the fewest elements of windows that are worth a work-item, and the
 * work-items per thread that balance the load. The fewest elements of a
 * strip. */
#define CPU_CHUNK 16384
#define CPU_ITEMS_PER_THREAD 8
#define STRIP_LEAST 8

/* Nonzero if neighbours of an operand, `by` bytes apart, are neighbours in
 * memory. What maps read besides may be the same for all of them. */
static int is_side_by_side(const ga__pooling *j, unsigned int k, ptrdiff_t by) {
  const ga__pool_operand *a = &j->operands[k];

  return a->array == NULL || by == (ptrdiff_t)ga__pooling_size(j, k) ||
         (by == 0 && ga__pooling_is_extra(j, k));
}

/* Nonzero if neighbours of the batch are neighbours in memory, in all arrays or
 * in the result alone. */
static int has_channels(const ga__pooling *j, int in_all) {
  if (j->batch.nd == 0 || j->batch.dims[0] < 2)
    return 0;
  for (unsigned int k = 0; k < j->n; k++)
    if ((in_all || k == ga__pooling_lead(j)) &&
        !is_side_by_side(j, k, j->batch.strides[k][0]))
      return 0;
  return 1;
}

static int has_rows(const ga__pooling *j) {
  for (unsigned int k = 0; k < j->n; k++)
    if (!is_side_by_side(j, k, j->operands[k].by[0]))
      return 0;
  return 1;
}

/* Positions in lanes have the width of values: 4 or 8 bytes. */
static int lanes_suit(const ga__pooling *j) {
  return (!j->gen.has_index && j->op != GA_POOLING_PICK) ||
         (ga__pooling_work_size(j) >= sizeof(int64_t)) ||
         (ga__pooling_work_size(j) == sizeof(int32_t) && !j->gen.wide_place);
}

static size_t widest(const ga__pooling *j, const gpudevice_caps *caps) {
  if (!lanes_suit(j) || !j->maps.is_vector)
    return 1;
  if (!caps->is_cpu)
    return GA_POOLING_VECTOR_BYTES / ga__dtype_size(j->x->typecode);
  const size_t bytes = ga__at_least(caps->vector_float * sizeof(float), 16);
  return ga__floor_pow2(ga__between(4, bytes / ga__pooling_work_size(j), 16));
}

/* Channels in vectors whose size divides their count. */
static void choose_channels(ga__pooling *j, const gpudevice_caps *caps) {
  size_t lanes = has_channels(j, 1) ? widest(j, caps) : 1;

  while (j->batch.dims[0] % lanes != 0)
    lanes /= 2;
  if (!caps->is_cpu) {
    while (lanes > 1 && !ga__pooling_is_aligned(j, lanes))
      lanes /= 2;
    j->gen.is_aligned = lanes > 1;
  }
  j->gen.lanes = (int)lanes;
  j->gen.channels_first = 1;
  j->gen.inner = caps->is_cpu ? GA_POOLING_CHANNELS : GA_POOLING_ONE;
}

void ga__pooling_strip(const GpuBand *b, size_t o, size_t end, int32_t *from,
                       int32_t *to) {
  *from = *to = 0;
  for (; o < end; o++) {
    if (b->count[o] == 0)
      continue;
    const int32_t last = b->first[o] + (b->count[o] - 1) * (int32_t)b->step + 1;
    if (*to == 0 || b->first[o] < *from)
      *from = b->first[o];
    *to = last > *to ? last : *to;
  }
}

static int strips_fit(const ga__pooling *j, size_t strip) {
  const GpuBand *b = ga__pooling_band(j, 0);
  const int32_t line =
      (int32_t)(GA_POOLING_LINE_BYTES / ga__pooling_work_size(j));

  for (size_t o = 0; o < b->n; o += strip) {
    int32_t from, to;
    ga__pooling_strip(b, o, ga__at_most(b->n, o + strip), &from, &to);
    if (to - from > line)
      return 0;
  }
  return 1;
}

/* Nonzero if no window is empty, and none begins or ends before the one before
 * it. */
static int is_rising(const GpuBand *b) {
  int32_t last = 0;

  for (size_t o = 0; o < b->n; o++) {
    if (b->count[o] == 0)
      return 0;
    const int32_t end = b->first[o] + (b->count[o] - 1) * (int32_t)b->step;
    if (end < last || (o > 0 && b->first[o] < b->first[o - 1]))
      return 0;
    last = end;
  }
  return 1;
}

/* Rows of a CPU, if their windows are short enough for a line. */
static int choose_row(ga__pooling *j, const gpudevice_caps *caps) {
  size_t strip = ga__at_most(j->sizes[0], GA_POOLING_STRIP);

  if (!caps->is_cpu || !has_rows(j) || widest(j, caps) == 1)
    return 0;
  while (strip >= STRIP_LEAST && !strips_fit(j, strip))
    strip /= 2;
  if (strip < STRIP_LEAST)
    return 0;
  j->strip = strip;
  j->strips = ga__ceil_div(j->sizes[0], strip);
  j->gen.is_row = 1;
  j->gen.lanes = (int)widest(j, caps);
  j->gen.is_rising = is_rising(ga__pooling_band(j, 0)) &&
                     ga__dtype_canon(ga__dtype_work(j->gen.dtype)) == GA_FLOAT;
  return 1;
}

static void choose_kernel(ga__pooling *j, const gpudevice_caps *caps) {
  j->gen.lanes = 1;
  if (has_channels(j, 0) && (has_channels(j, 1) || !has_rows(j)))
    choose_channels(j, caps);
  else if (!choose_row(j, caps))
    j->gen.inner = caps->is_cpu ? GA_POOLING_ROW : GA_POOLING_ONE;
  j->gen.has_rows = has_rows(j);
  j->gen.is_near = ga__pooling_band(j, 0)->step == 1;
}

static int is_full(const GpuBand *b) {
  for (size_t o = 0; o < b->n; o++)
    if ((size_t)b->count[o] != b->most)
      return 0;
  return 1;
}

static void choose_rounds(ga__pooling *j, const gpudevice_caps *caps) {
  for (int d = 0; d < j->gen.nw && !caps->is_cpu; d++) {
    const size_t most = ga__pooling_band(j, (unsigned int)d)->most;

    if (most > 0 && most <= GA_POOLING_MOST_ROUNDS) {
      j->gen.rounds[d] = (int)most;
      j->gen.is_full[d] = is_full(ga__pooling_band(j, (unsigned int)d));
    }
  }
}

/* Bytes between the first and the last element of an array along the axes with
 * windows, the most of any array. */
static size_t most_reach(const ga__pooling *j) {
  size_t most = 0;

  for (unsigned int k = 0; k < j->n; k++) {
    size_t bytes = 0;

    for (int d = 0; d < j->gen.nw; d++) {
      const size_t n = j->operands[k].at_result ? j->sizes[d] : j->m[d];
      const ptrdiff_t by = j->operands[k].by[d];

      bytes += n == 0 ? 0 : (n - 1) * (size_t)(by < 0 ? -by : by);
    }
    most = ga__at_least(most, bytes);
  }
  return most;
}

/* As many elements as the tables of windows and weights have, or more. */
static size_t table_size(const ga__pooling *j) {
  size_t most = 0;

  for (int d = 0; d < j->gen.nw; d++) {
    const size_t each = ga__pooling_band(j, (unsigned int)d)->most + 2;

    most = ga__at_least(most, ga__times(j->sizes[d], each));
  }
  return ga__times(most, GA_POOLING_ND);
}

/* Elements of the result that a unit computes. */
static size_t unit_size(const ga__pooling *j) {
  switch (j->gen.inner) {
  case GA_POOLING_CHANNELS:
    return j->batch.dims[0];
  case GA_POOLING_ROW:
    return j->sizes[0];
  default:
    return j->gen.is_row ? j->strip
                         : (size_t)j->gen.lanes * ga__pooling_block(j, 0) *
                               ga__pooling_block(j, 1);
  }
}

static size_t digit_size(const ga__pooling *j, int digit) {
  switch (digit) {
  case GA_DIGIT_VECTOR:
    return j->batch.dims[0] / (size_t)j->gen.lanes;
  case GA_DIGIT_STRIP:
    return j->strips;
  case GA_DIGIT_BLOCK0:
  case GA_DIGIT_BLOCK1:
    return ga__ceil_div(j->sizes[digit - GA_DIGIT_BLOCK0],
                        ga__pooling_block(j, digit - GA_DIGIT_BLOCK0));
  default:
    return digit >= GA_DIGIT_BATCH0 ? j->batch.dims[digit - GA_DIGIT_BATCH0]
                                    : j->sizes[digit - GA_DIGIT_AXIS0];
  }
}

static void count_units(ga__pooling *j) {
  int digits[GA_POOLING_DIGITS];

  j->n_digits = ga__gen_pooling_digits(&j->gen, digits);
  j->units = 1;
  for (int i = 0; i < j->n_digits; i++) {
    j->digit[i] = digit_size(j, digits[i]);
    j->units *= j->digit[i];
  }
}

void ga__pooling_lay_out(ga__pooling *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  size_t places = 1, window = 1;

  for (int d = 0; d < j->gen.nw; d++) {
    places =
        ga__times(places, j->op == GA_POOLING_PICK ? j->sizes[d] : j->m[d]);
    window = ga__times(window, ga__pooling_band(j, (unsigned int)d)->most);
  }
  j->gen.dtype = ga__dtype_canon(j->x->typecode);
  j->gen.op = (int)j->op;
  j->gen.has_value = j->n > j->n_in + 1;
  j->gen.has_index = j->op == GA_POOLING_MAX && j->index != NULL;
  j->gen.wide_place = places > INT_MAX;
  choose_kernel(j, caps);
  choose_rounds(j, caps);
  if (!caps->is_cpu)
    ga__pooling_choose_blocks(j, caps);
  ga__pooling_find_steps(j);
  count_units(j);
  j->gen.wide_index =
      !ga__fits_int(ga__times(j->units, unit_size(j))) || !ga__fits_int(places);
  /* GPUs compute offsets of 32 bits faster. */
  j->gen.wide_reach = caps->is_cpu || !ga__fits_int(most_reach(j)) ||
                      !ga__fits_int(table_size(j));
  j->per = 1;
  if (caps->is_cpu) {
    const size_t each =
        ga__at_least(ga__times(unit_size(j), ga__at_most(window, 64)) / 4, 1);
    const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
    j->per = ga__at_least(ga__ceil_div(j->units, items), CPU_CHUNK / each);
  }
  j->rounds = ga__times(j->per, ga__times(unit_size(j), window));
}
