/* SPDX-License-Identifier: BSD-2-Clause */
/* From a product to a launch: who computes it. */
#ifndef BLAS_DISPATCH_H
#define BLAS_DISPATCH_H

#include "blas/product_provider.h"

/* A launch with every operand bound, by whoever computes the product best. The
 * caller owns *out. A gemm with one row or column of C becomes a gemv. */
int ga__product_prepare(GpuLaunch **out, const ga__product *p);
/* The same by a provider of the caller's choice, or by our own one if that does
 * not take the product; tests use it. */
int ga__product_prepare_by(GpuLaunch **out, const ga__product *p,
                           const ga__provider *by);

#endif
