/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions of long rows, which need not be sorted. */
#ifndef ORDER_SPLIT_H
#define ORDER_SPLIT_H

#include <gpuarray/array.h>

/* Whether ga__split is less work than sorting the rows of a valid array. */
int ga__split_fits(const GpuArray *src, unsigned int axis);
/* GpuArray_partition for a valid rank, without sorting. What is smaller than
 * the element of the rank, what equals it and what is larger stay in their
 * order. */
int ga__split(GpuArray *values, GpuArray *indices, const GpuArray *src,
              size_t rank, unsigned int axis);

#endif
