/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what the text of an expression says about itself. */
#ifndef CODEGEN_GEN_EXPR_H
#define CODEGEN_GEN_EXPR_H

#include <gpuarray/elemwise.h>

#include "base/err.h"
#include "base/strb.h"
#include "layout/expr.h"

/* Read `text` over the arguments `args[0..n)`; `vector` says that it is in
 * GE_VECTOR form. It then is vector text if all types that it computes with
 * have one size, or if it does not compare. GA_VALUE_ERROR for preprocessor
 * lines. Clear in any case. */
int ga__expr_init(ga__expr *e, const char *text, unsigned int n,
                  const gpuelemwise_arg *args, int vector);
void ga__expr_clear(ga__expr *e);

/* Whether there are preprocessor lines in an expression. */
int ga__expr_has_lines(const char *expr);
/* An expression with such lines as an expression without, appended to `text`,
 * and the lines that stand in front of it then, appended to `lines`. */
int ga__expr_split(ga__strb *lines, ga__strb *text, const char *expr);

/* What an argument of `typecode` is inside of scalar text: "float" for half,
 * "int" for bool. */
const char *ga__expr_type(int typecode);

#endif
