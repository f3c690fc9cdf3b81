/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry of strided arrays. */
#ifndef ARRAY_GEOMETRY_H
#define ARRAY_GEOMETRY_H

#include <gpuarray/array.h>

#include "base/err.h"

/* The highest rank of an array. */
#define GA_ND_MAX 64

/* The product of the sizes; GA_XLARGE_ERROR when it exceeds SSIZE_MAX. A size
 * of 0 anywhere makes it 0. */
int ga__dims_total(size_t *total, unsigned int nd, const size_t *dims);
/* The bytes of an array of these sizes; GA_XLARGE_ERROR when they exceed
 * SSIZE_MAX. No array has more, whatever its strides are. */
int ga__dims_bytes(size_t *bytes, unsigned int nd, const size_t *dims,
                   size_t elsize);

/* The bytes that the elements span, relative to element 0: from *low (0 or
 * below) up to but without *high. Both are 0 for an array without elements.
 * GA_XLARGE_ERROR when a bound exceeds SSIZE_MAX. */
int ga__extent(ssize_t *low, ssize_t *high, unsigned int nd, const size_t *dims,
               const ssize_t *strides, size_t elsize);

/* Set the strides, in bytes, of a contiguous array in the order `ord`.
 * GA_ANY_ORDER means C. */
void ga__strides_fill(ssize_t *strides, unsigned int nd, const size_t *dims,
                      size_t elsize, ga_order ord);

/* The order that `ord` means for the array: GA_ANY_ORDER is F if the array is
 * contiguous in F order alone, else C. */
ga_order ga__array_order(const GpuArray *a, ga_order ord);

/* GA_INVALID_ERROR for a zeroed or a NULL array. */
int ga__array_check(const GpuArray *a);

/* Number of elements of a valid array. */
size_t ga__array_total(const GpuArray *a);

/* The typecode of the words that copies move instead of elements: the unsigned
 * integer of the alignment of an element, at most 8 bytes. An element has
 * `parts` of them. */
int ga__array_word(const GpuArray *a, size_t *parts);

/* Replace the sizes and strides of `a` by copies of these, and recompute its
 * flags. On failure `a` is unchanged. */
int ga__array_set_shape(GpuArray *a, unsigned int nd, const size_t *dims,
                        const ssize_t *strides, size_t offset);

#endif
