/* SPDX-License-Identifier: BSD-2-Clause */
/** \file opencl.h
 *  Share OpenCL objects: make contexts, buffers and arrays from foreign
 *  objects, and get the handles and events of the library's. Nothing is copied.
 *
 *  This is the only header that needs those of OpenCL. A context has one
 *  in-order queue. Work that a program enqueues there is in order with the
 *  library's work; work in other queues is ordered by events, in both
 *  directions.
 */
#ifndef GPUARRAY_OPENCL_H
#define GPUARRAY_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <gpuarray/array.h>
#include <gpuarray/foreign.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- handles of the library's objects, all borrowed --- */

/** The handles of a context. */
typedef struct gpuopencl {
  cl_platform_id platform;
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
} gpuopencl;

/** Get a context's handles, for as long as the context lives.
 *
 *  gpucontext_profile() replaces the queue when it changes something, unless
 *  the queue was given to gpucontext_from_opencl(). */
GPUARRAY_PUBLIC int gpucontext_opencl(gpucontext *ctx, gpuopencl *out);

/** Get a buffer's memory object, for as long as the buffer is retained. It may
 *  be larger than the buffer; gpudata_property() gives the size. */
GPUARRAY_PUBLIC int gpudata_opencl(gpudata *d, cl_mem *out);

/** Get the memory object of an array.
 *
 *  \param offset receives the bytes from the start of the memory object to
 *                element 0; elements with negative strides lie before it */
GPUARRAY_PUBLIC int GpuArray_opencl(const GpuArray *a, cl_mem *out,
                                    size_t *offset);

/* --- order between queues --- */

/** Get an event that completes when all work enqueued so far on the context has
 *  ended.
 *
 *  The queue is in order, so this covers all arrays of the context. The queue
 *  is flushed, so other queues may wait for the event. The caller releases it.
 *  Does not block. */
GPUARRAY_PUBLIC int gpucontext_event(gpucontext *ctx, cl_event *out);

/** Make all work that is enqueued from now on wait for events of other queues
 *  of the same cl_context. Does not block; the events may be released on
 *  return.
 *
 *  GA_VALUE_ERROR for an event of another cl_context, GA_RUN_ERROR for one
 *  whose command has failed; then nothing is enqueued. */
GPUARRAY_PUBLIC int gpucontext_wait(gpucontext *ctx, unsigned int n,
                                    const cl_event *events);

/** Make a program from SPIR-V for the context's device, for GpuKernelSpec
 *  (record.h).
 *
 *  \param out   the built program; the caller calls clReleaseProgram()
 *  \param il    the module, of either byte order
 *
 *  GA_DEVSUP_ERROR if the device does not support SPIR-V, GA_VALUE_ERROR if the
 *  bytes are not SPIR-V, GA_IMPL_ERROR with the compiler's log if they do not
 *  build. Blocks while the driver compiles. */
GPUARRAY_PUBLIC int gpucontext_spirv(cl_program *out, gpucontext *ctx,
                                     const void *il, size_t bytes);

/* --- foreign objects --- */

/** Make a context from a foreign one.
 *
 *  \param from  `context` is required. `device` is one of its devices; NULL:
 *               the first one. `queue` is an in-order queue of it on that
 *               device, which the library then uses; NULL: the library makes
 *               one. `platform` is ignored
 *  \param how   who keeps the context and the queue alive; NULL: the library
 *               retains both
 *  \param props as for gpucontext_init(), freed by this call, also on failure;
 *               NULL: none. Their device is ignored
 *
 *  With a queue without profiling, gpucontext_profile() returns
 *  GA_UNSUPPORTED_ERROR. GA_VALUE_ERROR if context, device and queue do not
 *  belong together or the queue is out of order. On failure *out is NULL. */
GPUARRAY_PUBLIC int gpucontext_from_opencl(gpucontext **out,
                                           const gpuopencl *from,
                                           const gpuforeign *how,
                                           gpucontext_props *props);

/** Make a buffer, with one reference, over all of a foreign memory object of
 *  the context's cl_context.
 *
 *  Sub-buffers are accepted. Images and objects of other contexts give
 *  GA_VALUE_ERROR. Released handles cannot be detected; many drivers crash on
 *  them. On failure *out is NULL. */
GPUARRAY_PUBLIC int gpudata_from_opencl(gpudata **out, gpucontext *ctx,
                                        cl_mem mem, const gpuforeign *how);

/** Make a buffer over `bytes` bytes of host memory, with one reference.
 *
 *  GA_DEVSUP_ERROR for devices that do not compute on host memory. Host and
 *  device may both use the memory, but not at the same time: the host may do so
 *  after gpudata_sync().
 *
 *  \param p      any address. The buffer starts at the multiple of 128 at or
 *                below it; the bytes in between are not used
 *  \param offset receives the bytes from the start of the buffer to `p`
 *  \param how    `hold` is ignored; the memory must live until `drop` is
 *                called, or without one until gpudata_sync() after the last use
 */
GPUARRAY_PUBLIC int gpudata_from_host(gpudata **out, size_t *offset,
                                      gpucontext *ctx, void *p, size_t bytes,
                                      const gpuforeign *how);

/** Make an array over a foreign memory object; the geometry is that of
 *  GpuArray_fromdata(), the buffer that of gpudata_from_opencl().
 *
 *  GA_READONLY_ERROR for `writeable` arrays over objects that kernels may only
 *  read, GA_WRITEONLY_ERROR for objects that they may only write,
 *  GA_VALUE_ERROR if elements would lie outside. On failure `a` is zeroed. */
GPUARRAY_PUBLIC int GpuArray_from_opencl(GpuArray *a, gpucontext *ctx,
                                         cl_mem mem, size_t offset,
                                         int typecode, unsigned int nd,
                                         const size_t *dims,
                                         const ssize_t *strides, int writeable,
                                         const gpuforeign *how);

#ifdef __cplusplus
}
#endif

#endif
