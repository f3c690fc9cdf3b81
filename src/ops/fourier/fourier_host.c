/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms on the host: by primes, from the smallest one on. */
#include "ops/fourier/fourier_host.h"

#include <gpuarray/fft.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"

typedef struct number {
  double r, i;
} number;

typedef struct line {
  size_t n;
  number *x, *y, *spare, *roots; /* [n] each */
} line;

static size_t least_prime(size_t n) {
  for (size_t p = 2; p * p <= n; p++)
    if (n % p == 0)
      return p;
  return n;
}

/* Transform every `step`-th element of l->x from x on: l->n / step of them,
 * into y. `spare` has as much room as y. */
static void transform(const line *l, const number *x, size_t step, number *y,
                      number *spare) {
  const size_t n = l->n / step;
  const size_t p = least_prime(n), m = n / p;

  if (n == 1) {
    y[0] = x[0];
    return;
  }
  for (size_t r = 0; r < p; r++)
    transform(l, x + r * step, step * p, spare + r * m, y + r * m);
  for (size_t k = 0; k < n; k++) {
    number sum = {0, 0};

    for (size_t r = 0; r < p; r++) {
      const number v = spare[r * m + k % m], w = l->roots[r * k % n * step];

      sum.r += v.r * w.r - v.i * w.i;
      sum.i += v.r * w.i + v.i * w.r;
    }
    y[k] = sum;
  }
}

/* --- lines of arrays --- */

static number get(const void *p, int dtype, size_t at) {
  switch (dtype) {
  case GA_CDOUBLE:
    return (number){((const double *)p)[2 * at],
                    ((const double *)p)[2 * at + 1]};
  case GA_CFLOAT:
    return (number){((const float *)p)[2 * at], ((const float *)p)[2 * at + 1]};
  default:
    return (number){ga__dtype_to_double(dtype, (const char *)p +
                                                   at * ga__dtype_size(dtype)),
                    0};
  }
}

static void put(void *p, int dtype, size_t at, number v) {
  switch (dtype) {
  case GA_CDOUBLE:
    ((double *)p)[2 * at] = v.r;
    ((double *)p)[2 * at + 1] = v.i;
    break;
  case GA_CFLOAT:
    ((float *)p)[2 * at] = (float)v.r;
    ((float *)p)[2 * at + 1] = (float)v.i;
    break;
  default:
    ga__dtype_from_double(dtype, (char *)p + at * ga__dtype_size(dtype), v.r);
  }
}

static int open_line(line *l, size_t n, int flags) {
  *l = (line){.n = n};
  l->x = ga__calloc(n, 4 * sizeof *l->x);
  if (l->x == NULL)
    return ga__fail_nomem();
  l->y = l->x + n;
  l->spare = l->y + n;
  l->roots = l->spare + n;
  for (size_t k = 0; k < n; k++) {
    const double a = 6.283185307179586476925 * (double)k / (double)n;

    l->roots[k] = (number){cos(a), flags & GA_FFT_INVERSE ? sin(a) : -sin(a)};
  }
  return GA_NO_ERROR;
}

static double scale_of(size_t n, int flags) {
  const int is_inverse = (flags & GA_FFT_INVERSE) != 0;

  if (flags & GA_FFT_ORTHO)
    return 1 / sqrt((double)n);
  return is_inverse != ((flags & GA_FFT_FORWARD) != 0) ? 1 / (double)n : 1;
}

/* One side of a transform along an axis. */
typedef struct side {
  void *p;
  int dtype;
  size_t n; /* elements along the axis */
} side;

/* Transform the line of x that begins at `first`, into that of y. Elements that
 * x does not have are conjugates. */
static void transform_line(const line *l, const side *x, size_t x_first,
                           const side *y, size_t y_first, size_t step,
                           double scale) {
  for (size_t j = 0; j < l->n; j++) {
    const int is_there = j < x->n;
    number v = get(x->p, x->dtype, x_first + (is_there ? j : l->n - j) * step);

    v.i = is_there ? v.i : -v.i;
    l->x[j] = v;
  }
  transform(l, l->x, 1, l->y, l->spare);
  for (size_t k = 0; k < y->n; k++)
    put(y->p, y->dtype, y_first + k * step,
        (number){scale * l->y[k].r, scale * l->y[k].i});
}

static int transform_axis(const GpuArray *shape, unsigned int axis,
                          const side *x, const side *y, int flags) {
  const size_t n = x->n > y->n ? x->n : y->n;
  size_t outer = 1, step = 1;
  line l;

  for (unsigned int d = 0; d < shape->nd; d++) {
    outer *= d < axis ? shape->dimensions[d] : 1;
    step *= d > axis ? shape->dimensions[d] : 1;
  }
  if (outer == 0 || step == 0)
    return GA_NO_ERROR;
  GA_TRY(open_line(&l, n, flags));
  for (size_t o = 0; o < outer * step; o++)
    transform_line(&l, x, o / step * x->n * step + o % step, y,
                   o / step * y->n * step + o % step, step, scale_of(n, flags));
  ga__free(l.x);
  return GA_NO_ERROR;
}

int gg__fft_host(const GpuArray *x, const void *from, const GpuArray *y,
                 void *to, unsigned int axes, int flags) {
  union {
    const void *read;
    void *p;
  } source = {from};

  for (unsigned int d = 0; d < x->nd; d++)
    if (axes >> d & 1) {
      const side in = {source.p, source.p == to ? y->typecode : x->typecode,
                       x->dimensions[d]};
      const side out = {to, y->typecode, y->dimensions[d]};

      GA_TRY(transform_axis(x, d, &in, &out, flags));
      source.p = to;
    }
  return GA_NO_ERROR;
}
