/* SPDX-License-Identifier: BSD-2-Clause */
/* The sizes of groups, the width of indices, and how a space is cut into
 * chunks: the rules that the layouts of all families share. */
#ifndef LAYOUT_CUT_H
#define LAYOUT_CUT_H

#include <gpuarray/device.h>
#include <stddef.h>

/* The largest power of two that the device allows as group size, at most
 * `most`. */
size_t ga__group_size(const gpudevice_caps *caps, size_t most);

/* Whether 32-bit indices suffice for `n` elements and for those that the last
 * group or chunk may process past the end. */
int ga__fits_int(size_t n);

/* `parts` chunks of `chunk` elements each. The last one may be shorter. */
typedef struct ga__cut {
  size_t parts, chunk;
} ga__cut;

/* Cut `n` elements into about `wanted` chunks, whose sizes are multiples of
 * `unit`; into one chunk if `n` is below `least` or `wanted` below 2. */
ga__cut ga__cut_parts(size_t n, size_t wanted, size_t unit, size_t least);

/* The elements of a work-item when `items` work-items share `total` elements,
 * from `least` to `most`: enough to be worth starting it, few enough for
 * balance. */
size_t ga__cut_even(size_t total, size_t items, size_t least, size_t most);

/* What a work-item of about `chunk` elements computes of rows of `len`
 * elements: several whole rows, or one segment of a row. */
typedef struct ga__row_cut {
  size_t rows, segment;
} ga__row_cut;

ga__row_cut ga__cut_rows(size_t len, size_t chunk);

/* How many units of `elements` elements a work-item of about `chunk` elements
 * computes in turn: at least 1, at most `most`. */
size_t ga__cut_units(size_t elements, size_t chunk, size_t most);

/* Up to this many successive additions need no correction of rounding
 * errors. */
#define GA_PLAIN_ADDITIONS 64

#endif
