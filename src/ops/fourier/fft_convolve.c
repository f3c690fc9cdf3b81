/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions as products of spectra. */
#include <gpugraph/arrange.h>
#include <gpugraph/signal.h>

#include "ops/compose.h"
#include "ops/fourier/fourier.h"

/* Along one axis, scalars that are int64. */
typedef struct axis_sizes {
  gg_var *x, *y;
  gg_var *all;  /* of the convolution: x + y - 1 */
  gg_var *good; /* of the transforms */
} axis_sizes;

typedef struct convolution {
  unsigned int n;
  unsigned int at[GG_MAX_ND];
  axis_sizes size[GG_MAX_ND];
  unsigned int n_active; /* axes along which neither size is known to be 1 */
  int active[GG_MAX_ND];
} convolution;

/* --- lengths of transforms --- */

/* The first power of two from n on. */
static gg_var *power_of_two(gg_var *n) {
  gg_var *m = gg_sub(n, gg__whole_number(n, 1));

  for (int bits = 1; bits <= 32 && m != NULL; bits *= 2)
    m = gg_or(m, gg_right_shift(m, gg__whole_number(n, bits)));
  return m != NULL ? gg_add(m, gg__whole_number(n, 1)) : NULL;
}

/* A length from n on that only small primes divide, an int64 scalar: the least
 * one if n is known, else 8, 9, 10, 12, 14 or 15 times a power of two, or one
 * itself. */
static gg_var *good_length(gg_var *n) {
  static const int sixteenths[] = {15, 14, 12, 10, 9};
  double known;

  if (n == NULL)
    return NULL;
  if (gg_var_uniform(n, &known) && known >= 1)
    return gg__whole_number(n, (int64_t)GpuArray_fft_length((size_t)known));
  n = gg__number_most(n, gg__whole_number(n, 1));
  gg_var *const power = power_of_two(n);
  gg_var *const part = gg__number_over(power, 16);
  gg_var *length = power;
  for (unsigned int i = 0; i < sizeof sixteenths / sizeof *sixteenths; i++) {
    gg_var *const m =
        gg__number_mul(part, gg_i64(gg_var_graph(n), sixteenths[i]));

    length = gg_where(gg_ge(m, n), m, length);
  }
  return length;
}

/* --- both operands --- */

/* x, of the dtype of both, with zeros behind its end along the axes that are
 * transformed. */
static gg_var *with_zeros(const convolution *c, gg_var *x, int is_x) {
  gg_var *before[GG_MAX_ND], *after[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  for (unsigned int d = 0; d < gg__rank_of(x); d++)
    before[d] = after[d] = gg__whole_number(x, 0);
  for (unsigned int i = 0; i < c->n; i++) {
    const axis_sizes *s = &c->size[i];
    gg_var *const own = is_x ? s->x : s->y;

    if (s->good != NULL)
      after[c->at[i]] =
          gg__number_add(s->good, gg__number_mul(own, gg__whole_number(x, -1)));
  }
  return gg_pad_sizes(x, before, after, GG_PAD_CONSTANT, NULL);
}

static gg_var *spectrum(const convolution *c, gg_var *x, int is_real) {
  return (is_real ? gg_rfft : gg_fft)(x, c->n_active, c->active, NULL,
                                      GG_FFT_BACKWARD);
}

static gg_var *product(const convolution *c, gg_var *x, gg_var *y) {
  gg_var *const both[2] = {x, y};

  if (c->n_active == 0)
    return gg_mul(x, y);
  const int is_real = !ga__dtype_is_complex(gg_var_type(x)->dtype);
  x = spectrum(c, with_zeros(c, both[0], 1), is_real);
  y = spectrum(c, with_zeros(c, both[1], 0), is_real);
  gg_var *const z = gg_mul(x, y);
  if (!is_real)
    return gg_ifft(z, c->n_active, c->active, NULL, GG_FFT_BACKWARD);
  gg_var *length = NULL; /* of the last axis */
  for (unsigned int i = 0; i < c->n; i++)
    if (c->size[i].good != NULL)
      length = c->size[i].good;
  return gg__irfft_sized(z, c->n_active, c->active, length, GG_FFT_BACKWARD);
}

/* --- the part that is wanted --- */

static gg_var *part_of(const axis_sizes *s, unsigned int axis,
                       gg_fft_convolve_part part, gg_var *z) {
  gg_var *const none = gg__whole_number(s->x, 0);
  gg_var *const one = gg__whole_number(s->x, -1);
  gg_var *start = none, *end = s->all;

  if (part == GG_CONVOLVE_SAME) {
    start = gg__number_over(gg__number_add(s->y, one), 2);
    end = gg__number_add(start, s->x);
  } else if (part == GG_CONVOLVE_VALID) {
    start = gg__number_add(gg__number_least(s->x, s->y), one);
    end = gg__number_most(s->x, s->y);
  }
  return gg_slice_at(z, (int)axis, start, end, NULL);
}

/* --- builders --- */

static int check(convolution *c, const gg_op *op, gg_var *x, gg_var *y,
                 const int *axes) {
  static const int all[GG_MAX_ND] = {0, 1, 2, 3, 4, 5, 6, 7};
  gg_var *const both[2] = {x, y};

  if (!gg__given(op, 2, both))
    return 0;
  if (gg__rank_of(x) != gg__rank_of(y))
    return gg__refuse(op, 2, both, GA_VALUE_ERROR,
                      "operands of ranks %u and %u", gg__rank_of(x),
                      gg__rank_of(y)) != NULL;
  if (c->n == 0 && axes == NULL) {
    c->n = gg__rank_of(x);
    axes = all;
  }
  if (!gg__fourier_axes(op, x, c->n, axes, c->at))
    return 0;
  for (unsigned int i = 0; i < c->n; i++)
    if (gg_var_type(x)->dims[c->at[i]] == 0 ||
        gg_var_type(y)->dims[c->at[i]] == 0)
      return gg__refuse(op, 2, both, GA_VALUE_ERROR,
                        "axis %u: an operand has no elements",
                        c->at[i]) != NULL;
  return 1;
}

static void find_sizes(convolution *c, gg_var *x, gg_var *y) {
  for (unsigned int i = 0; i < c->n; i++) {
    const unsigned int k = c->at[i];
    axis_sizes *const s = &c->size[i];

    s->x = gg_shape(x, (int)k);
    s->y = gg_shape(y, (int)k);
    s->all =
        gg__number_add(gg__number_add(s->x, s->y), gg__whole_number(x, -1));
    if (gg_var_type(x)->dims[k] == 1 || gg_var_type(y)->dims[k] == 1)
      continue;
    s->good = good_length(s->all);
    c->active[c->n_active++] = (int)k;
  }
}

gg_var *gg_fft_convolve(gg_var *x, gg_var *y, unsigned int n, const int *axes,
                        gg_fft_convolve_part part) {
  const gg_op *const op = GG_CALLED("fft_convolve");
  convolution c = {.n = n};

  if (!check(&c, op, x, y, axes))
    return NULL;
  if ((unsigned int)part > GG_CONVOLVE_VALID)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "part %d, expected 0 to 2",
                      (int)part);
  const int is_complex = ga__dtype_is_complex(gg_var_type(x)->dtype) ||
                         ga__dtype_is_complex(gg_var_type(y)->dtype);
  x = gg__fourier_float(x, is_complex);
  y = gg__fourier_float(y, is_complex);
  if (x == NULL || y == NULL)
    return NULL;
  gg_var *const both[2] = {x, y};
  const int dtype = gg__common_dtype_of(2, both);
  x = gg_cast(x, dtype);
  y = gg_cast(y, dtype);
  find_sizes(&c, x, y);
  gg_var *z = product(&c, x, y);
  for (unsigned int i = 0; i < c.n && z != NULL; i++)
    z = part_of(&c.size[i], c.at[i], part, z);
  return z;
}
