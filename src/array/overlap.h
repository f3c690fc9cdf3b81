/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two arrays have elements in common. */
#ifndef ARRAY_OVERLAP_H
#define ARRAY_OVERLAP_H

#include <gpuarray/array.h>

/* Whether two arrays have elements in common. 1 where that is hard to tell:
 * with many strides that do not divide each other. 0 for arrays of different
 * gpudata objects. */
int ga__arrays_overlap(const GpuArray *a, const GpuArray *b);
/* 1 when both have the same elements at the same indices. */
int ga__arrays_same(const GpuArray *a, const GpuArray *b);

#endif
