/* SPDX-License-Identifier: BSD-2-Clause */
/* For definitions of elementwise ops, in their table (elementwise.def) and
 * elsewhere. */
#ifndef OPS_ELEMENTWISE_ELEMENTWISE_H
#define OPS_ELEMENTWISE_ELEMENTWISE_H

#include "ops/code.h"
#include "ops/ops.h"

/* `grad` of piecewise constant functions: zero. */
int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin);

#endif
