/* SPDX-License-Identifier: BSD-2-Clause */
/* How many elements a value of a graph may have: 2^56, so that neither they nor
 * their bytes overflow. Sizes that a user or a file gives are asked about here
 * where they come in, those of results where they are inferred; products of
 * them need no look after that. */
#ifndef OPS_SIZE_LIMIT_H
#define OPS_SIZE_LIMIT_H

#include <gpugraph/op.h>
#include <stdint.h>

/* Whether no product of some of the sizes is more than that, beside a size of 0
 * too. Unknown sizes (GG_ANY) are left out. */
int gg__sizes_fit(unsigned int nd, const int64_t *dims);
int gg__dims_fit(const gg_dims *d);

#endif
