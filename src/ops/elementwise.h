/* SPDX-License-Identifier: BSD-2-Clause */
/* What elementwise ops are written with, in their table (elementwise.def) and
 * outside of it. */
#ifndef OPS_ELEMENTWISE_H
#define OPS_ELEMENTWISE_H

#include "ops/ops.h"

/* Text in GE_VECTOR form, the same on the host or NULL, flops per element. */
#define CODE(text, eval, flops)                                                \
  &(const gg_code) {                                                           \
    text, eval, 1, flops                                                       \
  }

/* The gradient of steps: zero wherever it exists. */
int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin);

#endif
