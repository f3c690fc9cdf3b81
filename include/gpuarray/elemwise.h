/* SPDX-License-Identifier: BSD-2-Clause */
/** \file elemwise.h
 * Elementwise expressions over arrays, compiled for the device. */
#ifndef GPUARRAY_ELEMWISE_H
#define GPUARRAY_ELEMWISE_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled expression. It may be called with arrays of any shape; threads
 * may share one. */
typedef struct _GpuElemwise GpuElemwise;

/* Flags of an argument; an array may be read and written. */
#define GE_SCALAR 0x0001 /**< one value from the host */
#define GE_READ 0x0002
#define GE_WRITE 0x0004

typedef struct _gpuelemwise_arg {
  const char *name; /**< the argument's name in the expression */
  int typecode;     /**< of the elements, not GA_BUFFER */
  int flags;        /**< GE_SCALAR, or GE_READ and GE_WRITE */
} gpuelemwise_arg;

/* Flags of GpuElemwise_new(). */
#define GE_NOADDR64 0x0001    /**< arrays will be below 2^31 elements */
#define GE_CONVERT_F16 0x0002 /**< the expression sees halfs as floats */

/** Compile `expr` for the arguments `args[0..n)`.
 *
 * `expr` is OpenCL C over the names of the arguments, each of which stands for
 * one element: "c = a + b". It may have preprocessor lines, which are evaluated
 * once, in front of the kernel; KERNEL is defined there. `preamble` (may be
 * NULL) comes before them and may define functions that `expr` calls. `nd` is a
 * hint: the rank to prepare for; calls may have any rank. All strings are
 * copied.
 *
 * Returns an object that the caller frees with GpuElemwise_free(), or NULL;
 * gpucontext_error() then gives the reason, with the compiler's log if there is
 * one. */
GPUARRAY_PUBLIC GpuElemwise *GpuElemwise_new(gpucontext *ctx,
                                             const char *preamble,
                                             const char *expr, unsigned int n,
                                             gpuelemwise_arg *args,
                                             unsigned int nd, int flags);

/** Free the object; accepts NULL. Enqueued calls finish. */
GPUARRAY_PUBLIC void GpuElemwise_free(GpuElemwise *ge);

/* Flags of GpuElemwise_call(). */
#define GE_BROADCAST 0x0100  /**< dimensions of size 1 repeat */
#define GE_NOCOLLAPSE 0x0200 /**< keep the dimensions as given; slower */
#define GE_PADSHAPE 0x0400   /**< missing leading dimensions count as size 1 */

/** Evaluate the expression for every element.
 *
 * `args` holds one pointer per argument, in the order of GpuElemwise_new(): a
 * GpuArray *, or for GE_SCALAR the host value, read before the call returns.
 * Shapes must be equal unless `flags` allows otherwise; an array that is
 * written is never broadcast. Strides and offsets may be any. Arrays that are
 * written may be the same as arrays that are read; a partial overlap gives
 * undefined values. Does not block.
 *
 * GA_VALUE_ERROR for shapes or types that do not fit, GA_READONLY_ERROR for a
 * written array that is not writeable, GA_UNALIGNED_ERROR for misaligned
 * ones. */
GPUARRAY_PUBLIC int GpuElemwise_call(GpuElemwise *ge, void **args, int flags);

#ifdef __cplusplus
}
#endif

#endif
