/* SPDX-License-Identifier: BSD-2-Clause */
/** \file cumulate.h
 *  Running sums, products, extremes and recurrences along an axis.
 *
 *  Negative axes count from the end. On error every function returns NULL and
 *  leaves the reason in the graph. Maps that follow are computed in the same
 *  kernel. A row is cut into parts, in a way that sizes and device decide: two
 *  runs give the same bits.
 */
#ifndef GPUGRAPH_CUMULATE_H
#define GPUGRAPH_CUMULATE_H

#include <gpuarray/cumulate.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The elements of x up to and with each one, combined along `axis`.
 *
 *  \param op    not GA_CUMULATE_EXPR
 *  \param flags GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED
 *
 *  Sums and products of integers and bool have 64 bits; ANY and ALL give bool,
 *  and so do MAX and MIN of bool; other results have the dtype of x. Where
 *  equal elements are an extreme, the gradient goes to the last one so far. */
GG_PUBLIC gg_var *gg_cumulate(ga_cumulate_op op, gg_var *x, int axis,
                              int flags);
/** x[0] + ... + x[i]. */
GG_PUBLIC gg_var *gg_cumsum(gg_var *x, int axis);
/** x[0] * ... * x[i]. The gradient is right where elements are 0, too. */
GG_PUBLIC gg_var *gg_cumprod(gg_var *x, int axis);
/** The largest element so far; NaN from the first NaN on. */
GG_PUBLIC gg_var *gg_cummax(gg_var *x, int axis);
/** The smallest element so far; NaN from the first NaN on. */
GG_PUBLIC gg_var *gg_cummin(gg_var *x, int axis);
/** log(exp(x[0]) + ... + exp(x[i])), without overflow. Integers become
 *  float32. */
GG_PUBLIC gg_var *gg_logcumsumexp(gg_var *x, int axis);

/** y[i] = a[i] y[i - 1] + b[i] along `axis`, with 0 in front; in the common
 *  dtype and shape of a and b, which is a float. With GA_CUMULATE_EXCLUSIVE
 *  result i is y[i - 1], with GA_CUMULATE_REVERSED i counts down. It takes two
 *  launches where a loop (gg_scan) takes one for each i. */
GG_PUBLIC gg_var *gg_recurrence(gg_var *a, gg_var *b, int axis, int flags);

#ifdef __cplusplus
}
#endif

#endif
