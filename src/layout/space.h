/* SPDX-License-Identifier: BSD-2-Clause */
/* Iteration spaces: the dimensions that a kernel walks, and how far each array
 * moves along each of them. */
#ifndef LAYOUT_SPACE_H
#define LAYOUT_SPACE_H

#include <stddef.h>

#include "base/err.h"

#define GA_ITER_ND 64

/* Dimension 0 is the innermost one. */
typedef struct ga__iter {
  unsigned int nd, n; /* dimensions, arrays */
  size_t dims[GA_ITER_ND];
  ptrdiff_t (*strides)[GA_ITER_ND]; /* bytes, per array; owned */
  ptrdiff_t *first; /* bytes from an array's element 0 to where the walk starts;
                       owned */
} ga__iter;

/* Start with the sizes of a C array, outermost first, and all strides 0. Clear
 * in any case. */
int ga__iter_init(ga__iter *it, unsigned int nd, const size_t *dims,
                  unsigned int n);
void ga__iter_clear(ga__iter *it);

/* Set the strides of array k, given outermost first, in bytes. Dimensions of
 * size 1 do not move. */
void ga__iter_set(ga__iter *it, unsigned int k, const ptrdiff_t *strides);

/* Number of elements; sizes must be known to fit. */
size_t ga__iter_total(const ga__iter *it);

/* Drop dimensions of size 1, put the others in the order of memory of array
 * `lead`, with ties broken by the other arrays, and walk them so that `lead`
 * moves upwards. */
void ga__iter_order(ga__iter *it, unsigned int lead);

/* Join neighbouring dimensions that every array walks without a gap. */
void ga__iter_merge(ga__iter *it);

/* Make dimension `d` number 1, next to the innermost; the others keep their
 * order. */
void ga__iter_raise(ga__iter *it, unsigned int d);

/* 1 when array k visits its elements one after the other, `bytes` apart. */
int ga__iter_is_flat(const ga__iter *it, unsigned int k, size_t bytes);
/* 1 when array k never moves. */
int ga__iter_is_fixed(const ga__iter *it, unsigned int k);
/* Largest distance in bytes that array k gets away from its start. */
size_t ga__iter_reach(const ga__iter *it, unsigned int k);
/* Number of different elements of array k that are visited. */
size_t ga__iter_visits(const ga__iter *it, unsigned int k);

/* How an array moves with the axis that lanes run along. */
typedef enum ga__lane_step {
  GA_LANES_APART = 0, /* any stride */
  GA_LANES_SAME,      /* stride 0 */
  GA_LANES_NEXT,      /* neighbours in memory */
  GA_LANES_ALIGNED,   /* and every vector begins at a multiple of its size */
  GA_LANES_ONE        /* scalar text: a lane is all there is */
} ga__lane_step;

/* The iteration space of a reduction or a row program: the kept and the reduced
 * dimensions, walked for all operands, first those that have the sizes of the
 * whole space, then those without the reduced ones. Scalars do not move. The
 * reduced dimensions have one array more: the steps of the position that ARGMAX
 * reports. */
typedef struct ga__space {
  unsigned int n_in, n_ops;
  const size_t *elsize; /* bytes per operand, 0 for scalars; borrowed */
  ga__iter kept, red;
  size_t n_out, n_red; /* elements of the two */
  unsigned int lead;   /* the operand that decides on the order */
  int in_order;        /* the position is the number of the element */
} ga__space;

/* Bring the dimensions into the order of memory and merge what can be merged;
 * fills in what follows red. */
void ga__space_fold(ga__space *s);

/* Whether its counts need indices of 64 bits. */
int ga__space_is_wide(const ga__space *s);

/* How operand k moves along the inner dimension of `it`, kept or red. */
ga__lane_step ga__space_lane_step(const ga__space *s, const ga__iter *it,
                                  unsigned int k);

/* Whether the vectors of `lanes` elements along the inner dimension of `it`
 * begin at multiples of their size in all of the first n_in operands that are
 * contiguous there, as far as strides tell. */
int ga__space_keeps_aligned(const ga__space *s, const ga__iter *it,
                            size_t lanes);
/* Whether this is so for vectors of `bytes` of operand k, which starts at
 * `offset`. */
int ga__space_is_aligned(const ga__space *s, const ga__iter *it, unsigned int k,
                         size_t offset, size_t bytes);

#endif
