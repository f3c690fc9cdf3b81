/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain expressions that mean the same when their operands are vectors. */
#ifndef CODEGEN_GEN_LANES_H
#define CODEGEN_GEN_LANES_H

#include "codegen/gen_expr.h"

/* Let an expression that was read as plain text be compiled with vectors, if it
 * can be shown that each lane then computes what the text says. Casts to the
 * type that operands have already are replaced by spaces. Returns whether. */
int ga__lanes_show(ga__expr *e, unsigned int n, const gpuelemwise_arg *args);

#endif
