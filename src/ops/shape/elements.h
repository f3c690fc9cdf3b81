/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the elements of small arrays as scalars. */
#ifndef OPS_SHAPE_ELEMENTS_H
#define OPS_SHAPE_ELEMENTS_H

#include "ops/ops.h"

/* Round `value`, which elementwise node `a` computes, to the dtype of the node.
 * Integers wrap around, but a cast from float to integer clamps to the range.
 */
double gg__rounded(const gg_apply *a, double value);

/* The int64 vector v as a node of gg__op_vector, if it has several elements and
 * follows from sizes, and constants, alone; else NULL. */
gg_var *gg__vector_of_sizes(gg_var *v);

#endif
