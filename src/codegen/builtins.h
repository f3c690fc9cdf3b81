/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations of functions of OpenCL C.
 *
 * PoCL has them in a header of clang's, opencl-c.h, with 17,000 lines. It reads
 * these lines twice for each program, which is most of the time that it takes
 * for one. A program that declares what it calls does without the header: the
 * option GA_NO_HEADER leaves it out. */
#ifndef CODEGEN_BUILTINS_H
#define CODEGEN_BUILTINS_H

#include "base/strb.h"

/* The header protects itself with this macro against being included twice. */
#define GA_NO_HEADER " -D_OPENCL_H_"

/* Append declarations of the functions that a program calls. Its source is
 * `head`, whose macros count where they are used, and the concatenation of `n`
 * parts; no name is divided between two. Returns zero if the program calls a
 * function that is not declared here, and so needs the header.
 *
 * A function is declared for all types and widths except 3, since a call could
 * silently take another one if some were missing. */
int ga__builtins_write(ga__strb *b, const char *head, unsigned int n,
                       const char *const *parts);

#endif
