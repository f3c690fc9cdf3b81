/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of an axis that a slice has, by Python's rules. */
#ifndef OPS_SHAPE_SLICE_BOUNDS_H
#define OPS_SHAPE_SLICE_BOUNDS_H

#include "ops/ops.h"

/* The first index and the number of indices of a slice of an axis of size n. */
void gg__slice_resolve(const gg__slice_props *p, int64_t n, int64_t *first,
                       int64_t *count);
/* Read a scalar that messages call `what`, as an integer. Fails if `number` is
 * NULL, that is, not known before the call. */
int gg__read_number(const gg_apply *a, const char *what, const double *number,
                    int64_t *out);
/* The slice of a node: its properties, or the values of its last operands.
 * number[i] is the value of operand i, NULL if unknown. */
int gg__slice_of(const gg_apply *a, const double *const *number,
                 gg__slice_props *out);
/* The offset of the element of `in` that lies `by` bytes behind its first one.
 * An array without elements has none, and its buffer may end before it. */
size_t gg__offset_by(const GpuArray *in, int64_t by);
/* Make `out` the view of `in` that p selects. */
int gg__slice_view(const gg__slice_props *p, const GpuArray *in, GpuArray *out);
/* `shape` of ops on slices: the sizes of the slice of operand 0. */
int gg__slice_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);

/* Fill out[3] with the bounds that a builder of `op` gets. NULL is an open end
 * or a step of 1. Returns 0 and records an error unless all are integer
 * scalars. */
int gg__slice_bounds(const gg_op *op, gg_var *x, gg_var *start, gg_var *stop,
                     gg_var *step, gg_var **out);
/* If all three bounds are constants: set out[3] and return 1. */
int gg__slice_known(gg_var *const *v, int64_t *out);

/* The check of forms, and `print`, for ops with gg__slice_props. */
int gg__slice_check(const gg_apply *a);
void gg__slice_print(const gg_apply *a, char *buf, size_t bytes);

#endif
