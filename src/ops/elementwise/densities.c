/* SPDX-License-Identifier: BSD-2-Clause */
/* Logarithms of densities and probabilities, composed of special functions.
 * Where x is not possible another value takes its place before anything is
 * computed, so that gradients there are 0 and not NaN. */
#include <gpugraph/special.h>

#include <math.h>

#include "ops/compose.h"

#define LOG_PI 1.14472988584940017414
#define HALF_LOG_2_PI 0.91893853320467274178

/* Cast the operands of `name` to their common float dtype. 0 if one is NULL. */
static int prepare(const char *name, unsigned int n, gg_var **x) {
  if (!gg__given(GG_CALLED(name), n, x))
    return 0;
  const int dtype = gg__float_dtype(gg__common_dtype_of(n, x));
  for (unsigned int i = 0; i < n; i++)
    x[i] = gg_cast(x[i], dtype);
  return 1;
}

static gg_var *plus(gg_var *x, double c) {
  return gg_add(x, gg__num(x, c));
}

static gg_var *times(gg_var *x, double c) {
  return gg_mul(x, gg__num(x, c));
}

static gg_var *one_minus(gg_var *x) {
  return gg_sub(gg__num(x, 1), x);
}

/* Below 0 or infinite. */
static gg_var *is_beyond(gg_var *x) {
  return gg_or(gg_lt(x, gg__num(x, 0)), gg_isinf(x));
}

static gg_var *is_below(gg_var *x, double c) {
  return gg_lt(x, gg__num(x, c));
}

/* x, but `value` where `out` holds. */
static gg_var *except(gg_var *out, gg_var *x, double value) {
  return gg_where(out, gg__num(x, value), x);
}

/* y, but minus infinity where `out` holds. */
static gg_var *unless(gg_var *out, gg_var *y) {
  return except(out, y, -INFINITY);
}

/* (x - mean) / scale. */
static gg_var *standard(gg_var *const *x) {
  return gg_div(gg_sub(x[0], x[1]), x[2]);
}

/* --- of numbers --- */

static gg_var *normal(gg_var *const *x) {
  gg_var *const half = times(gg_sqr(standard(x)), -0.5);

  return plus(gg_sub(half, gg_log(x[2])), -HALF_LOG_2_PI);
}

gg_var *gg_logpdf_normal(gg_var *x, gg_var *mean, gg_var *deviation) {
  gg_var *in[3] = {x, mean, deviation};

  return prepare("logpdf_normal", 3, in) ? normal(in) : NULL;
}

gg_var *gg_logpdf_lognormal(gg_var *x, gg_var *mean, gg_var *deviation) {
  gg_var *in[3] = {x, mean, deviation};

  if (!prepare("logpdf_lognormal", 3, in))
    return NULL;
  gg_var *const out = gg_le(in[0], gg__num(in[0], 0));
  in[0] = gg_log(except(out, in[0], 1));
  return unless(out, gg_sub(normal(in), in[0]));
}

gg_var *gg_logpdf_laplace(gg_var *x, gg_var *mean, gg_var *scale) {
  gg_var *in[3] = {x, mean, scale};

  if (!prepare("logpdf_laplace", 3, in))
    return NULL;
  gg_var *const size = gg_abs(standard(in));
  return gg_neg(gg_add(size, gg_log(times(in[2], 2))));
}

gg_var *gg_logpdf_cauchy(gg_var *x, gg_var *median, gg_var *scale) {
  gg_var *in[3] = {x, median, scale};

  if (!prepare("logpdf_cauchy", 3, in))
    return NULL;
  gg_var *const tail = gg_log1p(gg_sqr(standard(in)));
  return plus(gg_neg(gg_add(tail, gg_log(in[2]))), -LOG_PI);
}

gg_var *gg_logpdf_exponential(gg_var *x, gg_var *scale) {
  gg_var *in[2] = {x, scale};

  if (!prepare("logpdf_exponential", 2, in))
    return NULL;
  gg_var *const out = is_below(in[0], 0);
  gg_var *const y = gg_div(except(out, in[0], 0), in[1]);
  return unless(out, gg_neg(gg_add(y, gg_log(in[1]))));
}

/* With z = x / scale: (shape - 1) log(z) - z - lgamma(shape) - log(scale). */
gg_var *gg_logpdf_gamma(gg_var *x, gg_var *shape, gg_var *scale) {
  gg_var *in[3] = {x, shape, scale};

  if (!prepare("logpdf_gamma", 3, in))
    return NULL;
  gg_var *const out = is_beyond(in[0]);
  gg_var *const z = gg_div(except(out, in[0], 1), in[2]);
  gg_var *const power = gg_sub(gg_xlogy(plus(in[1], -1), z), z);
  gg_var *const norm = gg_add(gg_lgamma(in[1]), gg_log(in[2]));
  return unless(out, gg_sub(power, norm));
}

gg_var *gg_logpdf_beta(gg_var *x, gg_var *a, gg_var *b) {
  gg_var *in[3] = {x, a, b};

  if (!prepare("logpdf_beta", 3, in))
    return NULL;
  gg_var *const above = gg_gt(in[0], gg__num(in[0], 1));
  gg_var *const out = gg_or(is_below(in[0], 0), above);
  gg_var *const z = except(out, in[0], 0.5);
  gg_var *const left = gg_xlogy(plus(in[1], -1), z);
  gg_var *const right = gg_xlog1py(plus(in[2], -1), gg_neg(z));
  return unless(out, gg_sub(gg_add(left, right), gg_betaln(in[1], in[2])));
}

gg_var *gg_logpdf_student(gg_var *x, gg_var *freedom) {
  gg_var *in[2] = {x, freedom};

  if (!prepare("logpdf_student", 2, in))
    return NULL;
  gg_var *const half = times(in[1], 0.5);
  gg_var *const tail = gg_log1p(gg_div(gg_sqr(in[0]), in[1]));
  gg_var *const norm =
      gg_add(gg_betaln(half, gg__num(half, 0.5)), times(gg_log(in[1]), 0.5));
  return gg_neg(gg_add(gg_mul(plus(half, 0.5), tail), norm));
}

gg_var *gg_logpdf_uniform(gg_var *x, gg_var *low, gg_var *high) {
  gg_var *in[3] = {x, low, high};

  if (!prepare("logpdf_uniform", 3, in))
    return NULL;
  gg_var *const out = gg_or(gg_lt(in[0], in[1]), gg_gt(in[0], in[2]));
  gg_var *const y = gg_neg(gg_log(gg_sub(in[2], in[1])));
  return gg_add(unless(out, times(except(out, in[0], 0), 0)), y);
}

/* With z = (x - mean) / scale, whose sign does not matter: exp(-|z|) does not
 * overflow. */
gg_var *gg_logpdf_logistic(gg_var *x, gg_var *mean, gg_var *scale) {
  gg_var *in[3] = {x, mean, scale};

  if (!prepare("logpdf_logistic", 3, in))
    return NULL;
  gg_var *const z = gg_abs(standard(in));
  gg_var *const tail = times(gg_softplus(gg_neg(z)), 2);
  return gg_neg(gg_add(gg_add(z, tail), gg_log(in[2])));
}

gg_var *gg_logpdf_gumbel(gg_var *x, gg_var *mode, gg_var *scale) {
  gg_var *in[3] = {x, mode, scale};

  if (!prepare("logpdf_gumbel", 3, in))
    return NULL;
  gg_var *const out = gg_isinf(in[0]);
  in[0] = except(out, in[0], 0);
  gg_var *const z = standard(in), *const sum = gg_add(z, gg_exp(gg_neg(z)));
  return unless(out, gg_neg(gg_add(sum, gg_log(in[2]))));
}

/* With z = x / scale: log(shape / scale) + (shape - 1) log(z) - z^shape. */
gg_var *gg_logpdf_weibull(gg_var *x, gg_var *shape, gg_var *scale) {
  gg_var *in[3] = {x, shape, scale};

  if (!prepare("logpdf_weibull", 3, in))
    return NULL;
  gg_var *const out = is_beyond(in[0]);
  gg_var *const z = gg_div(except(out, in[0], 1), in[2]);
  gg_var *const power = gg_xlogy(plus(in[1], -1), z);
  gg_var *const norm = gg_log(gg_div(in[1], in[2]));
  return unless(out, gg_sub(gg_add(norm, power), gg_pow(z, in[1])));
}

gg_var *gg_logpdf_chi2(gg_var *x, gg_var *freedom) {
  gg_var *in[2] = {x, freedom};

  if (!prepare("logpdf_chi2", 2, in))
    return NULL;
  return gg_logpdf_gamma(in[0], times(in[1], 0.5), gg__num(in[0], 2));
}

gg_var *gg_logpdf_pareto(gg_var *x, gg_var *shape, gg_var *least) {
  gg_var *in[3] = {x, shape, least};

  if (!prepare("logpdf_pareto", 3, in))
    return NULL;
  gg_var *const out = gg_lt(in[0], in[2]);
  gg_var *const z = gg_where(out, in[2], in[0]);
  gg_var *const fall = gg_mul(in[1], gg_log(gg_div(z, in[2])));
  return unless(out, gg_sub(gg_log(gg_div(in[1], z)), fall));
}

/* With z = scale / x: shape log(z) - z - lgamma(shape) - log(x). */
gg_var *gg_logpdf_inverse_gamma(gg_var *x, gg_var *shape, gg_var *scale) {
  gg_var *in[3] = {x, shape, scale};

  if (!prepare("logpdf_inverse_gamma", 3, in))
    return NULL;
  gg_var *const out = gg_or(gg_le(in[0], gg__num(in[0], 0)), gg_isinf(in[0]));
  gg_var *const safe = except(out, in[0], 1), *const z = gg_div(in[2], safe);
  gg_var *const power = gg_sub(gg_mul(in[1], gg_log(z)), z);
  gg_var *const norm = gg_add(gg_lgamma(in[1]), gg_log(safe));
  return unless(out, gg_sub(power, norm));
}

/* --- of counts --- */

gg_var *gg_log_binomial(gg_var *n, gg_var *k) {
  gg_var *in[2] = {n, k};

  if (!prepare("log_binomial", 2, in))
    return NULL;
  gg_var *const ways = gg_betaln(plus(gg_sub(in[0], in[1]), 1), plus(in[1], 1));
  return gg_neg(gg_add(ways, gg_log1p(in[0])));
}

/* k log(p) + rest log(1 - p). */
static gg_var *tosses(gg_var *k, gg_var *rest, gg_var *p) {
  return gg_add(gg_xlogy(k, p), gg_xlog1py(rest, gg_neg(p)));
}

gg_var *gg_logpmf_bernoulli(gg_var *k, gg_var *p) {
  gg_var *in[2] = {k, p};

  if (!prepare("logpmf_bernoulli", 2, in))
    return NULL;
  gg_var *const above = gg_gt(in[0], gg__num(in[0], 1));
  gg_var *const out = gg_or(is_below(in[0], 0), above);
  gg_var *const z = except(out, in[0], 0);
  return unless(out, tosses(z, one_minus(z), in[1]));
}

gg_var *gg_logpmf_binomial(gg_var *k, gg_var *n, gg_var *p) {
  gg_var *in[3] = {k, n, p};

  if (!prepare("logpmf_binomial", 3, in))
    return NULL;
  gg_var *const out = gg_or(is_below(in[0], 0), gg_gt(in[0], in[1]));
  gg_var *const z = except(out, in[0], 0);
  gg_var *const chance = tosses(z, gg_sub(in[1], z), in[2]);
  return unless(out, gg_add(gg_log_binomial(in[1], z), chance));
}

gg_var *gg_logpmf_poisson(gg_var *k, gg_var *rate) {
  gg_var *in[2] = {k, rate};

  if (!prepare("logpmf_poisson", 2, in))
    return NULL;
  gg_var *const out = is_beyond(in[0]);
  gg_var *const z = except(out, in[0], 0);
  gg_var *const ways = gg_lgamma(plus(z, 1));
  return unless(out, gg_sub(gg_sub(gg_xlogy(z, in[1]), in[1]), ways));
}

gg_var *gg_logpmf_geometric(gg_var *k, gg_var *p) {
  gg_var *in[2] = {k, p};

  if (!prepare("logpmf_geometric", 2, in))
    return NULL;
  gg_var *const out = is_below(in[0], 0);
  gg_var *const z = except(out, in[0], 0);
  return unless(out, tosses(gg__num(z, 1), z, in[1]));
}

gg_var *gg_logpmf_negative_binomial(gg_var *k, gg_var *n, gg_var *p) {
  gg_var *in[3] = {k, n, p};

  if (!prepare("logpmf_negative_binomial", 3, in))
    return NULL;
  gg_var *const out = is_beyond(in[0]);
  gg_var *const z = except(out, in[0], 0);
  gg_var *const ways =
      gg_neg(gg_add(gg_betaln(plus(z, 1), in[1]), gg_log(gg_add(z, in[1]))));
  return unless(out, gg_add(ways, tosses(in[1], z, in[2])));
}
