/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of kernels that join narrow parts. */
#ifndef CODEGEN_GEN_JOIN_H
#define CODEGEN_GEN_JOIN_H

#include "base/strb.h"

/* Append the macros for `n` parts, of which part i has words[i] words of `word`
 * bytes (1 to 8) in each row. The kernel's arguments are the result and the
 * parts, each with its offset, then rows and rows of a work-item (ulong). */
void ga__gen_join(ga__strb *b, size_t word, size_t n, const size_t *words);

#endif
