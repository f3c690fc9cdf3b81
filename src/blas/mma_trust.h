/* SPDX-License-Identifier: BSD-2-Clause */
/* The test that a device's tensor cores compute right results. */
#ifndef BLAS_MMA_TRUST_H
#define BLAS_MMA_TRUST_H

#include "blas/product_provider.h"

/* Add the kernels of a product with a family's tile that needs the most. */
typedef void (*ga__mma_add_fn)(GpuLaunch *l, const ga__product *p,
                               const void *family);

/* Nonzero if the device computed a test product of the dtype right with this
 * family of kernels. The first call for a device runs the test, and blocks. A
 * test that ran out of memory says little, so the next call repeats it. */
int ga__mma_is_trusted(gpucontext *ctx, int typecode, const void *family,
                       ga__mma_add_fn add);

#endif
