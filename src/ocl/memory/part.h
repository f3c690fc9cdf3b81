/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of buffers as memory objects of their own. */
#ifndef OCL_MEMORY_PART_H
#define OCL_MEMORY_PART_H

#include "ocl/objects.h"

/* The bytes of which the start of a part, in its root, is a multiple. */
int ga__part_align(const gpucontext *ctx, size_t *bytes);
/* The memory object that `mem` is a part of, which is no part itself; `mem`
 * begins after *from bytes of it. */
int ga__part_root(cl_mem mem, cl_mem *root, size_t *from);
/* A buffer that is `bytes` bytes of memory object `root` from byte `from` on.
 * Whoever uses it retains the buffer of `root`. */
int ga__part_new(gpudata **out, gpucontext *ctx, cl_mem root, size_t from,
                 size_t bytes);

#endif
