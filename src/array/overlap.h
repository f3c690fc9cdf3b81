/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two arrays have elements in common. */
#ifndef ARRAY_OVERLAP_H
#define ARRAY_OVERLAP_H

#include <gpuarray/array.h>

/* Whether two arrays have elements in common, by a test that is not exact. If
 * one of them is dense, 1 when the bytes that they span overlap, even where
 * these elements are in a gap of the other one. If both have gaps and their
 * strides differ, 0; the same for arrays of different gpudata objects. */
int ga__arrays_overlap(const GpuArray *a, const GpuArray *b);
/* 1 when both have the same elements at the same indices. */
int ga__arrays_same(const GpuArray *a, const GpuArray *b);

#endif
