/* SPDX-License-Identifier: BSD-2-Clause */
/** \file convert.h
 *  Pass arrays to code that does not take all strides: share memory if strides
 *  allow it, copy if that is needed and allowed, and fail otherwise. */
#ifndef GPUARRAY_CONVERT_H
#define GPUARRAY_CONVERT_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When to copy. */
typedef enum ga_copyif {
  GA_COPY_NEVER = 0,     /**< GA_COPY_ERROR where a copy would be needed */
  GA_COPY_IF_NEEDED = 1, /**< share wherever the strides allow it */
  GA_COPY_ALWAYS = 2     /**< the result never shares memory */
} ga_copyif;

/** What the consumer can take. */
typedef struct gpuwant {
  int typecode;   /**< of the elements; GA_KEEP_TYPE: unchanged */
  ga_order order; /**< contiguous in this order; GA_ANY_ORDER: either */
  int flags;      /**< GA_WANT_* */
} gpuwant;

#define GA_KEEP_TYPE (-2)
/** Any strides; `order` is ignored. */
#define GA_WANT_STRIDED 0x1
/** Strides are multiples of the element size. */
#define GA_WANT_WHOLE_STRIDES 0x2
/** No stride is below 0. */
#define GA_WANT_NO_REVERSAL 0x4
/** The offset is 0. */
#define GA_WANT_NO_OFFSET 0x8
#define GA_WANT_ALIGNED 0x10
#define GA_WANT_WRITEABLE 0x20

/** Make `out` an array of the elements of `a` that fits `want`.
 *
 *  A shared result is a view that retains the buffer. Where a stride has no
 *  meaning (for axes of size 1 and empty arrays) it is that of a contiguous
 *  array, so strides can be compared. A copy is in the wanted order and
 *  writeable; types are cast as by GpuArray_setarray().
 *
 *  The message of GA_COPY_ERROR says what prevented sharing. Does not block. On
 *  failure `out` is zeroed. */
GPUARRAY_PUBLIC int GpuArray_convert(GpuArray *out, const GpuArray *a,
                                     const gpuwant *want, ga_copyif copy);

/** Write the a->nd strides to `out`, in elements. Strides that have no meaning
 *  are those of a contiguous array, as above. GA_VALUE_ERROR when one is not a
 *  multiple of the element size. */
GPUARRAY_PUBLIC int GpuArray_element_strides(ssize_t *out, const GpuArray *a);

#ifdef __cplusplus
}
#endif

#endif
