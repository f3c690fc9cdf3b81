/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that two arrays have in common. */
#ifndef ARRAY_OVERLAP_H
#define ARRAY_OVERLAP_H

#include <gpuarray/array.h>

/* 1 when the two certainly have elements in common. With 0 they may still have
 * some. */
int ga__arrays_overlap(const GpuArray *a, const GpuArray *b);
/* 1 when both have the same elements at the same indices. */
int ga__arrays_same(const GpuArray *a, const GpuArray *b);

#endif
