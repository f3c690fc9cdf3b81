/* SPDX-License-Identifier: BSD-2-Clause */
/* Products on tensor cores whose operands are read through windows. */
#ifndef BLAS_MMA_WINDOW_H
#define BLAS_MMA_WINDOW_H

#include "blas/product.h"

enum {
  GA_MMA_ALIGN = 16,    /* bytes that are copied at once */
  GA_MMA_MIN_SIZE = 16, /* of m, n and k; below it, tiles are mostly empty */
  GA_MMA_MIN_COPIED_SIZE = 64 /* the same if an operand must be copied first */
};

/* Elements that are copied at once. */
size_t ga__mma_unit(const ga__product *p);
/* Nonzero if the kernels can read B of this product, not yet transposed,
 * through its window. */
int ga__mma_takes_window(const ga__product *p);
/* For the transposed product, nonzero if rows of C, which are columns of the
 * window, lie by its digits. */
int ga__mma_has_digits(const ga__product *p);
/* Nonzero if rows of C begin at multiples of a vector's length. */
int ga__mma_rows_aligned(const ga__product *p);

#endif
