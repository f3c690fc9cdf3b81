/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of kernels that join arrays with short rows. */
#ifndef CODEGEN_GEN_JOIN_H
#define CODEGEN_GEN_JOIN_H

#include "base/strb.h"

/* Append the macros for `n` parts. Part i has words[i] words in each row, and a
 * word has `word` bytes (1, 2, 4 or 8). The kernel's arguments are the result
 * and the parts, each with its offset, then the counts of rows and of rows per
 * work-item (ulong). */
void ga__gen_join(ga__strb *b, size_t word, size_t n, const size_t *words);

#endif
