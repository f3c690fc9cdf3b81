/* SPDX-License-Identifier: BSD-2-Clause */
/* Normalisations and losses. */
#include <gpugraph/create.h>
#include <gpugraph/op.h>
#include <gpugraph/statistics.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- over the last axes --- */

/* Axes from `first` on. */
static unsigned int axes_from(unsigned int first, unsigned int nd, int *axes) {
  unsigned int n = 0;

  for (unsigned int i = first; i < nd; i++)
    axes[n++] = (int)i;
  return n;
}

/* 1 / sqrt(x + epsilon). */
static gg_var *inverse_root(gg_var *x, double epsilon) {
  return gg_rsqrt(gg_add(x, gg__like(x, epsilon)));
}

/* As the attribute stash_type asks, narrow floats are computed in float32. */
static gg_var *stash(gg__onnx_call *c, gg_var *x) {
  const int dtype = gg__dtype_of(x);
  const int is_narrow = dtype == GA_HALF || dtype == GA_BFLOAT;

  return gg__call_int(c, "stash_type", 1) == 1 && is_narrow
             ? gg_cast(x, GA_FLOAT)
             : x;
}

int gg__from_layer_norm(gg__onnx_call *c) {
  gg_var *x = stash(c, gg__call_in(c, 0)), *scale = gg__call_in(c, 1);
  const unsigned int nd = gg__call_rank(c, 0);
  const int dtype = gg__dtype_of(gg__call_in(c, 0));
  int axis, axes[GG_MAX_ND];

  GA_TRY(gg__call_axis_attr(c, -1, nd, &axis));
  const unsigned int n = axes_from((unsigned int)axis, nd, axes);
  gg_var *mean = gg_mean_axes(x, n, axes, 1);
  gg_var *inverse = inverse_root(gg_variance(x, n, axes, 1, 0),
                                 gg__call_float(c, "epsilon", 1e-5));
  gg_var *y = gg_cast(gg_mul(gg_sub(x, mean), inverse), dtype);
  y = gg_mul(y, scale);
  c->out[0] = gg__call_has(c, 2) ? gg_add(y, gg__call_in(c, 2)) : y;
  if (c->n_out > 1)
    c->out[1] = mean;
  if (c->n_out > 2)
    c->out[2] = inverse;
  return GA_NO_ERROR;
}

int gg__from_rms_norm(gg__onnx_call *c) {
  gg_var *x = stash(c, gg__call_in(c, 0));
  const unsigned int nd = gg__call_rank(c, 0);
  int axis, axes[GG_MAX_ND];

  GA_TRY(gg__call_axis_attr(c, -1, nd, &axis));
  const unsigned int n = axes_from((unsigned int)axis, nd, axes);
  gg_var *inverse = inverse_root(gg_mean_axes(gg_sqr(x), n, axes, 1),
                                 gg__call_float(c, "epsilon", 1e-5));
  gg_var *y = gg_cast(gg_mul(x, inverse), gg__dtype_of(gg__call_in(c, 0)));
  c->out[0] = gg_mul(y, gg__call_in(c, 1));
  return GA_NO_ERROR;
}

/* --- channels --- */

/* A vector of channels beside x [n, c, ...]. */
static gg_var *channels(gg_var *vector, unsigned int nd) {
  return gg__along(vector, nd, 1);
}

/* Nonzero if each channel has one mean; else each element of a sample has one,
 * which opsets 7 and 8 allow. */
static int is_spatial(const gg__onnx_call *c) {
  return gg__call_int(c, "spatial", 1) != 0;
}

/* A scale or the like beside x, of rank nd. */
static gg_var *beside(const gg__onnx_call *c, gg_var *v, unsigned int nd) {
  return is_spatial(c) ? channels(v, nd) : v;
}

static int check_batch_norm(gg__onnx_call *c) {
  const unsigned int nd = gg__call_rank(c, 0);

  if (nd < 2)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 2 or more", nd);
  for (size_t i = 1; i < 5 && !is_spatial(c); i++)
    if (gg__call_rank(c, i) != nd - 1)
      return ga__fail(GA_VALUE_ERROR,
                      "spatial is 0, and input %zu has %u dimensions, expected "
                      "%u",
                      i, gg__call_rank(c, i), nd - 1);
  return GA_NO_ERROR;
}

/* x, scale, bias, mean, variance; with training_mode, the statistics are those
 * of x, and the running ones are outputs. The dtype of x may be narrower than
 * that of the others. */
int gg__from_batch_norm(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *mean = gg__call_in(c, 3);
  gg_var *variance = gg__call_in(c, 4);
  const unsigned int nd = gg__call_rank(c, 0);
  gg_var *keep = gg__like(mean, gg__call_float(c, "momentum", 0.9));
  const double epsilon = gg__call_float(c, "epsilon", 1e-5);

  GA_TRY(check_batch_norm(c));
  if (gg__call_int(c, "training_mode", 0) != 0) {
    int axes[GG_MAX_ND] = {0};
    const unsigned int n = 1 + axes_from(2, nd, axes + 1);
    gg_var *rest = gg_sub(gg__like(mean, 1), keep);
    gg_var *now = gg_mean_axes(x, n, axes, 0);
    gg_var *spread = gg_variance(x, n, axes, 0, 0);

    if (c->n_out > 1)
      c->out[1] = gg_cast(gg_add(gg_mul(mean, keep), gg_mul(now, rest)),
                          gg__dtype_of(mean));
    if (c->n_out > 2)
      c->out[2] = gg_cast(gg_add(gg_mul(variance, keep), gg_mul(spread, rest)),
                          gg__dtype_of(variance));
    mean = now;
    variance = spread;
  }
  gg_var *scale = gg_mul(gg__call_in(c, 1), inverse_root(variance, epsilon));
  gg_var *centred = gg_sub(x, beside(c, mean, nd));
  c->out[0] = gg_cast(gg_add(gg_mul(centred, beside(c, scale, nd)),
                             beside(c, gg__call_in(c, 2), nd)),
                      gg__dtype_of(x));
  return GA_NO_ERROR;
}

int gg__from_batch_norm_old(gg__onnx_call *c) {
  if (gg__call_int(c, "is_test", 0) == 0 || gg__call_int(c, "spatial", 1) == 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "is_test is %lld, spatial is %lld",
                    (long long)gg__call_int(c, "is_test", 0),
                    (long long)gg__call_int(c, "spatial", 1));
  return gg__from_batch_norm(c);
}

/* (x - mean) / sqrt(variance + epsilon) over the axes from `first` on. */
static gg_var *normalised(gg_var *x, unsigned int first, double epsilon) {
  int axes[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  const unsigned int n = axes_from(first, gg_var_type(x)->nd, axes);
  gg_var *inverse = inverse_root(gg_variance(x, n, axes, 1, 0), epsilon);
  return gg_mul(gg_sub(x, gg_mean_axes(x, n, axes, 1)), inverse);
}

static gg_var *scaled(gg__onnx_call *c, gg_var *x) {
  const unsigned int nd = gg__call_rank(c, 0);

  return gg_add(gg_mul(x, channels(gg__call_in(c, 1), nd)),
                channels(gg__call_in(c, 2), nd));
}

int gg__from_instance_norm(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);

  if (gg__call_rank(c, 0) < 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 3 or more",
                    gg__call_rank(c, 0));
  c->out[0] = scaled(c, normalised(x, 2, gg__call_float(c, "epsilon", 1e-5)));
  return GA_NO_ERROR;
}

/* Channels of a group lie side by side: [n, groups, all of a group]. */
int gg__from_group_norm(gg__onnx_call *c) {
  gg_var *x = stash(c, gg__call_in(c, 0));
  const int dtype = gg__dtype_of(gg__call_in(c, 0));
  const int64_t groups = gg__call_int(c, "num_groups", 0);
  const unsigned int nd = gg__call_rank(c, 0);

  if (nd < 2 || groups <= 0)
    return ga__fail(GA_VALUE_ERROR, "%lld groups of %u dimensions",
                    (long long)groups, nd);
  gg_var *sizes[] = {gg__size_of(x, 0), gg_i64(c->g, groups),
                     gg__over(gg__span(x, 1, nd), groups)};
  gg_var *y = normalised(gg__to_sizes(x, 3, sizes), 2,
                         gg__call_float(c, "epsilon", 1e-5));
  c->out[0] = scaled(c, gg_cast(gg__as_like(y, x), dtype));
  return GA_NO_ERROR;
}

int gg__from_mean_variance_norm(gg__onnx_call *c) {
  static const int64_t usual[] = {0, 2, 3};
  gg_var *x = gg__call_in(c, 0);
  size_t n;
  const int64_t *list = gg__call_ints(c, "axes", &n);
  int axes[GG_MAX_ND];

  if (n == 0) {
    list = usual;
    n = 3;
  }
  if (n > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%zu axes", n);
  for (size_t i = 0; i < n; i++)
    GA_TRY(gg__call_axis(list[i], gg__call_rank(c, 0), &axes[i]));
  const unsigned int k = (unsigned int)n;
  gg_var *spread = gg_sqrt(gg_variance(x, k, axes, 1, 0));
  c->out[0] = gg_div(gg_sub(x, gg_mean_axes(x, k, axes, 1)),
                     gg_add(spread, gg__like(spread, 1e-9)));
  return GA_NO_ERROR;
}

/* Where all elements are 0, their norm counts as 1. */
int gg__from_lp_norm(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int axis;

  GA_TRY(gg__call_axis_attr(c, -1, gg__call_rank(c, 0), &axis));
  gg_var *norm = gg_norm(x, (double)gg__call_int(c, "p", 2), 1, &axis, 1);
  gg_var *none = gg_eq(norm, gg__like(norm, 0));
  c->out[0] = gg_div(x, gg_where(none, gg__like(norm, 1), norm));
  return GA_NO_ERROR;
}

/* Each element is divided by a power of the squares of its neighbours among the
 * channels. */
int gg__from_lrn(gg__onnx_call *c) {
  const double alpha = gg__call_float(c, "alpha", 1e-4);
  const double beta = gg__call_float(c, "beta", 0.75);
  const int64_t size = gg__call_int(c, "size", 1);
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};
  gg_var *x = gg__call_in(c, 0), *sum = NULL;

  if (size < 1 || size > 64 || gg__call_rank(c, 0) < 2)
    return ga__fail(GA_UNSUPPORTED_ERROR, "size %lld", (long long)size);
  before[1] = (size - 1) / 2;
  after[1] = size - 1 - before[1];
  gg_var *wide = gg_pad(gg_sqr(x), before, after, GG_PAD_CONSTANT, NULL);
  gg_var *n = gg__size_of(x, 1);
  for (int64_t i = 0; i < size; i++) {
    gg_var *at = gg_i64(c->g, i);
    gg_var *part = gg_slice_at(wide, 1, at, gg_add(at, n), gg_i64(c->g, 1));

    sum = sum == NULL ? part : gg_add(sum, part);
  }
  gg_var *base = gg_add(gg_mul(gg__like(x, alpha / (double)size), sum),
                        gg__like(x, gg__call_float(c, "bias", 1)));
  c->out[0] = gg_div(x, gg_pow(base, gg__like(x, beta)));
  return GA_NO_ERROR;
}

/* --- losses --- */

/* -weight[y] p[y] for the logarithms p [n, c, ...] of probabilities and classes
 * y [n, ...]; classes that are ignored weigh nothing. */
static int nll(gg__onnx_call *c, gg_var *p, gg_var *y, gg_var *weight) {
  const char *how = gg__call_text(c, "reduction", "mean");
  const gg__onnx_attr *ignore = gg__call_attr(c, "ignore_index");
  const unsigned int nd = gg__call_rank(c, 0);
  gg_var *zero = gg__like(p, 0);
  const int axis = 1;

  if (nd < 2)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 2 or more", nd);
  gg_var *mine =
      gg_eq(gg_positions(p, 1), gg_cast(gg_expand_dims(y, 1), GA_LONG));
  gg_var *share = gg_where(
      mine, weight == NULL ? gg__like(p, 1) : channels(weight, nd), zero);
  if (ignore != NULL)
    share = gg_where(gg_eq(gg_expand_dims(y, 1),
                           gg_cast(gg_i64(c->g, ignore->i), gg__dtype_of(y))),
                     zero, share);
  gg_var *loss = gg_neg(
      gg_reduce(GG_SUM, gg_where(gg_ne(share, zero), gg_mul(share, p), zero), 1,
                &axis, 0));
  if (strcmp(how, "none") == 0)
    c->out[0] = loss;
  else if (strcmp(how, "sum") == 0)
    c->out[0] = gg_sum(loss);
  else if (strcmp(how, "mean") == 0)
    c->out[0] = gg_div(gg_sum(loss), gg_sum(share));
  else
    return ga__fail(GA_VALUE_ERROR, "reduction is \"%s\"", how);
  return GA_NO_ERROR;
}

int gg__from_nll_loss(gg__onnx_call *c) {
  return nll(c, gg__call_in(c, 0), gg__call_in(c, 1), gg__call_in(c, 2));
}

int gg__from_cross_entropy(gg__onnx_call *c) {
  gg_var *x = gg_moveaxis(gg__call_in(c, 0), 1, -1);
  gg_var *p = gg_moveaxis(gg_log_softmax(x), -1, 1);

  if (c->n_out > 1)
    c->out[1] = p;
  return nll(c, p, gg__call_in(c, 1), gg__call_in(c, 2));
}
