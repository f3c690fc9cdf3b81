/* SPDX-License-Identifier: BSD-2-Clause */
/** \file kernel.h
 * Kernels of your own, written with the macros of cluda.h. */
#ifndef GPUARRAY_KERNEL_H
#define GPUARRAY_KERNEL_H

#include <gpuarray/array.h>
#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel and memory for its arguments. Only one thread may use it at a
 * time. */
typedef struct _GpuKernel {
  gpukernel *k;
  void **args; /**< set by GpuKernel_setarg(); owned, pointers borrowed */
} GpuKernel;

/** Build the kernel function `name` from the joined strings strs[0..count).
 *
 * `lens[i]` is the length of a string in bytes; with `lens` NULL, or a length
 * of 0, the string ends at its NUL. `types[0..argcount)` gives a typecode per
 * argument, GA_BUFFER for device memory. `flags` are ga_usefl bits.
 *
 * `k` is overwritten; clear an old kernel first. If `err_str` is not NULL,
 * *err_str becomes NULL, or after a failed build the numbered source with the
 * compiler's log, which the caller releases with free(). On failure `k` is
 * zeroed. Blocks while the driver compiles. */
GPUARRAY_PUBLIC int GpuKernel_init(GpuKernel *k, gpucontext *ctx,
                                   unsigned int count, const char **strs,
                                   const size_t *lens, const char *name,
                                   unsigned int argcount, const int *types,
                                   int flags, char **err_str);

/** Release everything and zero the structure; accepts a zeroed one. */
GPUARRAY_PUBLIC void GpuKernel_clear(GpuKernel *k);

/** The context the kernel was built in; borrowed. */
GPUARRAY_PUBLIC gpucontext *GpuKernel_context(GpuKernel *k);

/** Set argument `i`, counted from 0, for calls with `args` NULL.
 *
 * `val` is a gpudata * for GA_BUFFER, else a pointer to the value, which is
 * copied now. Buffers are not retained: they must live until the call. */
GPUARRAY_PUBLIC int GpuKernel_setarg(GpuKernel *k, unsigned int i, void *val);

/** Choose one-dimensional sizes for `n` work-items.
 *
 * *gs (count of work-groups) and *ls (work-items in each) stay if they are not
 * 0 on entry, else they are set. Their product may exceed `n`, so the kernel
 * must check its index. */
GPUARRAY_PUBLIC int GpuKernel_sched(GpuKernel *k, size_t n, size_t *gs,
                                    size_t *ls);

/** Launch the kernel; does not block.
 *
 * `gs[0..n)` counts work-groups, `ls[0..n)` work-items in each, for `n` of 1
 * to 3. `shared` bytes of local memory go to the argument declared with
 * GA_DECL_SHARED_PARAM. `args` points to the arguments, as for
 * GpuKernel_setarg(); NULL uses those that were set. */
GPUARRAY_PUBLIC int GpuKernel_call(GpuKernel *k, unsigned int n,
                                   const size_t *gs, const size_t *ls,
                                   size_t shared, void **args);

/** The message of the thread's last error; never NULL. */
GPUARRAY_PUBLIC const char *GpuKernel_error(const GpuKernel *k, int err);

#ifdef __cplusplus
}
#endif

#endif
