/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels of reductions and of row programs have in common: the operations
 * that combine elements, and the indices of elements. */
#ifndef CODEGEN_GEN_COMBINE_H
#define CODEGEN_GEN_COMBINE_H

#include <gpuarray/reduction.h>

#include "codegen/gen_arg.h"

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

/* --- parameters --- */

/* Kernel parameters with their types, or, passed on, their names alone; with a
 * comma behind each or between them. */
typedef struct ga__params {
  ga__strb *b;
  int passing, is_open;
  unsigned int n;
} ga__params;

/* The parameter `name`<i>. */
void ga__params_add(ga__params *l, const char *type, const char *name,
                    unsigned int i);
/* `name`0 to `name`<n - 1>. */
void ga__params_list(ga__params *l, const char *type, const char *name,
                     unsigned int n);

/* What the parameters of an array are called: pointer, offset, strides of kept
 * and, unless NULL, of reduced dimensions. */
typedef struct ga__param_names {
  const char *type, *at, *offset, *kept, *red;
} ga__param_names;

/* Those of argument i: a value, or an array. */
void ga__params_arg(ga__params *l, const gpuelemwise_arg *a,
                    const ga__param_names *names, unsigned int i,
                    unsigned int nk, unsigned int nr);

#endif
