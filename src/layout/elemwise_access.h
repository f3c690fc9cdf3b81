/* SPDX-License-Identifier: BSD-2-Clause */
/* How an elementwise kernel reaches its arguments: the part of its layout
 * (elemwise_layout.h) that looks at arrays, not at work-items. */
#ifndef LAYOUT_ELEMWISE_ACCESS_H
#define LAYOUT_ELEMWISE_ACCESS_H

#include "layout/elemwise.h"

#define GA_PACK_MIN 8 /* on a CPU, shorter sides are not worth packing */

/* A layout in the making. */
typedef struct ga__draft {
  ga__elemwise_layout *p;
  ga__iter *it;
  const gpuelemwise_arg *args;
  const size_t *offsets;
  const ga__expr *e;
  const ga__target *t;
} ga__draft;

/* The stride of array k, in elements. */
static inline ptrdiff_t ga__draft_stride(const ga__draft *q, unsigned int k,
                                         unsigned int d) {
  return q->it->strides[k][d] / (ptrdiff_t)q->p->args[k].bytes;
}

static inline int ga__arg_is_read_only(const gpuelemwise_arg *a) {
  return (a->flags & GE_WRITE) == 0;
}

/* Make the layout's list of arguments; GA_UNALIGNED_ERROR for strides that are no
 * whole elements. */
int ga__access_init(ga__draft *q);

/* Whether indices of 32 bits reach everything, with room for the last group to
 * run past the end. */
int ga__access_fits_int(const ga__draft *q);

/* How lanes find array k in a row of the inner dimension. */
ga__access ga__access_in_row(const ga__draft *q, unsigned int k);

/* The number of lanes that the expression and its types ask for. */
unsigned int ga__access_best_lanes(const ga__draft *q);
/* On a GPU all written arrays must take aligned vectors, else items that do
 * one element each are better. With `flat` only the start of arrays counts. */
void ga__access_settle_lanes(ga__draft *q, int flat);
/* Choose what is stored around the caches; the kernel and lanes are settled. */
void ga__access_settle_streams(ga__draft *q);

/* The dimension along which the arrays that are not contiguous in the inner
 * one mostly are; 0 if there is none. */
unsigned int ga__access_pack_dim(const ga__draft *q);
/* Mark arrays for packing while `per_byte` bytes of local memory for each byte
 * of an element fit into `room`. Returns the bytes per element of all. */
size_t ga__access_take_packs(ga__draft *q, size_t per_byte, size_t room);

#endif
