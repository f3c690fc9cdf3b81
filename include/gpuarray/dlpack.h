/* SPDX-License-Identifier: BSD-2-Clause */
/** \file dlpack.h
 *  Arrays as DLPack tensors, in both directions.
 *
 *  The structures are those of DLPack's own header, which a program includes to
 *  access their members; here they are only declared. "Versioned" is DLPack
 *  1.x, "legacy" any version before.
 *
 *  Streams: `stream` is a cl_command_queue of the consumer or producer, or
 *  NULL. On export, that queue waits for the array's work; with NULL the call
 *  blocks until that work is done. On import, the library's work waits for
 *  everything that the producer has enqueued there; NULL means that the
 *  producer has finished. */
#ifndef GPUARRAY_DLPACK_H
#define GPUARRAY_DLPACK_H

#include <gpuarray/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/** Where the tensor's memory is; DLPack's values. */
typedef enum gpudlpack_device {
  GPU_DLPACK_CPU = 1,   /**< `data` points to host memory */
  GPU_DLPACK_OPENCL = 4 /**< `data` is a cl_mem, `device_id` 0 */
} gpudlpack_device;

/** Make a tensor from an array. The caller must call its deleter once.
 *
 *  With GPU_DLPACK_OPENCL the memory is shared; strides that are not multiples
 *  of the element size need a copy. With GPU_DLPACK_CPU it is shared if the
 *  device computes on host memory: it is mapped until the deleter is called,
 *  and kernels must not use the array meanwhile. Otherwise it is copied, which
 *  blocks. GA_COPY_ERROR when a copy is needed and `copy` forbids it.
 *
 *  An array that is not writeable becomes a read-only tensor; the legacy form
 *  cannot express that, so it needs a copy. GA_UNSUPPORTED_ERROR for types and
 *  devices that DLPack or this library does not have. On failure *out is
 *  NULL. */
GPUARRAY_PUBLIC int GpuArray_to_dlpack(struct DLManagedTensorVersioned **out,
                                       const GpuArray *a,
                                       gpudlpack_device device, ga_copyif copy,
                                       void *stream);
GPUARRAY_PUBLIC int GpuArray_to_dlpack_legacy(struct DLManagedTensor **out,
                                              const GpuArray *a,
                                              gpudlpack_device device,
                                              ga_copyif copy, void *stream);

/** Make an array from a tensor. On success the library owns the tensor and
 *  calls its deleter exactly once: when the last view is released and the
 *  device has finished, or at once when the elements were copied. On failure
 *  the caller still owns the tensor, and `a` is zeroed.
 *
 *  OpenCL tensors of the context's cl_context are shared. CPU tensors are
 *  shared if the device computes on host memory, otherwise copied if `copy`
 *  allows it, else GA_COPY_ERROR. A read-only tensor gives an array that is not
 *  writeable.
 *
 *  GA_VALUE_ERROR for memory of another context or too little of it, for
 *  invalid sizes, strides or offsets, and for a NULL shape or NULL data;
 *  GA_UNSUPPORTED_ERROR for other devices, dtypes and versions. */
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
