/* SPDX-License-Identifier: BSD-2-Clause */
/** \file record.h
 *  Kernels of your own as a prepared launch.
 *
 *  Record a GpuLaunch (launch.h): open it for some arrays, add calls of
 *  kernels, and close it. Then it runs like any other launch, and its arrays
 *  may be replaced. Equal source is compiled once per context, and the binary
 *  is stored on disk.
 *
 *      GpuLaunch *l = GpuLaunch_open(ctx, "double", 2, (GpuArray *[]){x, z});
 *      GpuLaunch_scall(l, &twice, 1, &n, 0, (void *[]){x, NULL, z, NULL, &n});
 *      err = GpuLaunch_close(&launch, l);
 *
 *  The first error sticks to an open launch, and GpuLaunch_close returns it, so
 *  calls in between need no checks. Only one thread may record a launch.
 */
#ifndef GPUARRAY_RECORD_H
#define GPUARRAY_RECORD_H

#include <gpuarray/launch.h>
#include <gpuarray/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An argument type in addition to those of types.h: the offset in bytes of the
 *  array in the GA_BUFFER argument before it, a ga_size. The launch updates it
 *  when the slot is bound to other memory. */
#define GA_OFFSET (-2)

/** A kernel, as source or compiled elsewhere, and its arguments. The caller
 *  owns what the pointers refer to; it is only read during calls. */
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
  /** Instead of `code`: a built program of this context (a cl_program from
   *  source, from a binary, or from SPIR-V if the device supports it), or a
   *  cl_kernel of such a program, which needs no `name`. The launch makes its
   *  own kernel object, so the arguments of `kernel` do not change. */
  struct _cl_program *program;
  struct _cl_kernel *kernel;
} GpuKernelSpec;

/** Begin a launch with one slot per array. `arrays` are borrowed until the
 *  launch is closed; calls refer to them by address. One without memory (data
 *  NULL) cannot be an argument of a kernel. Returns NULL if memory runs out;
 *  the other functions accept NULL and return that error. */
GPUARRAY_PUBLIC GpuLaunch *GpuLaunch_open(gpucontext *ctx, const char *label,
                                          unsigned int n_arrays,
                                          GpuArray *const *arrays);

/** Add `text`, whole lines such as #define, in front of the source of all later
 *  calls, after text that was added before. It is copied. NULL removes all of
 *  it. */
GPUARRAY_PUBLIC int GpuLaunch_define(GpuLaunch *l, const char *text);

/** Add a call of a kernel.
 *
 *  \param nd     1 to 3
 *  \param gs, ls work-groups, and work-items in each
 *  \param shared bytes of dynamic local memory (GA_DECL_SHARED_PARAM)
 *  \param args   one entry per type: a GpuArray * for GA_BUFFER, ignored for
 *                GA_OFFSET, else a pointer to the value, which is copied
 *
 *  An array that was not given to GpuLaunch_open stays bound for good, and its
 *  buffer is retained. An array without a GA_OFFSET after it must start at
 *  offset 0, else GA_COPY_ERROR, and the launch refuses other offsets later.
 *  GA_VALUE_ERROR if the kernel has other arguments than declared;
 *  GA_IMPL_ERROR, with the numbered source and the compiler's log, if it does
 *  not compile. Blocks while the driver compiles. */
GPUARRAY_PUBLIC int GpuLaunch_call(GpuLaunch *l, const GpuKernelSpec *k,
                                   unsigned int nd, const size_t *gs,
                                   const size_t *ls, size_t shared,
                                   void *const *args);
/** The same with sizes chosen for at least n[0] work-items. `nd` is 1, else
 *  GA_UNSUPPORTED_ERROR. */
GPUARRAY_PUBLIC int GpuLaunch_scall(GpuLaunch *l, const GpuKernelSpec *k,
                                    unsigned int nd, const size_t *n,
                                    size_t shared, void *const *args);

/** A host function in a launch. It gets the buffers and offsets (in bytes) of
 *  the slots, may call any function of the library for the launch's context,
 *  and returns a GA_* code. The context's lock is held meanwhile. */
typedef int (*GpuLaunch_fn)(void *state, gpucontext *ctx, gpudata *const *bufs,
                            const size_t *offs);
/** Add a call of a host function. The launch calls `drop(state)` when it is
 *  freed, or this function does so on failure; `drop` may be NULL. `provider`
 *  is shown in profiles; it is not copied. */
GPUARRAY_PUBLIC int GpuLaunch_host(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                                   void (*drop)(void *), const char *provider);

/** The state of the launch's first call of this host function; NULL if it has
 *  none. Borrowed. */
GPUARRAY_PUBLIC void *GpuLaunch_state(const GpuLaunch *l, GpuLaunch_fn fn);

/** Add to the bytes that one run reads and writes, and to the operations that
 * it computes, for profiles. */
GPUARRAY_PUBLIC void GpuLaunch_cost(GpuLaunch *l, double bytes, double flops);

/** End the recording. The caller owns *out, whose slot i is bound to array i.
 *  After a failure, of this or of an earlier call, *out is NULL and the launch
 *  is freed. */
GPUARRAY_PUBLIC int GpuLaunch_close(GpuLaunch **out, GpuLaunch *l);

/** \name Types in kernel text
 *
 *  A half is stored as ga_half and computed as a float, a bfloat as ga_bfloat:
 *  functions convert them at loads and stores. For other dtypes their names are
 *  empty.
 *
 *      "%s z = %s(x[i]); y[i] = %s(z + 1);"
 */
/**@{*/
/** The name of a dtype, such as "ga_float"; "" for an unknown one. */
GPUARRAY_PUBLIC const char *gpuarray_ctype(int dtype);
/** The dtype to compute in: GA_FLOAT for GA_HALF and GA_BFLOAT, else
 *  `dtype`. */
GPUARRAY_PUBLIC int gpuarray_work_dtype(int dtype);
/** The function around a load of this dtype: "ga_half2float",
 *  "ga_bfloat2float" or "". */
GPUARRAY_PUBLIC const char *gpuarray_load_w(int dtype);
/** The function around a value to store: "ga_float2half", "ga_float2bfloat" or
 *  "". */
GPUARRAY_PUBLIC const char *gpuarray_write_w(int dtype);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
