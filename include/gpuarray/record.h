/* SPDX-License-Identifier: BSD-2-Clause */
/** \file record.h
 *  Kernels of your own as a prepared launch.
 *
 *  A GpuLaunch (launch.h) is recorded: open it for some arrays, add calls of
 *  kernels, close it. From then on it runs like any other, and its arrays may
 *  be exchanged. Text is compiled once per context, whoever asks for it, and
 *  kept on disk.
 *
 *      GpuLaunch *l = GpuLaunch_open(ctx, "double", 2, (GpuArray *[]){x, z});
 *      GpuLaunch_scall(l, &twice, 1, &n, 0, (void *[]){x, NULL, z, NULL, &n});
 *      err = GpuLaunch_close(&launch, l);
 *
 *  Errors stick to an open launch and come out when it is closed, so that calls
 *  need no checks in between. One thread records a launch.
 */
#ifndef GPUARRAY_RECORD_H
#define GPUARRAY_RECORD_H

#include <gpuarray/launch.h>
#include <gpuarray/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An argument type beside those of types.h: the byte offset of the array in
 *  the GA_BUFFER argument before it, a ga_size. It is known to the launch, so
 *  it follows when the slot is bound to other memory. */
#define GA_OFFSET (-2)

/** A kernel and how it is called. Text, or a kernel compiled elsewhere; nothing
 *  is retained or freed. */
typedef struct GpuKernelSpec {
  const char *name; /**< of the kernel function */
  /** OpenCL C. It may use the cluda names (KERNEL, LID_0, ga_size ...), with
   *  or without #include "cluda.h"; with GA_USE_OPENCL in `flags` and without
   *  that include it has all names to itself. */
  const char *code;
  unsigned int n_types;
  /** One per argument: GA_BUFFER for device memory, GA_OFFSET after it, GA_SIZE
   *  and GA_SSIZE, or a dtype. Dynamic local memory is not counted. */
  const int *types;
  int flags; /**< GA_USE_* (buffer.h); gpuarray_type_flags tells some */
  /** Instead of `code`: a built program of this context (a cl_program made of
   *  source, of a binary or of SPIR-V, as the device takes), or one of its
   *  kernels, a cl_kernel, which then need not be named. Its arguments are left
   *  alone: the launch has a kernel object of its own. */
  struct _cl_program *program;
  struct _cl_kernel *kernel;
} GpuKernelSpec;

/** Begin a launch with one slot per array. `arrays` are borrowed until the
 *  launch is closed, and later told apart by their addresses; one without
 *  memory (data NULL) cannot be given to kernels. Returns NULL when memory is
 *  out, which the other functions take for an error. */
GPUARRAY_PUBLIC GpuLaunch *GpuLaunch_open(gpucontext *ctx, const char *label,
                                          unsigned int n_arrays,
                                          GpuArray *const *arrays);

/** Put `text`, whole lines such as #define, in front of the code of all calls
 *  that follow, behind what was put there before. Copied; NULL takes all of it
 *  away again. */
GPUARRAY_PUBLIC int GpuLaunch_define(GpuLaunch *l, const char *text);

/** Add a call of a kernel.
 *
 *  \param nd     1 to 3
 *  \param gs, ls work-groups, and work-items in each
 *  \param shared bytes of dynamic local memory (GA_DECL_SHARED_PARAM)
 *  \param args   one entry per type: a GpuArray * for GA_BUFFER, ignored for
 *                GA_OFFSET, else a pointer to the value, which is copied
 *
 *  An array that is none of the launch's own stays bound for good. A buffer
 *  without a GA_OFFSET behind it has to start at offset 0: else GA_COPY_ERROR,
 *  and the launch refuses other offsets later. A kernel with other arguments
 *  than declared gives GA_VALUE_ERROR; one that does not compile
 *  GA_IMPL_ERROR with the numbered source and the compiler's log. */
GPUARRAY_PUBLIC int GpuLaunch_call(GpuLaunch *l, const GpuKernelSpec *k,
                                   unsigned int nd, const size_t *gs,
                                   const size_t *ls, size_t shared,
                                   void *const *args);
/** The same with sizes chosen for n[0] work-items, possibly more. `nd` is 1,
 *  else GA_UNSUPPORTED_ERROR. */
GPUARRAY_PUBLIC int GpuLaunch_scall(GpuLaunch *l, const GpuKernelSpec *k,
                                    unsigned int nd, const size_t *n,
                                    size_t shared, void *const *args);

/** Work of the host in a launch. It gets what is bound to the slots, may use
 *  any function of the library on the launch's context, and returns a GA_*
 *  code. The context is locked meanwhile. */
typedef int (*GpuLaunch_fn)(void *state, gpucontext *ctx, gpudata *const *bufs,
                            const size_t *offs);
/** Add a call of a host function. `state` is given to `drop` (may be NULL) with
 *  the launch's end, or now when this fails. `provider` is shown in profiles
 *  and not copied. */
GPUARRAY_PUBLIC int GpuLaunch_host(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                                   void (*drop)(void *), const char *provider);

/** Add to what one run reads and writes, in bytes, and computes. */
GPUARRAY_PUBLIC void GpuLaunch_cost(GpuLaunch *l, double bytes, double flops);

/** End the recording: *out is the launch, slot i bound to array i. On failure,
 *  also of an earlier call, it is NULL and all is freed. */
GPUARRAY_PUBLIC int GpuLaunch_close(GpuLaunch **out, GpuLaunch *l);

/** \name Types in kernel text
 *
 *  A half is stored as ga_half and worked with as a float: loads and stores are
 *  wrapped in functions, which are no functions ("") for other dtypes.
 *
 *      "%s z = %s(x[i]); y[i] = %s(z + 1);"
 */
/**@{*/
/** The name of a dtype, such as "ga_float"; "" if there is none. */
GPUARRAY_PUBLIC const char *gpuarray_ctype(int dtype);
/** The dtype to work in: GA_FLOAT for GA_HALF, else `dtype`. */
GPUARRAY_PUBLIC int gpuarray_work_dtype(int dtype);
/** What to wrap a read of this dtype in: "ga_half2float" or "". */
GPUARRAY_PUBLIC const char *gpuarray_load_w(int dtype);
/** What to wrap a value that is written in: "ga_float2half" or "". */
GPUARRAY_PUBLIC const char *gpuarray_write_w(int dtype);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
