/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds with assertions compare the arguments of a prepared launch with what
 * the driver reports about its kernels. */
#ifndef OCL_LAUNCH_CHECK_H
#define OCL_LAUNCH_CHECK_H

#include "ocl/kernel_info.h"
#include "ocl/launch.h"

#ifdef GA_ASSERTIONS

/* Is argument `index` of the step's kernel in this space and, for a `dtype`
 * that is not negative, of that type? */
int ga__launch_check_arg(const GpuLaunch *l, const ga__step *s,
                         unsigned int index, ga__arg_space space, int dtype);
/* Has every kernel that runs as many arguments as were added? */
int ga__launch_check_counts(const GpuLaunch *l);

#else

#define ga__launch_check_arg(l, s, index, space, dtype)                        \
  ((void)(l), (void)(s), (void)(index), (void)(space), (void)(dtype),          \
   GA_NO_ERROR)
#define ga__launch_check_counts(l) ((void)(l), GA_NO_ERROR)

#endif

#endif
