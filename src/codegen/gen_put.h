/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of the kernels around indices: the macros in front of
 * cl/put_index.cl and of the template that has the kernel's name. */
#ifndef CODEGEN_GEN_PUT_H
#define CODEGEN_GEN_PUT_H

#include "base/strb.h"
#include "layout/put_layout.h"

/* Whether the indices are taken in their order, as steps. */
int ga__put_has_steps(ga__put_kernel kernel);

/* The entry point, which is the template's name as well. */
const char *ga__put_entry(ga__put_kernel kernel);

/* Append the macros. The kernel's arguments are those in the templates; P_SIZES
 * are the strides of the lines in rows, values and indices (CHECK: indices
 * only), long, the sizes of the lines, ulong, and where there are steps their
 * strides in values and indices and their sizes. LIST, RANK and LONG have the
 * steps in indices alone. */
void ga__gen_put_write(ga__strb *b, const ga__gen_put *g);

#endif
