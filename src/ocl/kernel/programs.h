/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel cache: programs in memory and on disk, and kernel objects made
 * from them. */
#ifndef OCL_KERNEL_PROGRAMS_H
#define OCL_KERNEL_PROGRAMS_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"
#include "ocl/kernel/program_text.h"

#define GA_PROGRAMS_IN_MEMORY 512

/* Fetch or build the program of `src` and create a new kernel object from it,
 * so that callers do not share arguments. The caller releases it with
 * clReleaseKernel. If the build fails, the error is GA_IMPL_ERROR, and its
 * message has the numbered source and the compiler's log. */
int ga__kernel_get(cl_kernel *out, gpucontext *ctx, const ga__source *src);

/* Another kernel object like one that ga__kernel_get has made, without looking
 * for its program. The caller releases it. Lock held. */
int ga__kernel_copy(cl_kernel *out, cl_kernel of);

/* Build a foreign program for the context's device. The message of a failure
 * has the compiler's log. */
int ga__program_finish(gpucontext *ctx, cl_program p);

/* How many programs with the library's own prelude were compiled with PoCL's
 * header of functions (codegen/builtins.h). */
size_t ga__programs_with_header(const gpucontext *ctx);

int ga__programs_init(gpucontext *ctx);
/* Note that a kernel was enqueued. Lock held. */
void ga__programs_launched(gpucontext *ctx, cl_kernel k);
/* Write binaries to disk: some of those that have been launched, or with `all`
 * every one. Trust the programs from disk that have run. The queue must be
 * empty. Lock held. */
void ga__programs_save(gpucontext *ctx, int all);
/* Nonzero if a binary is not on disk yet. Lock held. */
int ga__programs_wait(const gpucontext *ctx);
/* Trust all programs from disk, because the process ends normally. Lock
 * held. */
void ga__programs_trust(gpucontext *ctx);
void ga__programs_clear(gpucontext *ctx);

#endif
