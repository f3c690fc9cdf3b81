/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels of reductions and of row programs have in common: the operations
 * that combine elements, indices, and parameters. */
#ifndef CODEGEN_GEN_COMBINE_H
#define CODEGEN_GEN_COMBINE_H

#include <gpuarray/reduction.h>

#include "codegen/gen_arg.h"

/* --- operations --- */

/* Nonzero if accumulators have positions. */
int ga__reduce_is_arg(ga_reduce_op op);
/* Nonzero if accumulators have means and counts. */
int ga__reduce_is_moments(ga_reduce_op op);

/* Nonzero if a map calls functions that take longer than loads, judged by their
 * names. */
int ga__reduce_is_heavy(const char *map);

/* Nonzero for a real float dtype. */
int ga__reduce_is_float(int typecode);
/* The dtype of accumulators: float for half and bfloat, int for bool. */
int ga__reduce_acc_dtype(int acc);

/* Source for an accumulator dtype: the neutral element, and the combination of
 * a and b. The latter is for operations without positions. */
const char *ga__reduce_neutral(ga_reduce_op op, int acc);
const char *ga__reduce_combine(ga_reduce_op op, int acc);
/* The signed integer type as wide as a dtype, which comparing vectors gives. */
const char *ga__reduce_mask(int typecode);

/* --- indices --- */

/* Declare the index `name`<d> of each dimension d from `first` on, for the
 * element at position `count`. `sizes`<d> are the sizes. */
void ga__reduce_write_indices(ga__strb *b, const char *name, const char *sizes,
                              const char *count, unsigned int first,
                              unsigned int nd);

/* Append " + index * stride" of operand i for dimensions from `first` on. */
void ga__reduce_write_distance(ga__strb *b, const char *index,
                               const char *stride, unsigned int i,
                               unsigned int first, unsigned int nd);

/* --- parameters --- */

/* A list of kernel parameters with their types, or, if `passing`, of their
 * names as arguments. Commas follow each one (`is_open`) or stand between
 * them. */
typedef struct ga__params {
  ga__strb *b;
  int passing, is_open;
  unsigned int n;
} ga__params;

/* Add the parameter `name`<i>. */
void ga__params_add(ga__params *l, const char *type, const char *name,
                    unsigned int i);
/* Add `name`0 to `name`<n - 1>. */
void ga__params_list(ga__params *l, const char *type, const char *name,
                     unsigned int n);

/* Names for the parameters of an array: pointer (with its type; NULL: there is
 * none), offset, strides of kept dimensions and, unless NULL, of reduced
 * ones. */
typedef struct ga__param_names {
  const char *type, *at, *offset, *kept, *red;
} ga__param_names;

/* Add the parameters of argument i, a scalar or an array, with nk kept and nr
 * reduced dimensions. */
void ga__params_arg(ga__params *l, const gpuelemwise_arg *a,
                    const ga__param_names *names, unsigned int i,
                    unsigned int nk, unsigned int nr);

#endif
