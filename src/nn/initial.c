/* SPDX-License-Identifier: BSD-2-Clause */
/* First values of parameters, drawn by the host. Numbers come from splitmix64
 * (Steele, Lea and Flood, 2014): a counter that is scrambled, so any seed
 * serves. */
#include <gpugraph/initial.h>

#include <math.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"

#define TWO_PI 6.283185307179586

/* --- what to draw --- */

gg_initial gg_init_constant(double value) {
  return (gg_initial){.kind = GG_INIT_CONSTANT, .a = value};
}

gg_initial gg_init_uniform(double low, double high) {
  return (gg_initial){.kind = GG_INIT_UNIFORM, .a = low, .b = high};
}

gg_initial gg_init_normal(double mean, double deviation) {
  return (gg_initial){.kind = GG_INIT_NORMAL, .a = mean, .b = deviation};
}

gg_initial gg_init_truncated(double mean, double deviation, double low,
                             double high) {
  return (gg_initial){.kind = GG_INIT_TRUNCATED,
                      .a = mean,
                      .b = deviation,
                      .low = low,
                      .high = high};
}

gg_initial gg_init_glorot_uniform(double gain) {
  return (gg_initial){.kind = GG_INIT_GLOROT_UNIFORM, .a = gain};
}

gg_initial gg_init_glorot_normal(double gain) {
  return (gg_initial){.kind = GG_INIT_GLOROT_NORMAL, .a = gain};
}

gg_initial gg_init_he_uniform(double slope) {
  return (gg_initial){.kind = GG_INIT_HE_UNIFORM, .a = slope};
}

gg_initial gg_init_he_normal(double slope) {
  return (gg_initial){.kind = GG_INIT_HE_NORMAL, .a = slope};
}

gg_initial gg_init_orthogonal(double gain) {
  return (gg_initial){.kind = GG_INIT_ORTHOGONAL, .a = gain};
}

/* --- numbers --- */

typedef struct stream {
  uint64_t state;
  double spare; /* a normal number that is left */
  int has_spare;
} stream;

static uint64_t bits(stream *s) {
  uint64_t z = s->state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In [0, 1). */
static double uniform(stream *s) {
  return (double)(bits(s) >> 11) * 0x1p-53;
}

/* By the method of Box and Muller, which makes two. */
static double normal(stream *s) {
  if (s->has_spare) {
    s->has_spare = 0;
    return s->spare;
  }
  const double r = sqrt(-2 * log(1 - uniform(s))), angle = TWO_PI * uniform(s);
  s->spare = r * sin(angle);
  s->has_spare = 1;
  return r * cos(angle);
}

static double within(stream *s, const gg_initial *how) {
  double v;

  do
    v = how->a + how->b * normal(s);
  while (v < how->low || v > how->high);
  return v;
}

/* --- orthonormal rows --- */

static void scale(double *v, size_t n, double by) {
  for (size_t i = 0; i < n; i++)
    v[i] *= by;
}

static double product(const double *a, const double *b, size_t n) {
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Subtract from v what it has of the rows before it, twice: the second time
 * removes what rounding left. */
static void orthogonalise(double *v, const double *rows, size_t n_rows,
                          size_t n) {
  for (int round = 0; round < 2; round++)
    for (size_t k = 0; k < n_rows; k++) {
      const double *r = rows + k * n;
      const double part = product(v, r, n);
      for (size_t i = 0; i < n; i++)
        v[i] -= part * r[i];
    }
}

/* `count` orthonormal rows of n numbers, which are not fewer. */
static double *orthonormal(stream *s, size_t count, size_t n) {
  double *rows = ga__calloc(ga__times(count, n), sizeof *rows);

  for (size_t k = 0; rows != NULL && k < count; k++) {
    double *v = rows + k * n, length = 0;
    while (!(length > 1e-6)) {
      for (size_t i = 0; i < n; i++)
        v[i] = normal(s);
      orthogonalise(v, rows, k, n);
      length = sqrt(product(v, v, n));
    }
    scale(v, n, 1 / length);
  }
  return rows;
}

static int fill_orthogonal(void *values, int dtype, size_t n_rows, size_t n,
                           double gain, stream *s) {
  const size_t size = ga__dtype_size(dtype);
  const int is_tall = n_rows > n;
  double *q = is_tall ? orthonormal(s, n, n_rows) : orthonormal(s, n_rows, n);

  if (q == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n_rows; i++)
    for (size_t j = 0; j < n; j++)
      ga__dtype_from_double(dtype, (char *)values + (i * n + j) * size,
                            gain *
                                (is_tall ? q[j * n_rows + i] : q[i * n + j]));
  ga__free(q);
  return GA_NO_ERROR;
}

/* --- one number after the other --- */

/* The factor of numbers that are uniform in [-1, 1) or standard normal. */
static double deviation(const gg_initial *how, double fan_in, double fan_out) {
  const double fan = how->by_fan_out ? fan_out : fan_in;

  switch (how->kind) {
  case GG_INIT_GLOROT_UNIFORM:
    return how->a * sqrt(6 / (fan_in + fan_out));
  case GG_INIT_GLOROT_NORMAL:
    return how->a * sqrt(2 / (fan_in + fan_out));
  case GG_INIT_HE_UNIFORM:
    return sqrt(6 / ((1 + how->a * how->a) * fan));
  default:
    return sqrt(2 / ((1 + how->a * how->a) * fan));
  }
}

static double draw(stream *s, const gg_initial *how, double factor) {
  switch (how->kind) {
  case GG_INIT_CONSTANT:
    return how->a;
  case GG_INIT_UNIFORM:
    return how->a + (how->b - how->a) * uniform(s);
  case GG_INIT_NORMAL:
    return how->a + how->b * normal(s);
  case GG_INIT_TRUNCATED:
    return within(s, how);
  case GG_INIT_GLOROT_UNIFORM:
  case GG_INIT_HE_UNIFORM:
    return factor * (2 * uniform(s) - 1);
  default:
    return factor * normal(s);
  }
}

/* --- checks --- */

/* The part of a normal distribution between the bounds. */
static double mass(const gg_initial *how) {
  const double unit = how->b * sqrt(2);

  return (erf((how->high - how->a) / unit) - erf((how->low - how->a) / unit)) /
         2;
}

static int check_numbers(const gg_initial *how) {
  if ((unsigned)how->kind > GG_INIT_ORTHOGONAL)
    return ga__fail(GA_VALUE_ERROR, "no kind of first values: %d",
                    (int)how->kind);
  if (!isfinite(how->a) || !isfinite(how->b))
    return ga__fail(GA_VALUE_ERROR, "first values from %g and %g", how->a,
                    how->b);
  if (how->kind == GG_INIT_UNIFORM && how->a > how->b)
    return ga__fail(GA_VALUE_ERROR, "uniform between %g and %g", how->a,
                    how->b);
  if ((how->kind == GG_INIT_NORMAL || how->kind == GG_INIT_TRUNCATED) &&
      how->b < 0)
    return ga__fail(GA_VALUE_ERROR, "a deviation of %g", how->b);
  if (how->kind == GG_INIT_TRUNCATED && !(mass(how) >= 0.01))
    return ga__fail(GA_VALUE_ERROR,
                    "less than 1 %% of a normal distribution with mean %g and "
                    "deviation %g is between %g and %g",
                    how->a, how->b, how->low, how->high);
  return GA_NO_ERROR;
}

static int check(const void *values, int dtype, unsigned int nd,
                 const size_t *dims, const gg_initial *how) {
  if (values == NULL || (dims == NULL && nd > 0))
    return ga__fail(GA_INVALID_ERROR, "the %s are NULL",
                    values == NULL ? "values" : "sizes");
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT)
    return ga__fail(GA_VALUE_ERROR,
                    "first values of %s, expected a float dtype",
                    ga__dtype_name(dtype));
  GA_TRY(check_numbers(how));
  if (how->kind >= GG_INIT_GLOROT_UNIFORM && nd < 2)
    return ga__fail(GA_VALUE_ERROR,
                    "fans and orthogonal rows need 2 axes, got %u", nd);
  return GA_NO_ERROR;
}

int gg_init_fill(void *values, int dtype, unsigned int nd, const size_t *dims,
                 gg_initial how, uint64_t seed) {
  stream s = {.state = seed};
  size_t n = 1, inner = 1;

  GA_TRY(check(values, dtype, nd, dims, &how));
  for (unsigned int i = 0; i < nd; i++) {
    n = ga__times(n, dims[i]);
    inner = i >= 1 ? ga__times(inner, dims[i]) : inner;
  }
  if (how.kind == GG_INIT_ORTHOGONAL)
    return fill_orthogonal(values, dtype, dims[0], inner, how.a, &s);
  const double fan_in = (double)inner;
  const double fan_out =
      nd >= 2 && dims[1] > 0 ? fan_in / (double)dims[1] * (double)dims[0] : 0;
  const double factor = how.kind >= GG_INIT_GLOROT_UNIFORM && n > 0
                            ? deviation(&how, fan_in, fan_out)
                            : 0;
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(dtype, (char *)values + i * ga__dtype_size(dtype),
                          draw(&s, &how, factor));
  return GA_NO_ERROR;
}
