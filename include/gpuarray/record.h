/* SPDX-License-Identifier: BSD-2-Clause */
/** \file record.h
 *  Kernels of your own as a prepared launch.
 *
 *  Record a GpuLaunch (launch.h): open it for some arrays, add calls of
 *  kernels, close it. From then on it runs like any other, and its arrays may
 *  be exchanged. Equal source is compiled once per context and kept on disk.
 *
 *      GpuLaunch *l = GpuLaunch_open(ctx, "double", 2, (GpuArray *[]){x, z});
 *      GpuLaunch_scall(l, &twice, 1, &n, 0, (void *[]){x, NULL, z, NULL, &n});
 *      err = GpuLaunch_close(&launch, l);
 *
 *  Errors stick to an open launch, and GpuLaunch_close returns them, so calls
 *  in between need no checks. One thread records a launch.
 */
#ifndef GPUARRAY_RECORD_H
#define GPUARRAY_RECORD_H

#include <gpuarray/launch.h>
#include <gpuarray/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An argument type beside those of types.h: the byte offset of the array in
 *  the GA_BUFFER argument before it, a ga_size. The launch updates it when the
 *  slot is bound to other memory. */
#define GA_OFFSET (-2)

/** A kernel and how it is called: source, or a kernel compiled elsewhere.
 *  Nothing is retained or freed. */
typedef struct GpuKernelSpec {
  const char *name; /**< of the kernel function */
  /** OpenCL C. It may use the cluda names (KERNEL, LID_0, ga_size ...), with or
   *  without #include "cluda.h". With GA_USE_OPENCL in `flags` and without that
   *  include none of these names is defined. */
  const char *code;
  unsigned int n_types;
  /** One per argument: GA_BUFFER for device memory, GA_OFFSET after it, GA_SIZE
   *  and GA_SSIZE, or a dtype. Dynamic local memory is not counted. */
  const int *types;
  int flags; /**< GA_USE_* (buffer.h); see gpuarray_type_flags */
  /** Instead of `code`: a built program of this context (a cl_program made of
   *  source, of a binary or of SPIR-V, as the device takes), or one of its
   *  kernels, a cl_kernel, which needs no `name`. Its arguments do not change:
   *  the launch has a kernel object of its own. */
  struct _cl_program *program;
  struct _cl_kernel *kernel;
} GpuKernelSpec;

/** Begin a launch with one slot per array. `arrays` are borrowed until the
 *  launch is closed; calls refer to them by address. One without memory (data
 *  NULL) cannot be an argument of a kernel. Returns NULL when memory is out;
 *  the other functions accept that and report it. */
GPUARRAY_PUBLIC GpuLaunch *GpuLaunch_open(gpucontext *ctx, const char *label,
                                          unsigned int n_arrays,
                                          GpuArray *const *arrays);

/** Add `text`, whole lines such as #define, in front of the source of all calls
 *  that follow, after what was added before. Copied; NULL removes all of it. */
GPUARRAY_PUBLIC int GpuLaunch_define(GpuLaunch *l, const char *text);

/** Add a call of a kernel.
 *
 *  \param nd     1 to 3
 *  \param gs, ls work-groups, and work-items in each
 *  \param shared bytes of dynamic local memory (GA_DECL_SHARED_PARAM)
 *  \param args   one entry per type: a GpuArray * for GA_BUFFER, ignored for
 *                GA_OFFSET, else a pointer to the value, which is copied
 *
 *  An array that was not given to GpuLaunch_open stays bound for good. An array
 *  without a GA_OFFSET after it has to start at offset 0, else GA_COPY_ERROR,
 *  and the launch refuses other offsets later. GA_VALUE_ERROR when the kernel
 *  has other arguments than declared; GA_IMPL_ERROR, with the numbered source
 *  and the compiler's log, when it does not compile. */
GPUARRAY_PUBLIC int GpuLaunch_call(GpuLaunch *l, const GpuKernelSpec *k,
                                   unsigned int nd, const size_t *gs,
                                   const size_t *ls, size_t shared,
                                   void *const *args);
/** The same with sizes chosen for at least n[0] work-items. `nd` is 1, else
 *  GA_UNSUPPORTED_ERROR. */
GPUARRAY_PUBLIC int GpuLaunch_scall(GpuLaunch *l, const GpuKernelSpec *k,
                                    unsigned int nd, const size_t *n,
                                    size_t shared, void *const *args);

/** A host function in a launch. It gets what is bound to the slots, may use any
 *  function of the library on the launch's context, and returns a GA_* code.
 *  The context is locked meanwhile. */
typedef int (*GpuLaunch_fn)(void *state, gpucontext *ctx, gpudata *const *bufs,
                            const size_t *offs);
/** Add a call of a host function. `drop(state)` (`drop` may be NULL) is called
 *  when the launch is freed, or now when this fails. `provider` is shown in
 *  profiles; it is not copied. */
GPUARRAY_PUBLIC int GpuLaunch_host(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                                   void (*drop)(void *), const char *provider);

/** Add to the bytes that one run reads and writes, and to the operations that
 * it computes, for profiles. */
GPUARRAY_PUBLIC void GpuLaunch_cost(GpuLaunch *l, double bytes, double flops);

/** End the recording: *out is the launch, slot i bound to array i. On failure,
 *  also of an earlier call, it is NULL and all is freed. */
GPUARRAY_PUBLIC int GpuLaunch_close(GpuLaunch **out, GpuLaunch *l);

/** \name Types in kernel text
 *
 *  A half is stored as ga_half and computed as a float: loads and stores are
 *  wrapped in functions, whose names are empty for other dtypes.
 *
 *      "%s z = %s(x[i]); y[i] = %s(z + 1);"
 */
/**@{*/
/** The name of a dtype, such as "ga_float"; "" for an unknown one. */
GPUARRAY_PUBLIC const char *gpuarray_ctype(int dtype);
/** The dtype to compute in: GA_FLOAT for GA_HALF, else `dtype`. */
GPUARRAY_PUBLIC int gpuarray_work_dtype(int dtype);
/** The function around a load of this dtype: "ga_half2float" or "". */
GPUARRAY_PUBLIC const char *gpuarray_load_w(int dtype);
/** The function around a value to store: "ga_float2half" or "". */
GPUARRAY_PUBLIC const char *gpuarray_write_w(int dtype);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
