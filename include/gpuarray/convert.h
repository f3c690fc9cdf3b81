/* SPDX-License-Identifier: BSD-2-Clause */
/** \file convert.h
 *  Arrays for those who take less than any strides: share when the layout
 *  allows it, copy when that is needed and allowed, fail otherwise. */
#ifndef GPUARRAY_CONVERT_H
#define GPUARRAY_CONVERT_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When to copy. */
typedef enum ga_copyif {
  GA_COPY_NEVER = 0,     /**< GA_COPY_ERROR where a copy would be needed */
  GA_COPY_IF_NEEDED = 1, /**< share wherever the layout allows it */
  GA_COPY_ALWAYS = 2     /**< the result never shares memory */
} ga_copyif;

/** What the other side can take. */
typedef struct gpuwant {
  int typecode;   /**< elements, GA_KEEP_TYPE: as they are */
  ga_order order; /**< without gaps, in this order; GA_ANY_ORDER: either */
  int flags;      /**< GA_WANT_* */
} gpuwant;

#define GA_KEEP_TYPE (-2)
/** Any strides will do, `order` is not looked at. */
#define GA_WANT_STRIDED 0x1
/** Strides are multiples of the element. */
#define GA_WANT_WHOLE_STRIDES 0x2
/** No stride is below 0. */
#define GA_WANT_NO_REVERSAL 0x4
/** Element 0 starts the buffer. */
#define GA_WANT_NO_OFFSET 0x8
#define GA_WANT_ALIGNED 0x10
#define GA_WANT_WRITEABLE 0x20

/** Make `out` an array of the elements of `a` that fits `want`.
 *
 *  Shared, it is a view that retains the buffer, and its strides are those of
 *  an array without gaps wherever the size makes a stride meaningless (1, or
 *  no elements at all): they may be compared. A copy is in the wanted order
 *  and writeable; types are cast as by GpuArray_setarray().
 *
 *  GA_COPY_ERROR says what stood in the way of sharing. Does not block. On
 *  failure `out` is zeroed. */
GPUARRAY_PUBLIC int GpuArray_convert(GpuArray *out, const GpuArray *a,
                                     const gpuwant *want, ga_copyif copy);

/** Write the a->nd strides counted in elements, as others do, to `out`; the
 *  meaningless ones as above. GA_VALUE_ERROR when one is no multiple of the
 *  element. */
GPUARRAY_PUBLIC int GpuArray_element_strides(ssize_t *out, const GpuArray *a);

#ifdef __cplusplus
}
#endif

#endif
