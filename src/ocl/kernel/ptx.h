/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with instructions that are completed after compiling; see ptx.c. */
#ifndef OCL_KERNEL_PTX_H
#define OCL_KERNEL_PTX_H

#include "base/err.h"
#include "base/strb.h"

/* Inline assembly has this in front of such an instruction. */
#define GA_PTX_MARK "//ptx "

/* Append `ptx` to `out`, with its marked comments turned into instructions, for
 * `target`, an architecture with its letter ("sm_90a"). GA_DEVSUP_ERROR if
 * `ptx` is for another architecture. */
int ga__ptx_complete(ga__strb *out, const char *ptx, const char *target);

#endif
