/* SPDX-License-Identifier: BSD-2-Clause */
/** \file launch.h
 *  Prepared launches, which are planned once and run many times.
 *
 *  The calls of elemwise.h, blas.h and reduction.h check shapes, strides and
 *  dtypes, choose kernels and set arguments each time. A GpuLaunch is the
 *  result of that for one geometry. Running it only enqueues its kernels. Its
 *  arrays are bound to slots, which have indices from 0, and can be replaced by
 *  others of the same dtype, shape and strides.
 */
#ifndef GPUARRAY_LAUNCH_H
#define GPUARRAY_LAUNCH_H

#include <gpuarray/array.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/elemwise.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One or more kernels with their arguments, ready to be enqueued. It retains
 *  the context and every bound buffer. */
typedef struct GpuLaunch GpuLaunch;

/** Free a launch. Work already enqueued is unaffected. Accepts NULL. */
GPUARRAY_PUBLIC void GpuLaunch_free(GpuLaunch *l);

/** Bind a buffer to a slot.
 *
 *  \param slot its index; the function that prepared the launch documents it
 *  \param buf  a buffer of the same context, retained until replaced
 *  \param offset where the array starts in it, in bytes
 *
 *  Costs nothing if buffer and offset are already bound. A launch that was
 *  prepared for aligned offsets refuses others with GA_UNALIGNED_ERROR.
 *  GA_VALUE_ERROR for a slot that does not exist, a buffer of another context
 *  and an offset beyond the buffer. On failure the old binding stays. Does not
 *  block. */
GPUARRAY_PUBLIC int GpuLaunch_bind(GpuLaunch *l, unsigned int slot,
                                   gpudata *buf, size_t offset);

/** Release the buffer in a slot, so that its memory can be reused.
 *  GpuLaunch_run returns GA_VALUE_ERROR until another one is bound. */
GPUARRAY_PUBLIC int GpuLaunch_unbind(GpuLaunch *l, unsigned int slot);

/** Replace the value of a slot that was prepared as GE_SCALAR, else
 *  GA_VALUE_ERROR.
 *  \param value points to one element of the slot's dtype, copied now */
GPUARRAY_PUBLIC int GpuLaunch_bind_scalar(GpuLaunch *l, unsigned int slot,
                                          const void *value);

/** Enqueue the kernels. Does not block, allocate or query. Several threads may
 *  call this (the context's lock serialises them), but not while another thread
 *  binds. GA_VALUE_ERROR if a slot has no buffer. */
GPUARRAY_PUBLIC int GpuLaunch_run(GpuLaunch *l);

/** \name Workspaces
 *  Memory that kernels of a launch need while they run. Preparing a launch
 *  allocates it. A caller may provide it instead: launches of one context may
 *  share a workspace, since their kernels run one after the other. Tables, and
 *  what functions of the host use, stay with the launch. */
/**@{*/
/** Set *bytes to the size of a workspace for the launch, whatever its offset;
 *  0 if the launch needs none. */
GPUARRAY_PUBLIC int GpuLaunch_workspace_bytes(const GpuLaunch *l,
                                              size_t *bytes);
/** Let the launch use the memory in `buf` from byte `offset` on. What it had
 *  before is released.
 *
 *  \param buf a buffer of the same context that kernels may read and write,
 *             retained until replaced. NULL: the launch has no workspace; if it
 *             needs one, GpuLaunch_run returns GA_VALUE_ERROR until it has one
 *
 *  GA_VALUE_ERROR for a buffer of another context, and if there are fewer than
 *  GpuLaunch_workspace_bytes bytes. On failure nothing changes. No array of the
 *  launch may lie in its workspace, which is not checked. Does not block. */
GPUARRAY_PUBLIC int GpuLaunch_bind_workspace(GpuLaunch *l, gpudata *buf,
                                             size_t offset);
/**@}*/

/** Properties and measurements of a launch. Times are device times of the calls
 *  made while the context was profiling (profile.h). */
typedef struct GpuLaunchStats {
  const char *label;    /**< a name, e.g. "gemv"; borrowed */
  const char *provider; /**< whose code computes: "own" or "clblast", or
                             "direct" for convolutions that are no products;
                             borrowed */
  unsigned int kernels; /**< commands enqueued per run */
  uint64_t calls;       /**< profiled runs */
  double seconds;       /**< device time over those runs */
  double bytes;         /**< bytes that one run must read and write */
  double flops;         /**< arithmetic operations of one run */
  unsigned int made;    /**< kernels that preparing could not take over from the
                             launch that it replaced (GpuLaunch_renew) */
} GpuLaunchStats;

/** Read the figures of a launch. Blocks until profiled commands have ended. */
GPUARRAY_PUBLIC int GpuLaunch_stats(GpuLaunch *l, GpuLaunchStats *out);

/** Replace the label shown in profiles; the text is copied. */
GPUARRAY_PUBLIC int GpuLaunch_label(GpuLaunch *l, const char *label);

/** The OpenCL C source of kernel `k`, from 0, without the prelude, or NULL when
 *  there is none (foreign kernels). Borrowed. */
GPUARRAY_PUBLIC const char *GpuLaunch_source(const GpuLaunch *l,
                                             unsigned int k);

/** Offer a launch to this thread, which takes it over: the next launch that the
 *  thread prepares, or opens for recording, replaces it. It takes over kernels
 *  whose source is the same for the new sizes, and sets only the arguments that
 *  differ; what it cannot use is freed.
 *
 *  The old launch is gone, also if preparing fails. Work already enqueued is
 *  unaffected. Calls without a launch, as GpuElemwise_call, do not take it.
 *  NULL withdraws an offer. Returns what was offered before and not taken; the
 *  caller owns it. */
GPUARRAY_PUBLIC GpuLaunch *GpuLaunch_renew(GpuLaunch *old);

/** Say for which question a launch was prepared: numbers that hold all that its
 *  kernels and their arguments depend on, such as what is computed, sizes,
 *  strides, alignment of offsets and values of scalars, but not buffers and
 *  offsets. `answer` are numbers of the caller, which come with the launch if
 *  it answers the question again. Both are copied. */
GPUARRAY_PUBLIC int GpuLaunch_set_question(GpuLaunch *l, const size_t *question,
                                           size_t n, const size_t *answer,
                                           size_t n_answer);
/** Take the launch that was offered to this thread (GpuLaunch_renew), if it
 *  answers this question without being prepared: because it was prepared for
 *  the same one, or because a launch with the same kernels was, whose arguments
 *  it gets. Launches with host functions, or whose indices are guarded, answer
 *  nothing. Its slots keep their buffers: bind them. The caller owns the
 *  launch; the answer is borrowed from it. NULL: prepare a launch. */
GPUARRAY_PUBLIC GpuLaunch *GpuLaunch_renew_for(const size_t *question, size_t n,
                                               const size_t **answer);

/** Switch flushing of subnormal numbers on or off for launches that this thread
 *  prepares from now on; it is off at first. Returns the old setting. Kernels
 *  that flush treat subnormals as zeros, on CPUs whose driver has
 *  -cl-denorms-are-zero; arithmetic with subnormals is many times slower there.
 *  Kernels of your own (kernel.h, record.h) and calls without a launch, such as
 *  GpuElemwise_call, never flush. */
GPUARRAY_PUBLIC int GpuLaunch_flush_subnormals(int on);

/** \name Elementwise
 *
 *  A GpuElemwise may have any number of GE_WRITE arguments and its expression
 *  may be several statements.
 *
 *  GE_VECTOR in the flags of GpuElemwise_new states that every value in the
 *  statements may be an OpenCL vector as well as a scalar; they have no
 *  preamble and no branches. The generator then chooses the width that suits
 *  the device. Rules for such text:
 *    - types are named w_bool w_char w_uchar w_short w_ushort w_int w_uint
 *      w_long w_ulong w_half w_bfloat (work as float) w_float w_double;
 *    - literals are cast: (w_float)(0.5f);
 *    - conversions are w_to_float(v), w_to_int(v), ... and never C casts;
 *    - comparisons and w_bool values are used only with ?:, &, |, ^ and !, or
 *      assigned to w_bool variables, without w_to_bool; w_from_bool_float(b)
 *      and the like turn them into numbers 0 and 1, w_to_bool(v) is v != 0;
 *    - functions are OpenCL built-ins that take vectors, with all arguments of
 *      the same type.
 *  A w_bool holds 0 and 1 in scalar code and lanes of 0 and -1 in vector code;
 *  loads and stores translate. */
/**@{*/
#define GE_VECTOR 0x0800

/** Prepare a call of `ge` for these arguments.
 *
 *  \param out  the launch, owned by the caller; slot i is argument i
 *  \param args as for GpuElemwise_call: GpuArray * or, for GE_SCALAR, a pointer
 *              to the value
 *  \param flags as for GpuElemwise_call (GE_BROADCAST, ...)
 *
 *  Errors are those of GpuElemwise_call. Output arrays must not overlap inputs
 *  except when they are the very same array (same buffer, offset, strides). */
GPUARRAY_PUBLIC int GpuElemwise_prepare(GpuLaunch **out, GpuElemwise *ge,
                                        void **args, int flags);
/**@}*/

/** \name BLAS
 *  Slots are numbered in the order of the array parameters. Same arguments and
 *  errors as the direct calls of blas.h, without the copies that nocopy = 0
 *  permits: an operand that BLAS cannot describe gives GA_COPY_ERROR. */
/**@{*/
GPUARRAY_PUBLIC int GpuArray_rgemv_prepare(GpuLaunch **out, cb_transpose transA,
                                           double alpha, GpuArray *A,
                                           GpuArray *X, double beta,
                                           GpuArray *Y);
GPUARRAY_PUBLIC int GpuArray_rgemm_prepare(GpuLaunch **out, cb_transpose transA,
                                           cb_transpose transB, double alpha,
                                           GpuArray *A, GpuArray *B,
                                           double beta, GpuArray *C);
GPUARRAY_PUBLIC int GpuArray_rger_prepare(GpuLaunch **out, double alpha,
                                          GpuArray *X, GpuArray *Y,
                                          GpuArray *A);
GPUARRAY_PUBLIC int GpuArray_rdot_prepare(GpuLaunch **out, GpuArray *X,
                                          GpuArray *Y, GpuArray *Z);
GPUARRAY_PUBLIC int
GpuArray_rgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                               cb_transpose transB, double alpha, GpuArray *A,
                               GpuArray *B, double beta, GpuArray *C);

/** What is computed from the elements of a product before they are stored. Set
 *  members that you do not use to 0. */
typedef struct GpuEpilogue {
  /** Statements over the names of `args` and over `acc`, the element of alpha
   *  op(A) op(B) + beta C, in the work type of the product's dtype and not
   *  rounded to it. They assign the writable arguments. */
  const char *text;
  const char *preamble; /**< source before the kernel, or NULL */
  unsigned int n_args;
  /** GE_READ and/or GE_WRITE, or GE_SCALAR; real dtypes, bool and integers.
   *  At least one is written. Names are C names that do not begin with p_. */
  const gpuelemwise_arg *args;
  int flags; /**< GE_VECTOR: `text` is vector-safe by the rules above */
  /** The epilogue of the sum of X's elements, or NULL. In its `text`, `acc` is
   *  that sum, in the work type of X's dtype; its `args` are arrays of rank 0
   *  and scalars. Only for products with a vector whose alpha is not 0. It
   *  takes nearly no time there. The order of the sum depends on the device and
   *  is the same in every run. */
  const struct GpuEpilogue *sum;
  /** The map in front, or NULL: only for launches that read elements of windows
   *  (GpuPooling_epilogue_prepare). Its `text` assigns `v`, the element, in the
   *  work type of the source's dtype; its `args` are read or scalars. */
  const struct GpuEpilogue *front;
  /** What GpuEpilogue_read() has read, or NULL: then each preparation reads
   *  `text` and checks `args` anew. */
  struct GpuEpilogueText *read;
} GpuEpilogue;

/** What is known of an epilogue before its arguments are. */
typedef struct GpuEpilogueText GpuEpilogueText;

/** Check a description and read its text, once for many preparations.
 *
 *  \param ctx      where the products are
 *  \param typecode their dtype; others read the text again
 *
 *  Its sum is a description of its own, which you may read, too. Keep all other
 *  members as they are until GpuEpilogue_forget(). Errors are those of a
 *  preparation, and leave `e` as it is. */
GPUARRAY_PUBLIC int GpuEpilogue_read(GpuEpilogue *e, gpucontext *ctx,
                                     int typecode);
/** Free what was read. Accepts NULL, and what was not read. */
GPUARRAY_PUBLIC void GpuEpilogue_forget(GpuEpilogue *e);

/** Prepare a product whose kernel applies the epilogue `e` to its elements.
 *
 *  \param Y    (C) read when beta is not 0, never written; with a beta of 0 it
 *              may be NULL
 *  \param args n_args pointers: GpuArray * of the result's rank, each size that
 *              of the result or, if it is only read, 1; any strides; or for
 *              GE_SCALAR a pointer to the value, read before the call returns;
 *              after them those of e->sum
 *
 *  Slots: A, X (B), Y (C; unused when it is not read), then the arguments. A
 *  written argument may be the same array as Y (C) or as arguments that are
 *  read; otherwise it must not share elements with anything (GA_VALUE_ERROR).
 *  Arguments of the sum may be the same arrays as each other only. Strings are
 *  copied. The epilogue also applies to results of empty sums, for example when
 *  A has no columns. */
GPUARRAY_PUBLIC int GpuArray_rgemv_epilogue_prepare(
    GpuLaunch **out, cb_transpose transA, double alpha, GpuArray *A,
    GpuArray *X, double beta, GpuArray *Y, const GpuEpilogue *e, void **args);
/** The same for a product of two matrices. */
GPUARRAY_PUBLIC int
GpuArray_rgemm_epilogue_prepare(GpuLaunch **out, cb_transpose transA,
                                cb_transpose transB, double alpha, GpuArray *A,
                                GpuArray *B, double beta, GpuArray *C,
                                const GpuEpilogue *e, void **args);
/** The same for a batch of such products, along the first axis of all arrays.
 *  Arguments have three axes. */
GPUARRAY_PUBLIC int GpuArray_rgemmBatch_3d_epilogue_prepare(
    GpuLaunch **out, cb_transpose transA, cb_transpose transB, double alpha,
    GpuArray *A, GpuArray *B, double beta, GpuArray *C, const GpuEpilogue *e,
    void **args);
/**@}*/

/** Prepare a[...] = v[i[...]] along the first axis (GpuArray_take1). Slots: 0
 *  the result, 1 the values, 2 the indices. Negative indices count from the
 *  end. Indices out of range are clamped; they are reported only if indices are
 *  guarded (index_guard.h). */
GPUARRAY_PUBLIC int GpuArray_take1_prepare(GpuLaunch **out, GpuArray *a,
                                           const GpuArray *v,
                                           const GpuArray *i);

#ifdef __cplusplus
}
#endif

#endif
