/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of kernels that index by data. They precede cl/put_index.cl and
 * the template with the kernel's name. */
#ifndef CODEGEN_GEN_PUT_H
#define CODEGEN_GEN_PUT_H

#include "base/strb.h"
#include "layout/put_layout.h"

/* Nonzero if the kernel processes the indices in order, one step for each. */
int ga__put_has_steps(ga__put_kernel kernel);

/* The name of the kernel, and of its template. */
const char *ga__put_entry(ga__put_kernel kernel);

/* Append the macros. The templates list the kernel's arguments. P_SIZES are the
 * strides (long) of the lines in rows, values and indices (CHECK: only in
 * indices), and the sizes of the lines (ulong); then, if there are steps, their
 * strides in values and indices, and their sizes. LIST, RANK, KEYS and ENDS
 * only have the steps, with strides in indices. */
void ga__gen_put_write(ga__strb *b, const ga__gen_put *g);

#endif
