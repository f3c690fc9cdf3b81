/* SPDX-License-Identifier: BSD-2-Clause */
/** \file cumulate.h
 *  Running sums, products, extremes and recurrences along an axis.
 *
 *  Negative axes count from the end. On error every function returns NULL and
 *  leaves the reason in the graph. Maps that follow are computed in the same
 *  kernel. A row may be cut into parts. The cut depends on sizes, strides and
 *  device alone, so two runs give the same bits.
 */
#ifndef GPUGRAPH_CUMULATE_H
#define GPUGRAPH_CUMULATE_H

#include <gpuarray/cumulate.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Combine elements along `axis`: result i combines elements 0 to i of x.
 *
 *  \param op    not GA_CUMULATE_EXPR
 *  \param flags GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED
 *
 *  Sums and products of integers and bool have 64 bits. ANY and ALL give bool,
 *  and so do MAX and MIN of bool. LOGADDEXP converts integers to float32. Other
 *  results have the dtype of x. If several elements equal an extreme, the last
 *  one so far gets the gradient. */
GG_PUBLIC gg_var *gg_cumulate(ga_cumulate_op op, gg_var *x, int axis,
                              int flags);
/** x[0] + ... + x[i]. */
GG_PUBLIC gg_var *gg_cumsum(gg_var *x, int axis);
/** x[0] * ... * x[i]. The gradient is also correct where elements are 0. */
GG_PUBLIC gg_var *gg_cumprod(gg_var *x, int axis);
/** The largest element so far; NaN from the first NaN on. */
GG_PUBLIC gg_var *gg_cummax(gg_var *x, int axis);
/** The smallest element so far; NaN from the first NaN on. */
GG_PUBLIC gg_var *gg_cummin(gg_var *x, int axis);
/** log(exp(x[0]) + ... + exp(x[i])), without overflow. Integers become
 *  float32. */
GG_PUBLIC gg_var *gg_logcumsumexp(gg_var *x, int axis);

/** y[i] = a[i] y[i - 1] + b[i] along `axis`, where y[-1] = 0. a and b broadcast
 *  and get a common float dtype, that of the result. With GA_CUMULATE_EXCLUSIVE
 *  result i is y[i - 1]; with GA_CUMULATE_REVERSED y[i] follows from y[i + 1].
 *  It takes at most two launches, a loop (gg_scan) one for each i. Products of
 *  neighbouring a must not overflow: y may become NaN there even if it is
 *  finite. */
GG_PUBLIC gg_var *gg_recurrence(gg_var *a, gg_var *b, int axis, int flags);

#ifdef __cplusplus
}
#endif

#endif
