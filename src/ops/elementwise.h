/* SPDX-License-Identifier: BSD-2-Clause */
/* For definitions of elementwise ops, in their table (elementwise.def) and
 * elsewhere. */
#ifndef OPS_ELEMENTWISE_H
#define OPS_ELEMENTWISE_H

#include "ops/ops.h"

/* A gg_code that obeys GE_VECTOR: OpenCL C, the same on the host or NULL, and
 * flops per element. */
#define CODE(text, eval, flops)                                                \
  &(const gg_code) {                                                           \
    text, eval, 1, flops                                                       \
  }

/* The same for scalars alone: functions of the prelude that have loops. */
#define SCALAR_CODE(text, eval, flops)                                         \
  &(const gg_code) {                                                           \
    text, eval, 0, flops                                                       \
  }

/* `grad` of piecewise constant functions: zero. */
int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin);

#endif
