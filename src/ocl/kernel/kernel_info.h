/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver reports about the arguments of a kernel. Most drivers do so
 * if the kernel was compiled with -cl-kernel-arg-info, but none has to. */
#ifndef OCL_KERNEL_KERNEL_INFO_H
#define OCL_KERNEL_KERNEL_INFO_H

#include "ocl/clerror.h"

typedef enum ga__arg_space {
  GA_ARG_UNKNOWN,
  GA_ARG_IS_VALUE,
  GA_ARG_IS_GLOBAL, /* a pointer to global or constant memory */
  GA_ARG_IS_LOCAL
} ga__arg_space;

ga__arg_space ga__kernel_arg_space(cl_kernel k, unsigned int i);
/* The dtype of an argument passed by value; -1 if it is unknown or not one of
 * the library's. A bool is reported as GA_UBYTE. */
int ga__kernel_arg_dtype(cl_kernel k, unsigned int i);

#endif
