/* SPDX-License-Identifier: BSD-2-Clause */
/* How an elementwise kernel accesses its arguments: the part of its layout
 * (elemwise_layout.h) that depends on arrays, not on work-items. */
#ifndef LAYOUT_ELEMWISE_ACCESS_H
#define LAYOUT_ELEMWISE_ACCESS_H

#include "layout/elemwise.h"

#define GA_PACK_MIN 8 /* sizes below this are not worth packing on a CPU */

/* A layout while it is made, and what it is made from; all borrowed. */
typedef struct ga__draft {
  ga__elemwise_layout *p;
  ga__iter *it;
  const gpuelemwise_arg *args;
  const size_t *offsets;
  const ga__expr *e;
  const ga__target *t;
} ga__draft;

/* The stride of array k along dimension d, in elements. */
static inline ptrdiff_t ga__draft_stride(const ga__draft *q, unsigned int k,
                                         unsigned int d) {
  return q->it->strides[k][d] / (ptrdiff_t)q->p->args[k].bytes;
}

static inline int ga__arg_is_read_only(const gpuelemwise_arg *a) {
  return (a->flags & GE_WRITE) == 0;
}

/* Make the layout's list of arguments; GA_UNALIGNED_ERROR for a stride that is
 * not a multiple of the element size. */
int ga__access_init(ga__draft *q);

/* Whether 32-bit indices suffice for the space and all arrays, even if the last
 * group runs past the end. */
int ga__access_fits_int(const ga__draft *q);

/* How lanes along a row of the inner dimension access array k. */
ga__access ga__access_in_row(const ga__draft *q, unsigned int k);

/* The best number of lanes for the expression and its dtypes. */
unsigned int ga__access_best_lanes(const ga__draft *q);
/* Settle the lanes and which arguments are aligned vectors. On a GPU there is
 * one lane if a result with neighbouring lanes cannot be stored as aligned
 * vectors. With `flat` only the start of an array counts. */
void ga__access_settle_lanes(ga__draft *q, int flat);
/* Choose the results whose stores bypass the caches. The kernel and the lanes
 * must be settled. */
void ga__access_settle_streams(ga__draft *q);

/* The dimension along which most inputs are contiguous that are not contiguous
 * along the inner one, weighted by element size; 0 if there is none. */
unsigned int ga__access_pack_dim(const ga__draft *q);
/* Mark arrays for packing as long as `per_byte` bytes of local memory for each
 * byte of an element fit into `room` bytes. Returns the sum of the element
 * sizes of marked arrays. */
size_t ga__access_take_packs(ga__draft *q, size_t per_byte, size_t room);

#endif
