/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise ops as lines of a table. */
#ifndef OPS_SCALAR_H
#define OPS_SCALAR_H

#include "ops/ops.h"

/* Text in GE_VECTOR form, the same on the host or NULL, flops per element. */
#define CODE(text, eval, flops)                                                \
  &(const gg_code) {                                                           \
    text, eval, 1, flops                                                       \
  }

/* Define gg__op_<name>. infer_fn NULL: the result has the dtype of the
 * operands. The three codes are for floats, signed and unsigned integers; NULL:
 * the one before. */
#define ELEMWISE(op_name, infer_fn, grad_fn, real, whole, natural)             \
  const gg_op gg__op_##op_name = {.name = #op_name,                            \
                                  .kind = GG_OP_ELEMWISE,                      \
                                  .n_out = 1,                                  \
                                  .infer = infer_fn,                           \
                                  .grad = grad_fn,                             \
                                  .code = real,                                \
                                  .code_int = whole,                           \
                                  .code_uint = natural}

/* The gradient of steps: zero wherever it exists. */
int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin);

#endif
