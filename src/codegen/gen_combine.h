/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels of reductions and of row programs have in common: the operations
 * that combine elements, and the indices of elements. */
#ifndef CODEGEN_GEN_COMBINE_H
#define CODEGEN_GEN_COMBINE_H

#include <gpuarray/reduction.h>

#include "base/strb.h"

/* --- operations --- */

/* Whether positions are carried. */
int ga__reduce_is_arg(ga_reduce_op op);
/* Whether means and counts are carried. */
int ga__reduce_is_moments(ga_reduce_op op);

/* Whether a map calls functions that take longer than loads, by their names. */
int ga__reduce_is_heavy(const char *map);

/* The dtype in which values are carried: float for half, int for bool. */
int ga__reduce_acc_dtype(int acc);

/* Text: the value that changes nothing, and a and b combined, for an operation
 * without positions on values of that dtype. */
const char *ga__reduce_neutral(ga_reduce_op op, int acc);
const char *ga__reduce_combine(ga_reduce_op op, int acc);
/* The signed integer as wide as a dtype: what comparing it gives. */
const char *ga__reduce_mask(int typecode);

/* --- indices --- */

/* Declare the index of each dimension from `first` on, given the number
 * `count` of the element: `name`0, ... . `sizes` names the sizes. */
void ga__reduce_write_indices(ga__strb *b, const char *name, const char *sizes,
                              const char *count, unsigned int first,
                              unsigned int nd);

/* " + index * stride" of operand i, for dimensions from `first` on. */
void ga__reduce_write_distance(ga__strb *b, const char *index,
                               const char *stride, unsigned int i,
                               unsigned int first, unsigned int nd);

#endif
