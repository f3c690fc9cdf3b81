/* SPDX-License-Identifier: BSD-2-Clause */
/* Building prepared launches. */
#ifndef OCL_LAUNCH_LAUNCH_BUILD_H
#define OCL_LAUNCH_LAUNCH_BUILD_H

#include <gpuarray/record.h>

#include "ocl/kernel/programs.h"

/* To build a launch, open one, add kernels with their arguments in order, bind
 * the slots, and seal it. The first error sticks to the launch; ga__launch_seal
 * returns it and frees the launch.
 *
 *   GpuLaunch *l = ga__launch_open(ctx, "gemv", n_slots);
 *   ga__launch_kernel(l, &src, 1, &gs, &ls);
 *   ga__launch_slot(l, 0);           global void *
 *   ga__launch_offset(l, 0, 0);      ulong, bytes
 *   ga__launch_size(l, n);           ulong
 *   ga__launch_bind_array(l, 0, a);
 *   return ga__launch_seal(out, l);
 *
 * A kernel that launches for other sizes take over (launch_renew.h) has a key:
 *
 *   ga__launch_key_start(&key, ctx, "gemv");
 *   ga__launch_key_bytes(&key, &gen, sizeof gen);
 *   if (!ga__launch_again(l, &key, nd, gs, ls)) {
 *     ... write the source ...
 *     ga__launch_kernel(l, &src, nd, gs, ls);
 *     ga__launch_remember(l, &key);
 *   }
 */
/* If a launch was offered to this thread (GpuLaunch_renew), the new one takes
 * over what it can. */
GpuLaunch *ga__launch_open(gpucontext *ctx, const char *label,
                           unsigned int n_slots);
/* `gs` counts work-items. With `ls` NULL the driver chooses the size of the
 * groups. */
void ga__launch_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                       const size_t *gs, const size_t *ls);
void ga__launch_slot(GpuLaunch *l, unsigned int slot);
/* The slot's byte offset plus `rel`, as a ulong argument. */
void ga__launch_offset(GpuLaunch *l, unsigned int slot, size_t rel);
void ga__launch_size(GpuLaunch *l, size_t v);     /* ulong */
void ga__launch_ssize(GpuLaunch *l, ptrdiff_t v); /* long */
void ga__launch_uint(GpuLaunch *l, uint32_t v);
void ga__launch_int(GpuLaunch *l, int32_t v);
/* A value of `bytes` bytes, at most 16. GpuLaunch_bind_scalar changes it by
 * `slot`; with slot -1 it is fixed. */
void ga__launch_value(GpuLaunch *l, int slot, size_t bytes, const void *v);
void ga__launch_local(GpuLaunch *l, size_t bytes); /* local memory argument */
/* Allocate a workspace, which the launch owns, and pass it to the current
 * kernel as a global void *. Further kernels get it by the returned index, with
 * ga__launch_work_arg. */
unsigned int ga__launch_work(GpuLaunch *l, size_t bytes);
void ga__launch_work_arg(GpuLaunch *l, unsigned int work);
/* The number of workspaces so far. */
unsigned int ga__launch_works(const GpuLaunch *l);
/* Between these two, ga__launch_work may return workspaces that kernels between
 * other such calls have got, which no longer need them when they have ended.
 * Workspaces of zeros and tables are not shared. */
void ga__launch_begin_sharing(GpuLaunch *l);
void ga__launch_end_sharing(GpuLaunch *l);
/* A workspace that holds a copy of `bytes` bytes at `data`. Kernels only read
 * it. Returns its index, as ga__launch_work does. */
unsigned int ga__launch_table(GpuLaunch *l, const void *data, size_t bytes);
/* A workspace of zeros. Every run of the launch must leave zeros in it. */
void ga__launch_zeros(GpuLaunch *l, size_t bytes);
/* A null pointer for a global void * that the kernel does not use. It costs a
 * driver less than a buffer (NVIDIA, H200: 0.04 us a launch instead of
 * 0.23). */
void ga__launch_none(GpuLaunch *l);
/* Add a slot that is bound to a workspace for good. Callers cannot bind it.
 * Returns its index. */
unsigned int ga__launch_own_slot(GpuLaunch *l, size_t bytes);
/* Name the algorithm of the last kernel in profiles, instead of "own". A
 * literal. */
void ga__launch_provided(GpuLaunch *l, const char *provider);
/* Add a host function that enqueues, such as a call of a BLAS library. It runs
 * with the context's lock held. The launch frees `state` with ga__free, also
 * when adding fails. */
void ga__launch_call(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                     const char *provider);
/* A workspace for such a function, which the launch owns. Borrowed; NULL on
 * failure. */
gpudata *ga__launch_workspace(GpuLaunch *l, size_t bytes);
void ga__launch_bind_array(GpuLaunch *l, unsigned int slot, const GpuArray *a);
/* Require that offsets bound to the slot are multiples of `bytes`. */
void ga__launch_require_align(GpuLaunch *l, unsigned int slot, size_t bytes);
void ga__launch_cost(GpuLaunch *l, double bytes, double flops);
/* Declare how many loop iterations a work-item makes. It is an error where
 * there are too many for a device that ends loops after 65,535 iterations in
 * all (gpudevice_caps.long_loops). Unrolled loops do not count. The limit is
 * below 65,535 to allow for short loops that were not counted. */
#define GA_ROUNDS_MAX 65000
void ga__launch_rounds(GpuLaunch *l, size_t rounds);
/* Record an error of the caller in the launch, unless it has one. */
void ga__launch_error(GpuLaunch *l, int err);
int ga__launch_seal(GpuLaunch **out, GpuLaunch *l);

#endif
