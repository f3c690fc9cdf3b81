/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of special functions, and builders of several of them. */
#include <math.h>

#include <gpugraph/numeric.h>
#include <gpugraph/special.h>

#include "ops/compose.h"
#include "ops/elementwise/special.h"

#define SQRT_PI 1.77245385090551602730
#define SQRT_2_PI 2.50662827463100050242
#define SQRT_HALF 0.70710678118654752440
#define LN2 0.69314718055994530942
#define PI 3.14159265358979323846

static gg_var *times(gg_var *x, double c) {
  return gg_mul(x, gg__num(x, c));
}

static gg_var *one_minus(gg_var *x) {
  return gg_sub(gg__num(x, 1), x);
}

/* exp(c x^2). */
static gg_var *bell(gg_var *x, double c) {
  return gg_exp(times(gg_sqr(x), c));
}

/* a, but 0 where `at` is 0. */
static gg_var *unless_zero(gg_var *at, gg_var *a) {
  return gg_where(gg_eq(at, gg__num(at, 0)), gg__num(a, 0), a);
}

/* y / x, and its limit at 0. */
static gg_var *over(gg_var *y, gg_var *x, double limit) {
  gg_var *const is_zero = gg_eq(x, gg__num(x, 0));
  gg_var *const safe = gg_where(is_zero, gg__num(x, 1), x);

  return gg_where(is_zero, gg__num(x, limit), gg_div(y, safe));
}

/* `set` assigns the gradients gin[i], from the operands x, the result y and g,
 * the gradient of y. */
#define GRADIENT_AS(name, set)                                                 \
  GG_GRADIENT(name) {                                                          \
    gg_var *const *const x = a->in, *const y = a->out[0], *const g = gout[0];  \
    (void)x;                                                                   \
    (void)y;                                                                   \
    set;                                                                       \
    return GA_NO_ERROR;                                                        \
  }
#define GRADIENT(name, by_0) GRADIENT_AS(name, gin[0] = gg_mul(g, by_0))
#define GRADIENT_OF_TWO(name, by_0, by_1)                                      \
  GRADIENT_AS(name, gin[0] = gg_mul(g, by_0); gin[1] = gg_mul(g, by_1))

const char *gg__no_grad_by_parameter(const gg_apply *a, unsigned int in) {
  if (in + 1 == a->n_in)
    return NULL;
  return a->n_in == 2 ? "not known by its first operand"
                      : "not known by its first two operands";
}

/* The series of the derivative of sinc at 0 over pi^2 x, of w = (pi x)^2 <= 1:
 * the terms (-1)^k 2 k w^(k - 1) / (2 k + 1)!. */
static gg_var *sinc_series(gg_var *w) {
  enum { TERMS = 9 };
  gg_var *c[TERMS];

  for (int k = 1; k <= TERMS; k++)
    c[TERMS - k] = gg__num(w, (k % 2 == 0 ? 2 : -2) * k / tgamma(2.0 * k + 2));
  return gg_polyval(TERMS, c, w);
}

/* The derivative of sinc, and near 0, where digits would cancel, its series. */
static gg_var *sinc_slope(gg_var *x, gg_var *y) {
  gg_var *const series =
      gg_mul(times(x, PI * PI), sinc_series(gg_sqr(times(x, PI))));
  gg_var *const is_near = gg_lt(gg_abs(x), gg__num(x, 0.3));
  gg_var *const safe = gg_where(is_near, gg__num(x, 1), x);
  gg_var *const slope = gg_div(gg_sub(gg_cos(times(x, PI)), y), safe);

  return gg_where(is_near, series, slope);
}

static gg_var *log_quotient(gg_var *const *x) {
  return gg_log(gg_div(x[0], x[1]));
}

/* psi(a) - psi(a + b). */
static gg_var *beta_slope(gg_var *a, gg_var *b) {
  return gg_sub(gg_digamma(a), gg_digamma(gg_add(a, b)));
}

/* The derivative of the logarithm of gg_betapdf by x. */
static gg_var *betapdf_slope(gg_var *a, gg_var *b, gg_var *x) {
  gg_var *const left = gg_div(gg_sub(a, gg__num(a, 1)), x);

  return gg_sub(left, gg_div(gg_sub(b, gg__num(b, 1)), one_minus(x)));
}

/* -s zeta(s + 1, q). */
static gg_var *zeta_slope(gg_var *const *x) {
  return gg_mul(gg_neg(x[0]), gg_zeta(gg_add(x[0], gg__num(x[0], 1)), x[1]));
}

/* The density over the distribution function. Left of 0 erfcx is their
 * quotient, and nothing cancels. */
static gg_var *log_ndtr_slope(gg_var *x, gg_var *y) {
  gg_var *const is_right = gg_gt(x, gg__num(x, 0));
  gg_var *const under =
      gg_erfcx(times(gg_where(is_right, gg__num(x, 0), x), -SQRT_HALF));
  gg_var *const power = gg_sub(times(gg_sqr(x), -0.5), y);
  gg_var *const over = gg_exp(gg_where(is_right, power, gg__num(x, LN2)));

  return times(gg_div(over, under), 1 / SQRT_2_PI);
}

/* clang-format off */
GRADIENT(lgamma, gg_digamma(x[0]))
GRADIENT(gamma, gg_mul(y, gg_digamma(x[0])))
GRADIENT(digamma, gg_trigamma(x[0]))
GRADIENT(trigamma, times(gg_zeta(gg__num(x[0], 3), x[0]), -2))
GRADIENT_OF_TWO(betaln, beta_slope(x[0], x[1]), beta_slope(x[1], x[0]))
GRADIENT_AS(zeta, gin[1] = gg_mul(g, zeta_slope(x)))
GRADIENT(erfinv, times(bell(y, 1), SQRT_PI / 2))
GRADIENT(erfcinv, times(bell(y, 1), -SQRT_PI / 2))
GRADIENT(erfcx, gg_sub(times(gg_mul(x[0], y), 2), gg__num(x[0], 2 / SQRT_PI)))
GRADIENT(ndtr, times(bell(x[0], -0.5), 1 / SQRT_2_PI))
GRADIENT(log_ndtr, log_ndtr_slope(x[0], y))
GRADIENT(ndtri, times(bell(y, 0.5), SQRT_2_PI))
GRADIENT_OF_TWO(xlogy, gg_log(x[1]), unless_zero(x[0], gg_div(x[0], x[1])))
GRADIENT_OF_TWO(xlog1py, gg_log1p(x[1]),
                unless_zero(x[0], gg_div(x[0], gg_add(x[1], gg__num(x[1], 1)))))
GRADIENT(entr, gg_neg(gg_add(gg_log(x[0]), gg__num(x[0], 1))))
GRADIENT_OF_TWO(rel_entr, gg_add(log_quotient(x), gg__num(x[0], 1)),
                gg_neg(gg_div(x[0], x[1])))
GRADIENT_OF_TWO(kl_div, log_quotient(x), one_minus(gg_div(x[0], x[1])))
GRADIENT(sinc, sinc_slope(x[0], y))
GRADIENT(i0, gg_i1(x[0]))
GRADIENT(i0e, gg_sub(gg_i1e(x[0]), gg_mul(gg_sign(x[0]), y)))
GRADIENT(i1, gg_sub(gg_i0(x[0]), over(y, x[0], 0.5)))
GRADIENT(i1e, gg_sub(gg_sub(gg_i0e(x[0]), over(y, x[0], 0.5)),
                     gg_mul(gg_sign(x[0]), y)))
GRADIENT(k0, gg_neg(gg_k1(x[0])))
GRADIENT(k0e, gg_sub(y, gg_k1e(x[0])))
GRADIENT(k1, gg_neg(gg_add(gg_k0(x[0]), gg_div(y, x[0]))))
GRADIENT(k1e, gg_sub(gg_sub(y, gg_k0e(x[0])), gg_div(y, x[0])))
GRADIENT_AS(gammainc, gin[1] = gg_mul(g, gg_gammapdf(x[0], x[1])))
GRADIENT_AS(gammaincc, gin[1] = gg_neg(gg_mul(g, gg_gammapdf(x[0], x[1]))))
GRADIENT_AS(gammaincinv, gin[1] = gg_div(g, gg_gammapdf(x[0], y)))
GRADIENT_AS(gammainccinv, gin[1] = gg_neg(gg_div(g, gg_gammapdf(x[0], y))))
GRADIENT_OF_TWO(gammapdf,
                gg_mul(y, gg_sub(gg_log(x[1]), gg_digamma(x[0]))),
                gg_mul(y, gg_sub(gg_div(gg_sub(x[0], gg__num(x[0], 1)), x[1]),
                                 gg__num(x[0], 1))))
GRADIENT_AS(betainc, gin[2] = gg_mul(g, gg_betapdf(x[0], x[1], x[2])))
GRADIENT_AS(betaincc, gin[2] = gg_neg(gg_mul(g, gg_betapdf(x[0], x[1], x[2]))))
GRADIENT_AS(betaincinv, gin[2] = gg_div(g, gg_betapdf(x[0], x[1], y)))
GRADIENT_AS(betainccinv, gin[2] = gg_neg(gg_div(g, gg_betapdf(x[0], x[1], y))))
GRADIENT_AS(betapdf, gg_var *const more = gg_mul(g, y);
            gin[0] = gg_mul(more, gg_sub(gg_log(x[2]), beta_slope(x[0], x[1])));
            gin[1] = gg_mul(more, gg_sub(gg_log1p(gg_neg(x[2])),
                                         beta_slope(x[1], x[0])));
            gin[2] = gg_mul(more, betapdf_slope(x[0], x[1], x[2])))
GRADIENT(j0, gg_neg(gg_j1(x[0])))
GRADIENT(j1, gg_sub(gg_j0(x[0]), over(y, x[0], 0.5)))
GRADIENT(y0, gg_neg(gg_y1(x[0])))
GRADIENT(y1, gg_sub(gg_y0(x[0]), gg_div(y, x[0])))
GRADIENT(exp1, gg_neg(gg_div(gg_exp(gg_neg(x[0])), x[0])))
GRADIENT(expi, gg_div(gg_exp(x[0]), x[0]))
GRADIENT(lambertw, gg_div(gg_exp(gg_neg(y)), gg_add(y, gg__num(y, 1))))
/* clang-format on */

gg_var *gg_polygamma(int n, gg_var *x) {
  if (x == NULL)
    return NULL;
  if (n < 0 || n > 100)
    return gg__refuse(GG_CALLED("polygamma"), 1, &x, GA_VALUE_ERROR,
                      "derivative %d, expected 0 to 100", n);
  if (n < 2)
    return n == 0 ? gg_digamma(x) : gg_trigamma(x);
  x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  const double factor = (n % 2 == 0 ? -1 : 1) * tgamma(n + 1.0);
  return times(gg_zeta(gg__num(x, n + 1), x), factor);
}
