/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds with assertions compare the arguments of a prepared launch with what
 * the driver reports about its kernels. */
#ifndef OCL_LAUNCH_LAUNCH_CHECK_H
#define OCL_LAUNCH_LAUNCH_CHECK_H

#include "ocl/kernel/kernel_info.h"
#include "ocl/launch/launch.h"

#ifdef GA_ASSERTIONS

/* GA_INVALID_ERROR if the driver reports another address space for argument
 * `index` of the step's kernel, or another dtype. A negative `dtype` is not
 * compared. */
int ga__launch_check_arg(const GpuLaunch *l, const ga__step *s,
                         unsigned int index, ga__arg_space space, int dtype);
/* GA_INVALID_ERROR if a kernel that runs takes more or fewer arguments than
 * were added. */
int ga__launch_check_counts(const GpuLaunch *l);

#else

#define ga__launch_check_arg(l, s, index, space, dtype)                        \
  ((void)(l), (void)(s), (void)(index), (void)(space), (void)(dtype),          \
   GA_NO_ERROR)
#define ga__launch_check_counts(l) ((void)(l), GA_NO_ERROR)

#endif

#endif
