/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading expressions: which types they use, and whether they suit vectors. */
#ifndef CODEGEN_GEN_EXPR_H
#define CODEGEN_GEN_EXPR_H

#include <gpuarray/elemwise.h>

#include "base/err.h"
#include "base/strb.h"
#include "layout/expr.h"

/* Read `text`, which uses the arguments `args[0..n)`. If it is in GE_VECTOR
 * form (`vector`), e->is_vector becomes nonzero if all types that it computes
 * with have one size, or if it does not compare. GA_VALUE_ERROR for
 * preprocessor lines. The caller clears `e`, also after a failure. */
int ga__expr_init(ga__expr *e, const char *text, unsigned int n,
                  const gpuelemwise_arg *args, int vector);
void ga__expr_clear(ga__expr *e);

/* Nonzero if an expression has preprocessor lines. */
int ga__expr_has_lines(const char *expr);
/* Replace an expression with such lines by an equivalent one without, appended
 * to `text`, and by lines to put in front of it, appended to `lines`. */
int ga__expr_split(ga__strb *lines, ga__strb *text, const char *expr);

/* Nonzero if the expression, which may be NULL, uses this complex type. */
int ga__expr_names(const char *text, int typecode);

/* The type of an argument in a scalar expression: "float" for half and bfloat,
 * "int" for bool. */
const char *ga__expr_type(int typecode);

#endif
