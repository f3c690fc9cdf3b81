/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of kernels that gather rows. */
#ifndef LAYOUT_TAKE_LAYOUT_H
#define LAYOUT_TAKE_LAYOUT_H

#include "layout/elemwise.h"

typedef struct ga__take_layout {
  size_t word;         /* bytes moved at once */
  int index_type;      /* dtype of the indices */
  int is_cpu, is_wide; /* work-items loop; indices need 64 bits */
  unsigned int nd;     /* dimensions of a row of the values; 0: contiguous */
  size_t n, len, segs, part, rows; /* see take.cl; lengths in words */
  size_t gs, ls;
} ga__take_layout;

/* Choose the layout for `n` rows. `row` is the space of one row, with the
 * result as array 0 and the values as array 1, in order. `bytes` is the element
 * size; offsets and strides of rows are multiples of `places` bytes. Set
 * index_type separately. */
void ga__take_layout_make(ga__take_layout *p, const ga__iter *row, size_t n,
                          size_t bytes, size_t places, const ga__target *t);

#endif
