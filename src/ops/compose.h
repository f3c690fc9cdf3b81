/* SPDX-License-Identifier: BSD-2-Clause */
/* For builders composed of others: their names in messages, and integer scalars
 * that stay constants where possible. */
#ifndef OPS_COMPOSE_H
#define OPS_COMPOSE_H

#include <gpugraph/gather.h>

#include "ops/ops.h"

/* The name that gg__refuse and gg__axis use for a builder without an op. */
#define GG_CALLED(text) (&(const gg_op){.name = text})

/* The int64 scalar v in the graph of `like`. */
gg_var *gg__whole_number(gg_var *like, int64_t v);
/* v as a property. Checks refuse those above all int64, which become the
 * largest. */
static inline int64_t gg__as_property(size_t v) {
  return v < INT64_MAX ? (int64_t)v : INT64_MAX;
}
/* a + b, a b, the smaller and the larger of two integer scalars, as int64. A
 * constant if both are. NULL gives NULL. */
gg_var *gg__number_add(gg_var *a, gg_var *b);
gg_var *gg__number_mul(gg_var *a, gg_var *b);
gg_var *gg__number_least(gg_var *a, gg_var *b);
gg_var *gg__number_most(gg_var *a, gg_var *b);
/* a / b, rounded down, with b > 0. A constant if a is. */
gg_var *gg__number_over(gg_var *a, int64_t b);
/* The product of the sizes of x from axis `first` up to, not including, axis
 * `end`, as int64. Unlike an open size, it is known if another size is 0. */
gg_var *gg__number_of(gg_var *x, unsigned int first, unsigned int end);
/* x whose last axis has size n, which there is: calls check an open size. */
gg_var *gg__with_last(gg_var *x, int64_t n);
/* x, if its sizes are `sizes`, where NULL is any. Else the error names `op`,
 * which is static, its n operands `in` and the rule. Calls check open sizes. */
gg_var *gg__with_sizes(const gg_op *op, unsigned int n, gg_var *const *in,
                       gg_var *x, gg_var *const *sizes, const char *rule);
/* Fill `sizes` with the sizes of x, int64 scalars. */
void gg__sizes_of(gg_var *x, gg_var **sizes);
/* The elements of x at equal positions of axes a and b, along a new last axis.
 * The two axes have the same size; if it is unknown, calls check that. */
gg_var *gg__square_diagonal(gg_var *x, unsigned int a, unsigned int b);
/* The products of a [batch ..., own ..., sum ...] and b [batch ..., sum ...,
 * own ...], which are [batch ..., own of a ..., own of b ...]. Each has `batch`
 * axes of the batch and n that are summed, of floats. Errors name `op`. */
gg_var *gg__batched_product(const gg_op *op, gg_var *a, gg_var *b,
                            unsigned int batch, unsigned int n);
/* What putting v on x leaves, element by element (selecting.c). */
gg_var *gg__combined(gg_var *x, gg_var *v, gg_put_op how);
/* gg_split. Errors name `op`. */
int gg__split(const gg_op *op, gg_var *x, int axis, unsigned int n,
              gg_var **out);

/* The rank of x. */
static inline unsigned int gg__rank_of(const gg_var *x) {
  return gg_var_type(x)->nd;
}

#endif
