/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that kernels call and OpenCL C lacks. Text calls them for any type
 * as w_call(lgamma, float)(x); see cl/prelude.cl. A program has the functions
 * that it calls, for its types and widths, and no others. */
#ifndef CODEGEN_FUNCTIONS_H
#define CODEGEN_FUNCTIONS_H

#include "base/strb.h"

/* Append the functions that the source calls, and those that they call. The
 * source is the concatenation of `n` parts; no call is divided between two. */
void ga__functions_write(ga__strb *b, unsigned int n, const char *const *parts);

/* The text of family i, or NULL after the last one: keys of programs hash
 * all. */
const char *ga__functions(unsigned int i);

#endif
