/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of small arrays, found in what these are computed from. */
#ifndef OPS_ELEMENTS_H
#define OPS_ELEMENTS_H

#include "ops/ops.h"

/* The scalar of elementwise node `a`, rounded to its dtype. Integers wrap
 * around, but a cast from float to integer clamps to the range. */
double gg__rounded(const gg_apply *a, double value);

/* The int64 vector v as a node of gg__op_vector, if it has several elements and
 * follows from sizes, and constants, alone; else NULL. */
gg_var *gg__vector_of_sizes(gg_var *v);

#endif
