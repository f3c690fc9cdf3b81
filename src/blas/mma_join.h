/* SPDX-License-Identifier: BSD-2-Clause */
/* The second step of products on tensor cores whose sums were cut into parts.
 */
#ifndef BLAS_MMA_JOIN_H
#define BLAS_MMA_JOIN_H

#include "blas/product.h"

/* Bytes of the sums of all parts. */
size_t ga__mma_sum_bytes(const ga__product *p, size_t parts);

/* Add a kernel that adds up `n` parts of a product with a window and stores the
 * results. `parts` is C of the transposed product: its matrices are those of
 * the parts of the batch's first matrix, then those of the next one. Its rows
 * have columns without gaps. */
void ga__mma_join(GpuLaunch *l, const ga__product *p,
                  const ga__product_operand *parts, size_t n);

#endif
