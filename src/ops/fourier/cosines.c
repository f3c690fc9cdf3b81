/* SPDX-License-Identifier: BSD-2-Clause */
/* Cosine transforms of types 1 to 3, by real Fourier transforms of as many
 * elements (of twice as many for type 1). */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <math.h>

#include "ops/compose.h"
#include "ops/fourier/fourier.h"

/* One transform along one axis. */
typedef struct cosines {
  int axis;
  gg_var *n; /* its size, int64 */
} cosines;

static gg_var *number(const cosines *c, int64_t v) {
  return gg__whole_number(c->n, v);
}

/* z times exp(i factor pi k / (2 n)), for positions k along the axis. */
static gg_var *turned(const cosines *c, gg_var *z, int factor) {
  if (z == NULL)
    return NULL;
  const int dtype = ga__dtype_real(gg_var_type(z)->dtype);
  gg_var *const k = gg_cast(gg__iota(z, c->axis), dtype);
  gg_var *const n = gg_cast(c->n, dtype);

  if (k == NULL || n == NULL)
    return NULL;
  gg_var *const angle = gg_div(gg_mul(k, gg__num(k, factor * acos(0))), n);
  return gg_mul(z, gg_polar(gg__num(k, 1), angle));
}

/* Elements 0, 2, ... and after them ..., 3, 1. */
static gg_var *folded(const cosines *c, gg_var *x) {
  gg_var *const parts[2] = {
      gg_slice(x, c->axis, 0, GG_END, 2),
      gg_flip(gg_slice(x, c->axis, 1, GG_END, 2), c->axis)};

  return parts[1] != NULL ? gg_join(c->axis, 2, parts) : NULL;
}

/* From that order back. */
static gg_var *unfolded(const cosines *c, gg_var *x) {
  gg_var *const k = gg_arange(number(c, 0), c->n, number(c, 1));
  gg_var *const half = gg_floordiv(gg_add(k, number(c, 1)), number(c, 2));
  gg_var *const is_odd = gg_eq(gg_mod(k, number(c, 2)), number(c, 1));

  return gg_take_axis(x, c->axis, gg_where(is_odd, gg_sub(c->n, half), half));
}

/* Result k is the real part of element k of the turned spectrum, and result
 * n - k its imaginary part with the other sign. */
static gg_var *second(const cosines *c, gg_var *x) {
  gg_var *z =
      turned(c, gg_rfft(folded(c, x), 1, &c->axis, NULL, GG_FFT_BACKWARD), -1);

  if (z == NULL)
    return NULL;
  z = gg_add(z, z);
  gg_var *const end = gg__number_over(gg__number_add(c->n, number(c, 1)), 2);
  gg_var *const inner = gg_slice_at(z, c->axis, number(c, 1), end, NULL);
  gg_var *const parts[2] = {gg_real(z),
                            gg_flip(gg_neg(gg_imag(inner)), c->axis)};
  return parts[1] != NULL ? gg_join(c->axis, 2, parts) : NULL;
}

/* x with a zero before it, along the axis. */
static gg_var *after_zero(const cosines *c, gg_var *x) {
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};

  before[c->axis] = 1;
  return x != NULL ? gg_pad(x, before, after, GG_PAD_CONSTANT, NULL) : NULL;
}

/* The steps of `second`, backwards. */
static gg_var *third(const cosines *c, gg_var *x) {
  gg_var *const half = gg__number_over(c->n, 2);
  gg_var *const end = gg__number_add(half, number(c, 1));
  gg_var *const re = gg_slice_at(x, c->axis, number(c, 0), end, NULL);
  gg_var *const im = after_zero(
      c, gg_slice_at(gg_flip(x, c->axis), c->axis, number(c, 0), half, NULL));
  gg_var *const z = turned(c, gg_complex(re, gg_neg(im)), 1);

  return unfolded(c, gg__irfft_sized(z, 1, &c->axis, c->n, GG_FFT_FORWARD));
}

/* x and, without its ends, x backwards make one period. */
static gg_var *first(const cosines *c, gg_var *x) {
  gg_var *const parts[2] = {x,
                            gg_flip(gg_slice(x, c->axis, 1, -1, 1), c->axis)};

  if (parts[1] == NULL)
    return NULL;
  return gg_real(
      gg_rfft(gg_join(c->axis, 2, parts), 1, &c->axis, NULL, GG_FFT_BACKWARD));
}

/* x with its first element times f and, for type 1, the last one, too. */
static gg_var *weighted(const cosines *c, gg_var *x, int type, double f) {
  if (x == NULL)
    return NULL;
  gg_var *const k = gg__iota(x, c->axis);
  gg_var *is_end = gg_eq(k, number(c, 0));

  if (type == 1)
    is_end = gg_or(is_end, gg_eq(k, gg_sub(c->n, number(c, 1))));
  return gg_mul(x, gg_where(is_end, gg__num(x, f), gg__num(x, 1)));
}

/* The transform of one axis; `type` is that of the direction that is wanted. */
static gg_var *along(const cosines *c, gg_var *x, int type, gg_fft_norm norm,
                     int is_scaled) {
  static gg_var *(*const of[])(const cosines *, gg_var *) = {NULL, first,
                                                             second, third};

  if (norm == GG_FFT_ORTHO && type != 2)
    x = weighted(c, x, type, sqrt(2));
  gg_var *y = of[type](c, x);
  if (norm == GG_FFT_ORTHO && type != 3)
    y = weighted(c, y, type, sqrt(0.5));
  if (y == NULL || (norm != GG_FFT_ORTHO && !is_scaled))
    return y;
  gg_var *const period = gg__number_mul(
      gg__number_add(c->n, number(c, type == 1 ? -1 : 0)), number(c, 2));
  gg_var *const whole = gg_cast(period, gg_var_type(y)->dtype);
  return gg_div(y, norm == GG_FFT_ORTHO ? gg_sqrt(whole) : whole);
}

static gg_var *check_size(const gg_op *op, gg_var *x, unsigned int axis,
                          int least) {
  const int64_t n = gg_var_type(x)->dims[axis];

  if (n == GG_ANY || n >= least)
    return x;
  return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                    "axis %u: a transform of %lld elements", axis,
                    (long long)n);
}

static gg_var *transform(const gg_op *op, gg_var *x, int type, unsigned int n,
                         const int *axes, gg_fft_norm norm, int is_inverse) {
  const int is_scaled =
      is_inverse ? norm == GG_FFT_BACKWARD : norm == GG_FFT_FORWARD;
  unsigned int at[GG_MAX_ND];

  if (!gg__fourier_axes(op, x, n, axes, at) || !gg__fourier_norm(op, x, norm))
    return NULL;
  if (type < 1 || type > 3)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "type %d, expected 1 to 3",
                      type);
  if (ga__dtype_is_complex(gg_var_type(x)->dtype))
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected real numbers");
  x = gg__fourier_float(x, 0);
  for (unsigned int i = 0; i < n && x != NULL; i++) {
    const cosines c = {.axis = (int)at[i], .n = gg_shape(x, (int)at[i])};

    if (check_size(op, x, at[i], type == 1 ? 2 : 1) == NULL || c.n == NULL)
      return NULL;
    x = along(&c, x, is_inverse && type != 1 ? 5 - type : type, norm,
              is_scaled);
  }
  return x;
}

gg_var *gg_dct(gg_var *x, int type, unsigned int n, const int *axes,
               gg_fft_norm norm) {
  return transform(GG_CALLED("dct"), x, type, n, axes, norm, 0);
}

gg_var *gg_idct(gg_var *x, int type, unsigned int n, const int *axes,
                gg_fft_norm norm) {
  return transform(GG_CALLED("idct"), x, type, n, axes, norm, 1);
}
