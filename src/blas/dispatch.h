/* SPDX-License-Identifier: BSD-2-Clause */
/* Preparing products: choosing a provider. */
#ifndef BLAS_DISPATCH_H
#define BLAS_DISPATCH_H

#include "blas/product_provider.h"

/* Prepare a launch with every operand bound, by the provider that computes the
 * product best. The caller owns *out. A gemm whose C has one row or column
 * becomes a gemv. */
int ga__product_prepare(GpuLaunch **out, const ga__product *given);
/* The same with a given provider, or with the library's own gemm if that one
 * cannot compute the product. `by` may be NULL: the best one. For tests. */
int ga__product_prepare_by(GpuLaunch **out, const ga__product *given,
                           const ga__provider *by);
/* Add the kernels of a product to an open launch, to which its operands and the
 * arguments of its epilogue are bound. `by` may be NULL: the best provider. */
void ga__product_add(GpuLaunch *l, const ga__product *given,
                     const ga__provider *by);

#endif
