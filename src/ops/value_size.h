/* SPDX-License-Identifier: BSD-2-Clause */
/* How large values are. A value may have at most 2^56 elements, so that neither
 * their number nor their bytes overflow. Sizes are checked here where a user or
 * a file gives them, and sizes of results where they are inferred. Their
 * products need no check after that. */
#ifndef OPS_VALUE_SIZE_H
#define OPS_VALUE_SIZE_H

#include <gpugraph/op.h>
#include <stdint.h>

/* Nonzero if no product of some of the sizes exceeds that limit, even if
 * another size is 0. Unknown sizes (GG_ANY) are ignored. */
int gg__sizes_fit(unsigned int nd, const int64_t *dims);
int gg__dims_fit(const gg_dims *d);
/* The number of elements. */
size_t gg__dims_count(const gg_dims *d);
size_t gg__array_count(const GpuArray *a);
/* The bytes of all elements if they are contiguous. */
size_t gg__array_bytes(const GpuArray *a);

#endif
