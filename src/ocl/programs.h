/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and kernel objects, through the caches in memory and on disk. */
#ifndef OCL_PROGRAMS_H
#define OCL_PROGRAMS_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

typedef enum ga__prelude {
  GA_PRELUDE_OWN = 0, /* cl/prelude.cl */
  GA_PRELUDE_CLUDA,   /* cl/cluda.cl */
  GA_PRELUDE_NONE,
  GA_PRELUDES
} ga__prelude;

/* Source in parts, the entry point, and build options. Together with the
 * device, driver, platform and format version they are the cache key. */
typedef struct ga__source {
  unsigned int n;
  const char *const *parts; /* NUL-terminated, concatenated */
  const char *entry;        /* kernel name */
  const char *options;      /* extra build options, or NULL */
  const char *ptx_target;   /* completed for it (ptx.h), or NULL */
  ga__prelude prelude;
  int flushes; /* subnormals are zeros, where the driver can */
} ga__source;

/* Build or fetch the program of `src` and create a kernel object of its own
 * for the caller (arguments of different users never mix). The caller releases
 * it with clReleaseKernel. A build failure is GA_IMPL_ERROR with the numbered
 * source and the log as its message. */
int ga__kernel_get(cl_kernel *out, gpucontext *ctx, const ga__source *src);

/* Build a foreign program for the context's device; the message of a
 * failure has the compiler's log. */
int ga__program_finish(gpucontext *ctx, cl_program p);

int ga__programs_init(gpucontext *ctx);
/* A kernel was enqueued. Lock held. */
void ga__programs_launched(gpucontext *ctx, cl_kernel k);
/* Write some binaries to disk that were waiting for a first launch to end, or
 * with `all` every one, and trust programs from disk that have run. The queue
 * is empty, the lock held. */
void ga__programs_save(gpucontext *ctx, int all);
/* Is any binary not on disk yet? Lock held. */
int ga__programs_wait(const gpucontext *ctx);
/* Trust all programs from disk: the process ends well. Lock held. */
void ga__programs_trust(gpucontext *ctx);
void ga__programs_clear(gpucontext *ctx);

#endif
