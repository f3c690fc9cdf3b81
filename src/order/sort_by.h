/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting that takes several sorts. */
#ifndef ORDER_SORT_BY_H
#define ORDER_SORT_BY_H

#include <gpuarray/array.h>

/* GpuArray_sort of a complex array. */
int ga__sort_complex(GpuArray *values, GpuArray *indices, const GpuArray *src,
                     unsigned int axis, int flags);

#endif
