/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime's own interface for the layers above it: program and kernel
 * building through the caches, prepared launches, the context's lock.
 *
 * One cl_context and one in-order queue per gpucontext: work is executed in
 * the order of the calls, so buffers need no events of their own and a freed
 * buffer can be handed out again at once. */
#ifndef OCL_OCL_H
#define OCL_OCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <gpuarray/device.h>
#include <gpuarray/launch.h>

#include "base/assert.h"
#include "base/err.h"

/* Source text in parts, the entry point, and build options. Together with the
 * device, driver, platform and format version they are the cache key. Text is
 * put behind the prelude (cl/prelude.cl). */
typedef struct ga__source {
  unsigned int n;
  const char *const *parts; /* NUL-terminated, concatenated */
  const char *entry;        /* kernel name */
  const char *options;      /* extra build options, or NULL */
  const char *ptx_target;   /* completed for it (ptx.h), or NULL */
} ga__source;

/* Build or fetch the program of `src` and create a kernel object of its own
 * for the caller (arguments of different users never mix). The caller releases
 * it with clReleaseKernel. A build failure is GA_IMPL_ERROR with the numbered
 * source and the log as its message. */
int ga__kernel_get(cl_kernel *out, gpucontext *ctx, const ga__source *src);

/* Compile now what will be wanted soon; failures are left to ga__kernel_get. */
void ga__kernel_warm(gpucontext *ctx, const ga__source *src);

/* Add a reference; gpucontext_deref drops it. */
void ga__ctx_retain(gpucontext *ctx);

/* The context's lock: held around clSetKernelArg .. enqueue. Recursive. */
void ga__ctx_lock(gpucontext *ctx);
void ga__ctx_unlock(gpucontext *ctx);
/* For GA_ASSERT: does this thread hold the lock? */
int ga__ctx_is_locked(const gpucontext *ctx);

/* The layers above that keep an object in every context. */
typedef enum ga__keeper {
  GA_KEEPER_CLBLAST,
  GA_KEEPER_WISH,
  GA_KEEPER_ARRAY,
  GA_KEEPERS
} ga__keeper;

/* One object of a layer above that lives as long as the context: `drop` is
 * called with it before anything else of the context goes, or when another is
 * kept in its place. Lock held. */
void *ga__ctx_kept(gpucontext *ctx, ga__keeper who);
void ga__ctx_keep(gpucontext *ctx, ga__keeper who, void *kept,
                  void (*drop)(void *));

cl_context ga__ctx_cl(gpucontext *ctx);
cl_command_queue ga__ctx_queue(gpucontext *ctx);
cl_device_id ga__ctx_device(gpucontext *ctx);
cl_mem ga__data_mem(const gpudata *d);
size_t ga__data_bytes(const gpudata *d);

/* Set `bytes` bytes from `off` on to the low 8 bits of `value`. */
int ga__data_fill(gpudata *d, size_t off, size_t bytes, int value);
/* What kernels may do with the memory, by the flags it was made with. */
int ga__data_access(int *can_read, int *can_write, const gpudata *d);
/* GA_DEVSUP_ERROR unless kernels compute on the host's own memory. */
int ga__ctx_check_sharing(gpucontext *ctx);
/* `queue` is a cl_command_queue of others or NULL. Make our work wait for what
 * is enqueued there; make what will be enqueued there wait for our work, or
 * with NULL wait for it now. */
int ga__ctx_join_queue(gpucontext *ctx, void *queue);
int ga__ctx_hand_to_queue(gpucontext *ctx, void *queue);
/* Leave the base of a foreign buffer to the caller, who fails: `drop` will not
 * be called. */
void ga__data_disown(gpudata *d);

/* Name of a CL_* status code, "CL_?(-n)" when unknown. */
const char *ga__status_name(cl_int status);
/* Record "`call`: CL_NAME" and return the GA_* code that fits. */
int ga__fail_status(const char *call, cl_int status);

/* Run an OpenCL call that returns cl_int; GA_* code and message on failure. */
#define GA_CL(call)                                                            \
  ga__status_check(#call, (call)) /* the text is cut at the bracket */
int ga__status_check(const char *call, cl_int status);

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
typedef int (*ga__launch_fn)(void *state, gpucontext *ctx, gpudata *const *bufs,
                             const size_t *offs);
void ga__launch_call(GpuLaunch *l, ga__launch_fn fn, void *state,
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
