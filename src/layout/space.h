/* SPDX-License-Identifier: BSD-2-Clause */
/* Iteration spaces: the sizes that a kernel iterates over, and the strides of
 * each array in them. */
#ifndef LAYOUT_SPACE_H
#define LAYOUT_SPACE_H

#include <stddef.h>

#include "base/err.h"
#include "base/room.h"

#define GA_ITER_ND 64

/* Dimension 0 is the innermost one. The lists are in one block, and have room
 * for one dimension at least. So the structure must not move. */
typedef struct ga__iter {
  unsigned int nd, n;  /* dimensions, arrays */
  size_t *dims;        /* per dimension */
  ptrdiff_t **strides; /* bytes, per array and dimension; NULL: no block */
  ptrdiff_t *first;    /* bytes, per array, from its element 0 to the first
                          element that is visited */
  ga__room block;
} ga__iter;

_Static_assert(sizeof(ptrdiff_t *) == sizeof(ptrdiff_t) &&
                   sizeof(size_t) == sizeof(ptrdiff_t),
               "the lists of a ga__iter are in one block");

/* Initialise with sizes, outermost first, and strides of 0. Clear in any case,
 * also after a failure. */
int ga__iter_init(ga__iter *it, unsigned int nd, const size_t *dims,
                  unsigned int n);
void ga__iter_clear(ga__iter *it);

/* Set the strides of array k, outermost first, in bytes. Dimensions of size 1
 * get 0. */
void ga__iter_set(ga__iter *it, unsigned int k, const ptrdiff_t *strides);

/* Number of elements. The caller has checked that it fits. */
size_t ga__iter_total(const ga__iter *it);

/* Drop dimensions of size 1, and put the others in the order of memory of array
 * `lead`; other arrays decide where its strides do not. Reverse dimensions
 * where `lead` has negative strides. */
void ga__iter_order(ga__iter *it, unsigned int lead);

/* Merge neighbouring dimensions where no array has a gap between them. */
void ga__iter_merge(ga__iter *it);

/* Move dimension `d` to index 1, next to the innermost one. The others keep
 * their order. */
void ga__iter_raise(ga__iter *it, unsigned int d);

/* 1 when the elements of array k are visited one after the other, `bytes`
 * apart. */
int ga__iter_is_flat(const ga__iter *it, unsigned int k, size_t bytes);
/* 1 when all strides of array k are 0. */
int ga__iter_is_fixed(const ga__iter *it, unsigned int k);
/* Bytes between the lowest and the highest element of array k in memory. */
size_t ga__iter_reach(const ga__iter *it, unsigned int k);
/* Number of different elements of array k in the space. */
size_t ga__iter_visits(const ga__iter *it, unsigned int k);

/* The stride of an array along the axis of the lanes. */
typedef enum ga__lane_step {
  GA_LANES_APART = 0, /* any stride */
  GA_LANES_SAME,      /* stride 0 */
  GA_LANES_NEXT,      /* neighbours in memory */
  GA_LANES_ALIGNED,   /* the same, and vectors are aligned to their size */
  GA_LANES_ONE        /* scalar code: there are no vectors */
} ga__lane_step;

/* The iteration space of a reduction or a row program: the kept and the reduced
 * dimensions. The first n_in operands have the sizes of the whole space, the
 * others 1 on reduced dimensions. Scalars have strides of 0. `red` has one
 * array more: its strides count the position that ARGMAX reports. */
typedef struct ga__space {
  unsigned int n_in, n_ops;
  const size_t *elsize; /* bytes per operand, 0 for scalars; borrowed */
  ga__iter kept, red;
  size_t n_out, n_red; /* elements of kept and red */
  unsigned int lead;   /* the operand that decides the order */
  int in_order;        /* a position is the element's index in this order */
} ga__space;

/* Put the dimensions in the order of memory, merge them, and set the members
 * after `red`. */
void ga__space_fold(ga__space *s);

/* Whether its counts need 64-bit indices. */
int ga__space_is_wide(const ga__space *s);

/* The stride of operand k along the inner dimension of `it`, which is kept or
 * red. */
ga__lane_step ga__space_lane_step(const ga__space *s, const ga__iter *it,
                                  unsigned int k);

/* Whether a CPU should store operand k around its caches, by vectors of `lanes`
 * elements. */
int ga__space_is_streamed(const ga__space *s, unsigned int k,
                          ga__lane_step step, size_t lanes);

/* Whether vectors of `lanes` elements along the inner dimension of `it` begin
 * at multiples of their size, as far as strides tell, in all of the first n_in
 * operands that are contiguous there. */
int ga__space_keeps_aligned(const ga__space *s, const ga__iter *it,
                            size_t lanes);
/* Whether vectors of `bytes` bytes of operand k do so, where its array begins
 * at `offset`. */
int ga__space_is_aligned(const ga__space *s, const ga__iter *it, unsigned int k,
                         size_t offset, size_t bytes);

#endif
