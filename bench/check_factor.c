/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_factor.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Vectors of one matrix. */
typedef struct work {
  double *x, *y, *z, *want;
} work;

static int work_open(work *w, size_t n) {
  w->x = calloc(4 * n + 1, sizeof *w->x);
  if (w->x == NULL)
    return 0;
  w->y = w->x + n;
  w->z = w->y + n;
  w->want = w->z + n;
  return 1;
}

static void fill(double *x, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 23) - 1;
  }
}

/* Element (i, j) of a part of a matrix with n columns. */
static double element(const double *a, size_t n, check_part part, size_t i,
                      size_t j) {
  const int counts = part == CHECK_ALL     ? 1
                     : part == CHECK_UPPER ? j >= i
                     : part == CHECK_LOWER ? j <= i
                                           : j < i;

  return part == CHECK_UNIT && i == j ? 1 : counts ? a[i * n + j] : 0;
}

/* y = a x for m x n. */
static void multiply(double *y, const double *a, size_t m, size_t n,
                     check_part part, const double *x) {
  for (size_t i = 0; i < m; i++) {
    double sum = 0;

    for (size_t j = 0; j < n; j++)
      sum += element(a, n, part, i, j) * x[j];
    y[i] = sum;
  }
}

/* y = a^T x for n x n. */
static void multiply_turned(double *y, const double *a, size_t n,
                            check_part part, const double *x) {
  for (size_t j = 0; j < n; j++)
    y[j] = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      y[j] += element(a, n, part, i, j) * x[i];
}

static double norm(const double *x, size_t n) {
  double most = 0;

  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* The largest sum of a row. */
static double matrix_norm(const double *a, size_t n, check_part part) {
  double most = 0;

  for (size_t i = 0; i < n; i++) {
    double sum = 0;

    for (size_t j = 0; j < n; j++)
      sum += fabs(element(a, n, part, i, j));
    most = fmax(most, sum);
  }
  return most;
}

/* |got - want| over n eps `size`. */
static double measure(const check_factor *c, const double *got,
                      const double *want, double size) {
  const double scale = (double)c->n * c->eps * size;
  double most = 0;

  for (size_t i = 0; i < c->n; i++) {
    const double d = fabs(got[i] - want[i]);

    if (!(d <= most))
      most = isnan(d) ? HUGE_VAL : d;
  }
  return most == 0 ? 0 : most / scale;
}

/* Of A x, which is in w->want, and `got`. */
static double of_matrix(const check_factor *c, const double *a, const work *w,
                        const double *got) {
  return measure(c, got, w->want,
                 norm(w->x, c->n) * matrix_norm(a, c->n, CHECK_ALL));
}

/* Q^T Q x beside x. */
static double of_columns(const check_factor *c, const double *q, work *w) {
  fill(w->x, c->n, 7);
  multiply(w->y, q, c->n, c->n, CHECK_ALL, w->x);
  multiply_turned(w->z, q, c->n, CHECK_ALL, w->y);
  return measure(c, w->z, w->x, norm(w->x, c->n));
}

double check_cholesky(const check_factor *c, const double *l) {
  const size_t n = c->n;
  double most = 0;
  work w;

  if (!work_open(&w, n))
    return HUGE_VAL;
  for (size_t z = 0; z < c->batch; z++, l += n * n) {
    const double *const a = c->a + z * n * n;

    fill(w.x, n, (uint32_t)z);
    multiply(w.want, a, n, n, CHECK_ALL, w.x);
    /* What is above the diagonal must be 0, so all of it counts. */
    multiply_turned(w.y, l, n, CHECK_ALL, w.x);
    multiply(w.z, l, n, n, CHECK_ALL, w.y);
    most = fmax(most, of_matrix(c, a, &w, w.z));
  }
  free(w.x);
  return most;
}

double check_lu(const check_factor *c, const double *lu, const int *pivots) {
  const size_t n = c->n;
  double most = 0;
  work w;

  if (!work_open(&w, n))
    return HUGE_VAL;
  for (size_t z = 0; z < c->batch; z++, lu += n * n, pivots += n) {
    const double *const a = c->a + z * n * n;

    fill(w.x, n, (uint32_t)z);
    multiply(w.want, a, n, n, CHECK_ALL, w.x);
    for (size_t i = 0; i < n; i++) {
      const size_t p = (size_t)pivots[i] < n ? (size_t)pivots[i] : i;
      const double t = w.want[i];

      w.want[i] = w.want[p];
      w.want[p] = t;
    }
    multiply(w.y, lu, n, n, CHECK_UPPER, w.x);
    multiply(w.z, lu, n, n, CHECK_UNIT, w.y);
    most = fmax(most, of_matrix(c, a, &w, w.z));
  }
  free(w.x);
  return most;
}

double check_solution(const check_factor *c, check_part part, const double *x,
                      const double *b, size_t columns) {
  const size_t n = c->n;
  double *const mix = calloc(columns + 1, sizeof *mix);
  double most = 0;
  work w;

  if (mix == NULL || !work_open(&w, n)) {
    free(mix);
    return HUGE_VAL;
  }
  for (size_t z = 0; z < c->batch; z++, x += n * columns) {
    const double *const a = c->a + z * n * n;

    fill(mix, columns, (uint32_t)z);
    if (b != NULL)
      multiply(w.want, b + z * n * columns, n, columns, CHECK_ALL, mix);
    for (size_t i = 0; b == NULL && i < n; i++)
      w.want[i] = mix[i];
    multiply(w.y, x, n, columns, CHECK_ALL, mix);
    multiply(w.z, a, n, n, part, w.y);
    const double size = norm(w.y, n) * matrix_norm(a, n, part);
    most = fmax(most, measure(c, w.z, w.want, size));
  }
  free(mix);
  free(w.x);
  return most;
}

double check_qr(const check_factor *c, const double *q, const double *r) {
  const size_t n = c->n;
  double most = 0;
  work w;

  if (!work_open(&w, n))
    return HUGE_VAL;
  for (size_t z = 0; z < c->batch; z++, q += n * n, r += n * n) {
    const double *const a = c->a + z * n * n;

    fill(w.x, n, (uint32_t)z);
    multiply(w.want, a, n, n, CHECK_ALL, w.x);
    /* What is below the diagonal of R must be 0, so all of it counts. */
    multiply(w.y, r, n, n, CHECK_ALL, w.x);
    multiply(w.z, q, n, n, CHECK_ALL, w.y);
    most = fmax(most, of_matrix(c, a, &w, w.z));
    most = fmax(most, of_columns(c, q, &w));
  }
  free(w.x);
  return most;
}

double check_values(const check_factor *c, const double *u, const double *s,
                    const double *v, int turned) {
  const size_t n = c->n;
  double most = 0;
  work w;

  if (!work_open(&w, n))
    return HUGE_VAL;
  for (size_t z = 0; z < c->batch; z++, u += n * n, v += n * n, s += n) {
    const double *const a = c->a + z * n * n;

    fill(w.x, n, (uint32_t)z);
    multiply(w.want, a, n, n, CHECK_ALL, w.x);
    if (turned)
      multiply(w.y, v, n, n, CHECK_ALL, w.x);
    else
      multiply_turned(w.y, v, n, CHECK_ALL, w.x);
    for (size_t i = 0; i < n; i++)
      w.y[i] *= s[i];
    multiply(w.z, u, n, n, CHECK_ALL, w.y);
    most = fmax(most, of_matrix(c, a, &w, w.z));
    most = fmax(most, of_columns(c, u, &w));
    most = fmax(most, of_columns(c, v, &w));
  }
  free(w.x);
  return most;
}
