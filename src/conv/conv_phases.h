/* SPDX-License-Identifier: BSD-2-Clause */
/* The products that a gradient by input with strides consists of: one for each
 * remainder of positions of x divided by the strides, because each of them has
 * filter elements of its own. Their windows have stride 1. */
#ifndef CONV_CONV_PHASES_H
#define CONV_CONV_PHASES_H

#include "blas/window.h"
#include "conv/conv_shape.h"

/* One dimension of such a product. */
typedef struct ga__conv_phase {
  size_t columns;      /* positions */
  size_t taps;         /* filter elements; 0: the results are zeros */
  size_t first, apart; /* filter element of tap 0, and from tap to tap */
  ptrdiff_t pt, pad;   /* of the window */
} ga__conv_phase;

ga__conv_phase ga__conv_find_phase(const ga__conv *c, int d, size_t remainder);
/* The count of remainders along dimension d that have positions. */
size_t ga__conv_remainders(const ga__conv *c, int d);

/* Describe all products, without the places of A. Where only one remainder
 * along a dimension has filter elements, its product stores the zeros of the
 * others. v[i].p has the taps; the caller frees v. Return 0, with no v, if
 * there is one remainder, if there are too many, or if memory runs out. */
int ga__conv_find_phases(ga__phases *out, const ga__conv *c);

#endif
