/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL's headers, and its status codes as errors. */
#ifndef OCL_CLERROR_H
#define OCL_CLERROR_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "base/err.h"

/* Name of a CL_* status code, "CL_?(-n)" when unknown. */
const char *ga__status_name(cl_int status);
/* Record "`call`: CL_NAME" and return the GA_* code that fits. */
int ga__fail_status(const char *call, cl_int status);

/* Run an OpenCL call that returns cl_int. Gives a GA_* code, and records a
 * message on failure. */
#define GA_CL(call)                                                            \
  ga__status_check(#call, (call)) /* the message has the call up to its "(" */
int ga__status_check(const char *call, cl_int status);

#endif
