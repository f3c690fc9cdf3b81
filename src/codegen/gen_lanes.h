/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain expressions that can be computed with vectors. */
#ifndef CODEGEN_GEN_LANES_H
#define CODEGEN_GEN_LANES_H

#include "codegen/gen_expr.h"

/* Mark an expression that is not in GE_VECTOR form as suited for vectors, if
 * each lane provably computes the same as a scalar. Casts to the type of the
 * operands become spaces. Returns nonzero if it was marked. */
int ga__lanes_show(ga__expr *e, unsigned int n, const gpuelemwise_arg *args);

#endif
