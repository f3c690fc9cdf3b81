/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry of strided arrays. */
#ifndef ARRAY_GEOMETRY_H
#define ARRAY_GEOMETRY_H

#include <gpuarray/array.h>

#include "base/err.h"

/* The most dimensions an array may have. */
#define GA_ND_MAX 64

/* The product of the sizes; GA_XLARGE_ERROR when it exceeds SSIZE_MAX. A size
 * of 0 anywhere makes it 0. */
int ga__dims_total(size_t *total, unsigned int nd, const size_t *dims);
/* The bytes of so many elements; GA_XLARGE_ERROR when they exceed SSIZE_MAX. No
 * array has more, whatever its strides are. */
int ga__dims_bytes(size_t *bytes, unsigned int nd, const size_t *dims,
                   size_t elsize);

/* The bytes that the elements span, relative to element 0: from *low (0 or
 * below) up to but without *high. Both are 0 for an array without elements.
 * GA_XLARGE_ERROR when that does not fit. */
int ga__extent(ssize_t *low, ssize_t *high, unsigned int nd, const size_t *dims,
               const ssize_t *strides, size_t elsize);

/* Strides in bytes of a gapless array; GA_ANY_ORDER is C. */
void ga__strides_fill(ssize_t *strides, unsigned int nd, const size_t *dims,
                      size_t elsize, ga_order ord);

/* The order that GA_ANY_ORDER means for an array: F if it lies so, else C. */
ga_order ga__array_order(const GpuArray *a, ga_order ord);

/* GA_INVALID_ERROR for a zeroed or a NULL array. */
int ga__array_check(const GpuArray *a);

/* Number of elements of a valid array. */
size_t ga__array_total(const GpuArray *a);

/* The unsigned integer of the size that elements are aligned to, of which each
 * has `parts`: copies move these, whatever they mean. */
int ga__array_word(const GpuArray *a, size_t *parts);

/* Give `a` copies of these lists in place of its own, and recompute its flags.
 * On failure `a` is unchanged. */
int ga__array_set_shape(GpuArray *a, unsigned int nd, const size_t *dims,
                        const ssize_t *strides, size_t offset);

#endif
