/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with instructions that are completed after compiling; see ptx.c. */
#ifndef OCL_PTX_H
#define OCL_PTX_H

#include "base/err.h"
#include "base/strb.h"

/* What stands in front of such an instruction in inline assembly. */
#define GA_PTX_MARK "//ptx "

/* Append the PTX text `ptx` with its marked comments as instructions, for
 * `target`, an architecture with its letter ("sm_90a"). GA_DEVSUP_ERROR when
 * the text is for another one. */
int ga__ptx_complete(ga__strb *out, const char *ptx, const char *target);

#endif
