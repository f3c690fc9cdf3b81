/* SPDX-License-Identifier: BSD-2-Clause */
/* How wide indices must be, and into which chunks a space is cut: the rules
 * that the layouts of all families share. */
#ifndef LAYOUT_CUT_H
#define LAYOUT_CUT_H

#include <stddef.h>

/* Whether indices of 32 bits count `n` elements, with room for the last group
 * or chunk to run past the end. */
int ga__fits_int(size_t n);

/* `parts` chunks of `chunk` elements each, the last one with what is left. */
typedef struct ga__cut {
  size_t parts, chunk;
} ga__cut;

/* Cut `n` elements into about `wanted` chunks of multiples of `unit`, or into
 * one where fewer than `least` elements or 2 chunks are wanted. */
ga__cut ga__cut_parts(size_t n, size_t wanted, size_t unit, size_t least);

/* The elements of a work-item where `items` of them share `total`: as many as
 * pay for its start, and few enough for balance. */
size_t ga__cut_even(size_t total, size_t items, size_t least, size_t most);

/* Work-items of about `chunk` elements on rows of `len`: several whole rows
 * each, or one segment of a row. */
typedef struct ga__row_cut {
  size_t rows, segment;
} ga__row_cut;

ga__row_cut ga__cut_rows(size_t len, size_t chunk);

/* How many units of `elements` each a work-item of about `chunk` elements takes
 * one after the other, at most `most`. */
size_t ga__cut_units(size_t elements, size_t chunk, size_t most);

/* Additions one after the other whose rounding errors need no correction. */
#define GA_PLAIN_ADDITIONS 64

#endif
