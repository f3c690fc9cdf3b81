/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ops whose sizes are properties share with those whose sizes calls
 * decide (sized.c). Sizes of GG_ANY are open. */
#ifndef OPS_SIZED_H
#define OPS_SIZED_H

#include <gpugraph/op.h>

/* The sizes of x with others for its elements, of which at most one is open
 * (reshape.c). */
int gg__reshaped_dims(const gg_apply *a, unsigned int nd, const int64_t *dims,
                      const gg_dims *x, gg_dims *out);
/* The type and the sizes of x, of which something is said (specify.c). */
int gg__specified_type(const gg_apply *a, const int64_t *dims, gg_type *out);
int gg__specified_dims(const gg_apply *a, const int64_t *dims, const gg_dims *x,
                       gg_dims *out);

#endif
