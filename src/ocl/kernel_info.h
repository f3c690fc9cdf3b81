/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver reports about the arguments of a kernel. It need not: those
 * that are asked to when they compile (-cl-kernel-arg-info) do, as a rule. */
#ifndef OCL_KERNEL_INFO_H
#define OCL_KERNEL_INFO_H

#include "ocl/clerror.h"

typedef enum ga__arg_space {
  GA_ARG_UNKNOWN,
  GA_ARG_IS_VALUE,
  GA_ARG_IS_GLOBAL, /* a pointer to global or constant memory */
  GA_ARG_IS_LOCAL
} ga__arg_space;

ga__arg_space ga__kernel_arg_space(cl_kernel k, unsigned int i);
/* The dtype of a value, -1 if that is none of ours or not known. Bools are
 * bytes there. */
int ga__kernel_arg_dtype(cl_kernel k, unsigned int i);

#endif
