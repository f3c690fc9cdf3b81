/* SPDX-License-Identifier: BSD-2-Clause */
/* How rows are gathered, and the text for it: the macros in front of
 * cl/take.cl and cl/take_cpu.cl or cl/take_gpu.cl. */
#ifndef CODEGEN_GEN_TAKE_H
#define CODEGEN_GEN_TAKE_H

#include "base/strb.h"
#include "layout/elemwise_plan.h"

typedef struct ga__take_plan {
  size_t word;         /* bytes moved at once */
  int index_type;      /* dtype of the indices */
  int is_cpu, is_wide; /* work-items loop; indices need 64 bits */
  unsigned int nd;     /* dimensions of a row of the values; 0: no gaps */
  size_t n, len, segs, part, rows; /* see take.cl; lengths in words */
  size_t gs, ls;
} ga__take_plan;

/* Lay out `n` rows. `row` is the space of one row, with array 0 the result and
 * array 1 the values, in order; `bytes` is the size of an element, `places`
 * what offsets and the distances of rows are multiples of, in bytes. Set
 * index_type first. */
void ga__take_plan_make(ga__take_plan *p, const ga__iter *row, size_t n,
                        size_t bytes, size_t places, const ga__target *t);

/* Append the macros. The kernel's arguments are those in take.cl: buffers with
 * their offsets, sizes (long if is_wide, else int), ga_vn as ulong and ga_vs
 * as long, then the sizes and strides of nd dimensions, as long, the strides
 * in words. */
void ga__gen_take(ga__strb *b, const ga__take_plan *p);

#endif
