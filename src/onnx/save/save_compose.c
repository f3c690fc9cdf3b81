/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that models do not have, composed of others. */
#include <math.h>

#include "onnx/save/savers.h"

/* A scalar that takes the dtype of x. */
static gg_var *num(gg_var *x, double v) {
  return gg_weak(gg_var_graph(x), v);
}

static gg_var *times(gg_var *x, double v) {
  return gg_mul(x, num(x, v));
}

static gg_var *half_or_more(gg_var *x, gg_var *inside, gg_var *outside) {
  return gg_where(gg_lt(gg_abs(x), num(x, 0.5)), inside, outside);
}

gg_var *gg__compose_sqr(const gg_apply *a) {
  return gg_mul(a->in[0], a->in[0]);
}

gg_var *gg__compose_rsqrt(const gg_apply *a) {
  return gg_reciprocal(gg_sqrt(a->in[0]));
}

gg_var *gg__compose_cbrt(const gg_apply *a) {
  gg_var *x = a->in[0];

  return gg_mul(gg_sign(x), gg_pow(gg_abs(x), num(x, 1.0 / 3)));
}

/* m sqrt((a / m)^2 + (b / m)^2) for the larger m of the two. */
gg_var *gg__compose_hypot(const gg_apply *a) {
  gg_var *x = gg_abs(a->in[0]), *y = gg_abs(a->in[1]), *m = gg_maximum(x, y);
  gg_var *plain = gg_or(gg_eq(m, num(m, 0)), gg_isinf(m));
  gg_var *by = gg_where(plain, num(m, 1), m);
  gg_var *p = gg_div(x, by), *q = gg_div(y, by);

  return gg_where(plain, m,
                  gg_mul(m, gg_sqrt(gg_add(gg_mul(p, p), gg_mul(q, q)))));
}

/* The sign of a zero shows in its reciprocal. */
gg_var *gg__compose_copysign(const gg_apply *a) {
  gg_var *size = gg_abs(a->in[0]), *b = a->in[1];
  gg_var *negative =
      gg_or(gg_lt(b, num(b, 0)), gg_lt(gg_reciprocal(b), num(b, 0)));

  return gg_where(negative, gg_neg(size), size);
}

gg_var *gg__compose_exp2(const gg_apply *a) {
  gg_var *x = a->in[0];

  return gg_pow(
      gg_fill(x, gg_scalar(gg_var_graph(x), gg_var_type(x)->dtype, 2)), x);
}

gg_var *gg__compose_exp10(const gg_apply *a) {
  gg_var *x = a->in[0];

  return gg_pow(
      gg_fill(x, gg_scalar(gg_var_graph(x), gg_var_type(x)->dtype, 10)), x);
}

/* Near 0, with t = tanh(x / 2): exp(x) - 1 = 2 t / (1 - t). */
gg_var *gg__compose_expm1(const gg_apply *a) {
  gg_var *x = a->in[0], *t = gg_tanh(times(x, 0.5)), *one = num(x, 1);

  return half_or_more(x, gg_div(times(t, 2), gg_sub(one, t)),
                      gg_sub(gg_exp(x), one));
}

/* Near 0, with t = x / (x + 2): log(1 + x) = 2 atanh(t). */
gg_var *gg__compose_log1p(const gg_apply *a) {
  gg_var *x = a->in[0];

  return half_or_more(x, times(gg_atanh(gg_div(x, gg_add(x, num(x, 2)))), 2),
                      gg_log(gg_add(x, num(x, 1))));
}

gg_var *gg__compose_log2(const gg_apply *a) {
  return times(gg_log(a->in[0]), 1.4426950408889634074);
}

gg_var *gg__compose_log10(const gg_apply *a) {
  return times(gg_log(a->in[0]), 0.43429448190325182765);
}

/* x log(y) and x log(1 + y), 0 where x is 0. */
static gg_var *weighted(gg_var *x, gg_var *log) {
  gg_var *zero = num(x, 0), *none = gg_eq(x, zero);

  return gg_where(none, zero, gg_mul(x, log));
}

gg_var *gg__compose_xlogy(const gg_apply *a) {
  return weighted(a->in[0], gg_log(a->in[1]));
}

gg_var *gg__compose_xlog1py(const gg_apply *a) {
  return weighted(a->in[0], gg_log1p(a->in[1]));
}

/* The angle of the quotient, moved by pi where x is negative. */
gg_var *gg__compose_atan2(const gg_apply *a) {
  const double pi = 3.14159265358979323846;
  gg_var *y = a->in[0], *x = a->in[1], *zero = num(x, 0);
  gg_var *angle = gg_atan(gg_div(y, x));
  gg_var *turn = gg_where(gg_lt(y, zero), num(x, -pi), num(x, pi));
  gg_var *at_zero = times(gg_sign(y), pi / 2);

  return gg_where(gg_eq(x, zero), at_zero,
                  gg_where(gg_lt(x, zero), gg_add(angle, turn), angle));
}

gg_var *gg__compose_degrees(const gg_apply *a) {
  return times(a->in[0], 57.29577951308232088);
}

gg_var *gg__compose_radians(const gg_apply *a) {
  return times(a->in[0], 0.01745329251994329577);
}

gg_var *gg__compose_erfc(const gg_apply *a) {
  return gg_sub(num(a->in[0], 1), gg_erf(a->in[0]));
}

gg_var *gg__compose_logit(const gg_apply *a) {
  gg_var *x = a->in[0];

  return gg_log(gg_div(x, gg_sub(num(x, 1), x)));
}

/* max + log(1 + exp(-|a - b|)); equal infinities have no difference. */
gg_var *gg__compose_logaddexp(const gg_apply *a) {
  gg_var *x = a->in[0], *y = a->in[1];
  gg_var *d = gg_where(gg_eq(x, y), num(x, 0), gg_sub(x, y));

  return gg_add(gg_maximum(x, y), gg_softplus(gg_neg(gg_abs(d))));
}

gg_var *gg__compose_trunc(const gg_apply *a) {
  return gg_mul(gg_sign(a->in[0]), gg_floor(gg_abs(a->in[0])));
}

gg_var *gg__compose_isfinite(const gg_apply *a) {
  return gg_not(gg_or(gg_isnan(a->in[0]), gg_isinf(a->in[0])));
}

gg_var *gg__compose_ne(const gg_apply *a) {
  return gg_not(gg_eq(a->in[0], a->in[1]));
}
