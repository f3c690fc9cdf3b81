/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the host as kernels of a device that computes on the host's
 * memory: they run in the order of the queue, and nobody waits for them. */
#ifndef OCL_LAUNCH_LAUNCH_NATIVE_H
#define OCL_LAUNCH_LAUNCH_NATIVE_H

#include "ocl/launch/launch_build.h"

enum { GA_NATIVE_OPERANDS = 6, GA_NATIVE_STATE = 128 /* bytes */ };

/* Gets a copy of the state, and where the operands are. Runs in a thread of the
 * driver, and may not call the library for a context. */
typedef void (*ga__native_fn)(const void *state, void *const *at);

/* A slot, or, if `work` is not NULL, a workspace of the launch; and bytes from
 * its start. */
typedef struct ga__native_operand {
  unsigned int slot;
  gpudata *work;
  ptrdiff_t rel;
} ga__native_operand;

/* Nonzero if the context's device runs such functions. */
int ga__native_is_supported(gpucontext *ctx);
/* Add a function with `bytes` bytes of state, which are copied, and n
 * operands. `provider` is a literal, for profiles. */
void ga__launch_native(GpuLaunch *l, ga__native_fn fn, const void *state,
                       size_t bytes, unsigned int n,
                       const ga__native_operand *operands,
                       const char *provider);

#endif
