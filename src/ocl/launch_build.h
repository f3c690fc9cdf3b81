/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepared launches, built. */
#ifndef OCL_LAUNCH_BUILD_H
#define OCL_LAUNCH_BUILD_H

#include <gpuarray/record.h>

#include "ocl/programs.h"

/* Building a launch. Open one, add kernels and their arguments in order, bind
 * the slots, seal. Errors stick and come out at ga__launch_seal, which frees
 * the launch on failure.
 *
 *   GpuLaunch *l = ga__launch_open(ctx, "gemv", n_slots);
 *   ga__launch_kernel(l, &src, 1, &gs, &ls);
 *   ga__launch_slot(l, 0);           global void *
 *   ga__launch_offset(l, 0, 0);      ulong, bytes
 *   ga__launch_size(l, n);           ulong
 *   ga__launch_bind_array(l, 0, a);
 *   return ga__launch_seal(out, l);
 */
GpuLaunch *ga__launch_open(gpucontext *ctx, const char *label,
                           unsigned int n_slots);
/* ls NULL leaves the group size to the driver. gs is in work-items. */
void ga__launch_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                       const size_t *gs, const size_t *ls);
/* Does this thread have such kernels flush subnormals? */
int ga__launch_flushes(const gpucontext *ctx);
void ga__launch_slot(GpuLaunch *l, unsigned int slot);
/* The slot's byte offset plus `rel`, as a ulong argument. */
void ga__launch_offset(GpuLaunch *l, unsigned int slot, size_t rel);
void ga__launch_size(GpuLaunch *l, size_t v);     /* ulong */
void ga__launch_ssize(GpuLaunch *l, ptrdiff_t v); /* long */
void ga__launch_uint(GpuLaunch *l, uint32_t v);
void ga__launch_int(GpuLaunch *l, int32_t v);
/* A value of `bytes` (at most 16) that ga__launch's slot `slot` names for
 * GpuLaunch_bind_scalar; slot -1: fixed. */
void ga__launch_value(GpuLaunch *l, int slot, size_t bytes, const void *v);
void ga__launch_local(GpuLaunch *l, size_t bytes); /* local memory argument */
/* A workspace of the launch's own, as a global void * argument of this and,
 * by the number returned, of further kernels. */
unsigned int ga__launch_work(GpuLaunch *l, size_t bytes);
void ga__launch_work_arg(GpuLaunch *l, unsigned int work);
/* The same, of zeros, which every run of the launch must leave as such. */
void ga__launch_zeros(GpuLaunch *l, size_t bytes);
/* A global void * that the kernel does not touch: null, which a driver has less
 * to do with than with a buffer (NVIDIA, H200: 0.04 us a launch, not 0.23). */
void ga__launch_none(GpuLaunch *l);
/* A slot of the launch's own, bound to a workspace for good; callers cannot
 * bind it. */
unsigned int ga__launch_own_slot(GpuLaunch *l, size_t bytes);
/* A step that is a host call which enqueues (a BLAS library). It runs under
 * the context's lock. `state` is freed with ga__free when the launch goes. */
void ga__launch_call(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                     const char *provider);
/* Device memory of the launch's own for such a call; borrowed, NULL on
 * failure. */
gpudata *ga__launch_scratch(GpuLaunch *l, size_t bytes);
void ga__launch_bind_array(GpuLaunch *l, unsigned int slot, const GpuArray *a);
/* Offsets bound later must be multiples of `bytes`. */
void ga__launch_require_align(GpuLaunch *l, unsigned int slot, size_t bytes);
void ga__launch_cost(GpuLaunch *l, double bytes, double flops);
/* A work-item of a kernel goes `rounds` times through its loops: an error where
 * the device ends them early, after 65,535 rounds in all
 * (gpudevice_caps.long_loops). Loops that the compiler unrolls do not count;
 * the limit leaves room for short ones around those that matter. */
#define GA_ROUNDS_MAX 65000
void ga__launch_rounds(GpuLaunch *l, size_t rounds);
/* Stick an error of the caller's own into the launch. */
void ga__launch_error(GpuLaunch *l, int err);
int ga__launch_seal(GpuLaunch **out, GpuLaunch *l);

#endif
