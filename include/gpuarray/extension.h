/* SPDX-License-Identifier: BSD-2-Clause */
/** \file extension.h
 * Functions that are looked up by name, because their types need other
 * headers. */
#ifndef GPUARRAY_EXTENSIONS_H
#define GPUARRAY_EXTENSIONS_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For programs that also know the CUDA backend of libgpuarray; nothing here
 * uses them. */
#define GPUARRAY_CUDA_CTX_NOFREE 0x10000000
#define GPUARRAY_CUDA_WAIT_READ 0x10000
#define GPUARRAY_CUDA_WAIT_WRITE 0x20000

typedef struct _GpuArrayIpcMemHandle {
  char priv[64];
} GpuArrayIpcMemHandle;

/** Look up an extension. Returns NULL if there is none of that name, as for all
 *  "cuda_" ones.
 *
 *   cl_make_ctx     gpucontext *(cl_context, gpucontext_props *)
 *                   wraps and retains a context; props may be NULL and are
 *                   freed; NULL on failure
 *   cl_get_stream   cl_command_queue (gpucontext *)
 *                   borrowed; its commands are in order with the library's
 *   cl_make_buf     gpudata *(gpucontext *, cl_mem)
 *                   retains the memory object; NULL on failure
 *   cl_get_buf      cl_mem (gpudata *)
 *                   borrowed
 *
 *  Cast the result to a pointer to a function of that type. */
GPUARRAY_PUBLIC void *gpuarray_get_extension(const char *name);

#ifdef __cplusplus
}
#endif

#endif
