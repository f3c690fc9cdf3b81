/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels. */
#ifndef OCL_KERNEL_H
#define OCL_KERNEL_H

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
  gpudata **bufs; /* with guards: numargs, retained, NULL for values; or NULL */
  size_t max_group, group_multiple;
};

/* gpukernel_init with build options, which may be NULL. */
int ga__gpukernel_build(gpukernel **out, gpucontext *ctx, unsigned int count,
                        const char **strings, const size_t *lengths,
                        const char *fname, unsigned int numargs,
                        const int *types, int flags, const char *options);
/* A kernel around `cl`, which is taken over in any case. */
int ga__gpukernel_new(gpukernel **out, gpucontext *ctx, cl_kernel cl,
                      const char *fname, unsigned int numargs,
                      const int *types);
/* gs in work-groups becomes `global` in work-items; 0 groups set *empty. */
int ga__gpukernel_sizes(const gpukernel *k, unsigned int n, const size_t *gs,
                        const size_t *ls, size_t global[3], int *empty);
/* Check that the kernel can have so many bytes of dynamic local memory. */
int ga__gpukernel_shared(const gpukernel *k, size_t shared);

#endif
