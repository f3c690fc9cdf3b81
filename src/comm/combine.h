/* SPDX-License-Identifier: BSD-2-Clause */
/* Combines two arrays in host memory, element by element. */
#ifndef COMM_COMBINE_H
#define COMM_COMBINE_H

#include <stddef.h>

typedef void (*ga__combine)(void *acc, const void *with, size_t n);

/* Get the function for acc = acc `op` with, where `op` is one of
 * gpucomm_reduce_ops, on n elements of `typecode`. Integers wrap, bools are
 * or-ed by sum and and-ed by product, halfs round once, a NaN makes the result
 * NaN. GA_VALUE_ERROR for other dtypes and ops, and for the largest or smallest
 * of complex numbers. */
int ga__combine_get(ga__combine *out, int typecode, int op);

#endif
