/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/factor_copy.cl and cl/factor_turn.cl. */
#ifndef CODEGEN_GEN_FACTOR_H
#define CODEGEN_GEN_FACTOR_H

#include <stddef.h>

#include "base/assert.h"
#include "base/strb.h"

/* Which elements of a matrix are copied; the others become 0. */
typedef enum ga__triangle {
  GA_TRIANGLE_ALL,
  GA_TRIANGLE_LOWER,
  GA_TRIANGLE_UPPER,
  GA_TRIANGLE_IDENTITY,  /* nothing is copied; the diagonal becomes 1 */
  GA_TRIANGLE_UNIT,      /* the lower one, but the diagonal becomes 1 */
  GA_TRIANGLE_NONE,      /* zeros */
  GA_TRIANGLE_SYMMETRIC, /* the lower one, and its mirror image above it; the
                            result is apart */
  GA_TRIANGLE_HERMITIAN  /* the same, conjugated, with a real diagonal */
} ga__triangle;

typedef struct ga__gen_factor_copy {
  size_t word;    /* bytes of an element, or of each part of a complex one: 4 or
                  8 */
  size_t complex; /* elements are complex numbers */
  size_t conj;    /* which become their conjugates */
  size_t nk;      /* dimensions of the batch, at least 1 */
  size_t part;    /* ga__triangle; the last two are for floats */
  size_t unit;    /* elements of rows lie side by side in both matrices */
  size_t group;   /* work-items of a group that turns squares, or 0 */
  size_t src_rows, dst_rows; /* for that: rows lie side by side, not columns */
} ga__gen_factor_copy;

GA_NO_PADDING(ga__gen_factor_copy, 9 * sizeof(size_t));

void ga__gen_factor_copy_text(ga__strb *b, const void *gen);

#endif
