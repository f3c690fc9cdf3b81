/* SPDX-License-Identifier: BSD-2-Clause */
/* How large values are. One may have 2^56 elements, so that neither they nor
 * their bytes overflow. Sizes that a user or a file gives are asked about here
 * where they come in, those of results where they are inferred; products of
 * them need no look after that. */
#ifndef OPS_VALUE_SIZE_H
#define OPS_VALUE_SIZE_H

#include <gpugraph/op.h>
#include <stdint.h>

/* Whether no product of some of the sizes is more than that, beside a size of 0
 * too. Unknown sizes (GG_ANY) are left out. */
int gg__sizes_fit(unsigned int nd, const int64_t *dims);
int gg__dims_fit(const gg_dims *d);
/* The number of elements. */
size_t gg__dims_count(const gg_dims *d);
/* The bytes of all elements, without gaps between them. */
size_t gg__array_bytes(const GpuArray *a);

#endif
