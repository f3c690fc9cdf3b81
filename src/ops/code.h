/* SPDX-License-Identifier: BSD-2-Clause */
/* How definitions of elementwise ops write their code. */
#ifndef OPS_CODE_H
#define OPS_CODE_H

#include <gpugraph/op.h>

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

/* Members of gg_op: what it does with complex operands, its scalar code for
 * them, the same on the host, and flops. */
#define COMPLEX(use, text, eval, flops)                                        \
  .complex_use = (use), .code_complex = SCALAR_CODE(text, NULL, flops),        \
  .eval_complex = (eval)

/* The same for analytic functions. */
#define ANALYTIC(text, eval, flops) COMPLEX(GG_ANALYTIC, text, eval, flops)

#endif
