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
 *  results have the dtype of x. Complex numbers have SUM and PROD. If several
 *  elements equal an extreme, the last one so far gets the gradient. */
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
 *  and get a common dtype of floats or complex numbers, that of the result.
 *  With GA_CUMULATE_EXCLUSIVE result i is y[i - 1]; with GA_CUMULATE_REVERSED
 *  y[i] follows from y[i + 1]. It takes at most two launches, a loop (gg_scan)
 *  one for each i. Products of neighbouring a must not overflow: y may become
 *  NaN there even if it is finite. */
GG_PUBLIC gg_var *gg_recurrence(gg_var *a, gg_var *b, int axis, int flags);

/** \name Any associative expression */
/**@{*/
/** Say how two neighbouring runs of elements combine. before[k] and after[k]
 *  stand for value k of the run before and of the one after it; out[k] becomes
 *  value k of both together. Only elementwise functions, of these variables and
 *  of constants, may be used; calls are not repeated. out[k] is cast to the
 *  dtype of value k. */
typedef void (*gg_combine)(void *arg, gg_var *const *before,
                           gg_var *const *after, gg_var **out);

#define GG_MAX_RUN_VALUES 4 /**< values that are combined together */

/** Combine n values of elements together along an axis, by any associative
 *  rule: linear recurrences, sums that start again at flags, running moments.
 *
 *      static void restart(void *arg, gg_var *const *a, gg_var *const *b,
 *                          gg_var **out) {
 *        out[0] = gg_or(a[0], b[0]);                        // a flag so far
 *        out[1] = gg_where(b[0], b[1], gg_add(a[1], b[1])); // the sum since
 *      }
 *      gg_cumulate_by(y, 2, (gg_var *[]){flags, x}, (double[]){0, 0}, restart,
 *                     NULL, 0, 0);
 *
 *  \param out     n results, of the dtypes of x; element i of a result combines
 *                 elements 0 to i. All NULL on failure.
 *  \param n       1 to GG_MAX_RUN_VALUES
 *  \param x       real arrays or bools, which broadcast
 *  \param neutral the neutral element of each value: combined with it on either
 *                 side, values do not change. Neither this nor whether the rule
 *                 is associative is checked.
 *  \param combine is called once, with `arg`
 *  \param flags   GA_CUMULATE_EXCLUSIVE, GA_CUMULATE_REVERSED. With the latter
 *                 the run "before" is the one with higher positions.
 *
 *  At most two launches. Values of float16 and bfloat16 are combined as
 *  float32. Gradients are recurrences. They exist if each value depends on
 *  itself and on values of lower numbers of the run before; otherwise gg_grad
 *  says which one does not, and a loop (scan.h) has them. Returns a GA_* code:
 *  GA_VALUE_ERROR, kept in the graph, for a rule that is not elementwise or
 *  that reads other variables. */
GG_PUBLIC int gg_cumulate_by(gg_var **out, unsigned int n, gg_var *const *x,
                             const double *neutral, gg_combine combine,
                             void *arg, int axis, int flags);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
