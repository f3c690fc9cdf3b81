/* SPDX-License-Identifier: BSD-2-Clause */
/** \file dlpack.h
 *  Arrays as DLPack tensors, in both directions.
 *
 *  The structures are those of DLPack's own header, which a caller that looks
 *  into them includes; here they are only named. "Versioned" is DLPack 1.x,
 *  "legacy" what was before it.
 *
 *  Streams: `stream` is a cl_command_queue of the other side, or NULL. On
 *  export, the other side's queue is made to wait for the array's work; with
 *  NULL the call blocks until that work is done. On import, our work is made to
 *  wait for all that the producer has enqueued there; with NULL the producer
 *  has finished. */
#ifndef GPUARRAY_DLPACK_H
#define GPUARRAY_DLPACK_H

#include <gpuarray/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/** Where the tensor's memory is; DLPack's numbers. */
typedef enum gpudlpack_device {
  GPU_DLPACK_CPU = 1,   /**< `data` points to memory of the host */
  GPU_DLPACK_OPENCL = 4 /**< `data` is a cl_mem, `device_id` 0 */
} gpudlpack_device;

/** Make a tensor of an array. Its deleter must be called, once.
 *
 *  As GPU_DLPACK_OPENCL the memory is shared; strides that are not whole
 *  elements need a copy. As GPU_DLPACK_CPU it is shared where the device
 *  computes on the host's memory: then it is mapped until the deleter is
 *  called, and nothing may be computed with the array meanwhile. Elsewhere it
 *  is copied. GA_COPY_ERROR where a copy would be needed and `copy` forbids
 *  it.
 *
 *  An array that is not writeable becomes a read-only tensor; the legacy form
 *  has no word for that, so there it needs a copy. GA_UNSUPPORTED_ERROR for
 *  types and devices that DLPack or this library does not have. On failure *out
 *  is NULL. */
GPUARRAY_PUBLIC int GpuArray_to_dlpack(struct DLManagedTensorVersioned **out,
                                       const GpuArray *a,
                                       gpudlpack_device device, ga_copyif copy,
                                       void *stream);
GPUARRAY_PUBLIC int GpuArray_to_dlpack_legacy(struct DLManagedTensor **out,
                                              const GpuArray *a,
                                              gpudlpack_device device,
                                              ga_copyif copy, void *stream);

/** Make an array of a tensor, which the library takes over on success: its
 *  deleter is called exactly once, when the last view has gone and the device
 *  is done, or at once when the elements were copied. On failure the tensor
 *  stays the caller's, and `a` is zeroed.
 *
 *  OpenCL tensors of the context's cl_context are shared. CPU tensors are
 *  shared where the device computes on the host's memory, else copied if
 *  `copy` allows it. A read-only tensor gives an array that is not writeable.
 *
 *  GA_VALUE_ERROR for memory of another context or too little of it, sizes,
 *  strides or offsets that make no sense, a NULL shape or no data;
 *  GA_UNSUPPORTED_ERROR for other devices, types and versions. */
GPUARRAY_PUBLIC int GpuArray_from_dlpack(GpuArray *a, gpucontext *ctx,
                                         struct DLManagedTensorVersioned *t,
                                         ga_copyif copy, void *stream);
GPUARRAY_PUBLIC int GpuArray_from_dlpack_legacy(GpuArray *a, gpucontext *ctx,
                                                struct DLManagedTensor *t,
                                                ga_copyif copy, void *stream);

#ifdef __cplusplus
}
#endif

#endif
