/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels. */
#ifndef OCL_KERNEL_KERNEL_H
#define OCL_KERNEL_KERNEL_H

#include <stdatomic.h>

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

struct _gpukernel {
  atomic_uint refs;
  gpucontext *ctx;
  cl_kernel cl;
  unsigned int numargs;
  int has_shared; /* one more argument, of local memory */
  int *types;     /* numargs typecodes */
  gpudata **bufs; /* numargs, retained, NULL for values; itself NULL unless the
                     context guards its buffers */
  size_t max_group, group_multiple;
};

/* gpukernel_init with build options, which may be NULL. */
int ga__gpukernel_build(gpukernel **out, gpucontext *ctx, unsigned int count,
                        const char **strings, const size_t *lengths,
                        const char *fname, unsigned int numargs,
                        const int *types, int flags, const char *options);
/* A kernel object around `cl`, which it takes over, also on failure. */
int ga__gpukernel_new(gpukernel **out, gpucontext *ctx, cl_kernel cl,
                      const char *fname, unsigned int numargs,
                      const int *types);
/* Check launch sizes. `gs` counts work-groups, `ls` work-items of a group,
 * `global` work-items. *empty is nonzero where there are 0 groups. */
int ga__gpukernel_sizes(const gpukernel *k, unsigned int n, const size_t *gs,
                        const size_t *ls, size_t global[3], int *empty);
/* GA_VALUE_ERROR unless the kernel can have `shared` bytes of dynamic local
 * memory. */
int ga__gpukernel_shared(const gpukernel *k, size_t shared);

#endif
