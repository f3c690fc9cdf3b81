/* SPDX-License-Identifier: BSD-2-Clause */
/* How rows that are gathered are laid over a device. */
#ifndef LAYOUT_TAKE_LAYOUT_H
#define LAYOUT_TAKE_LAYOUT_H

#include "layout/elemwise.h"

typedef struct ga__take_layout {
  size_t word;         /* bytes moved at once */
  int index_type;      /* dtype of the indices */
  int is_cpu, is_wide; /* work-items loop; indices need 64 bits */
  unsigned int nd;     /* dimensions of a row of the values; 0: no gaps */
  size_t n, len, segs, part, rows; /* see take.cl; lengths in words */
  size_t gs, ls;
} ga__take_layout;

/* Lay out `n` rows. `row` is the space of one row, with array 0 the result and
 * array 1 the values, in order; `bytes` is the size of an element, `places`
 * what offsets and the distances of rows are multiples of, in bytes. Set
 * index_type first. */
void ga__take_layout_make(ga__take_layout *p, const ga__iter *row, size_t n,
                          size_t bytes, size_t places, const ga__target *t);

#endif
