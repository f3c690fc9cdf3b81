/* SPDX-License-Identifier: BSD-2-Clause */
/* Which elements of an axis a slice has, by Python's rules. */
#ifndef OPS_SLICE_BOUNDS_H
#define OPS_SLICE_BOUNDS_H

#include "ops/ops.h"

/* The first index and the number of indices of a slice of n elements. */
void gg__slice_resolve(const gg__slice_props *p, int64_t n, int64_t *first,
                       int64_t *count);
/* A number of the call, called `what`, as an integer; fails where `number` is
 * NULL because it is not known. */
int gg__read_number(const gg_apply *a, const char *what, const double *number,
                    int64_t *out);
/* The slice of a node: its properties, or the numbers of its last operands,
 * where `number` has what is known of its operands. */
int gg__slice_of(const gg_apply *a, const double *const *number,
                 gg__slice_props *out);
/* Those elements of `in`, as a view. */
int gg__slice_view(const gg__slice_props *p, const GpuArray *in, GpuArray *out);
/* The sizes of operand 0's slice. */
int gg__slice_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);

/* The three bounds that a builder of `op` gets, where NULL is an open end or a
 * step of 1; 0 with an error if one is no number. */
int gg__slice_bounds(const gg_op *op, gg_var *x, gg_var *start, gg_var *stop,
                     gg_var *step, gg_var **out);
/* Are they all constants? */
int gg__slice_known(gg_var *const *v, int64_t *out);

/* Of ops with gg__slice_props. */
int gg__slice_check(const gg_apply *a);
void gg__slice_print(const gg_apply *a, char *buf, size_t bytes);

#endif
