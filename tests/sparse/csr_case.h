/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices on the host for tests: made at random, and put on the
 * device. */
#ifndef SPARSE_CSR_CASE_H
#define SPARSE_CSR_CASE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/sparse.h>

#include "base/dtype.h"
#include "support/device.h"
#include "support/lcg.h"

static uint64_t lcg;

/* Values are complex: a real and an imaginary part each. */
typedef struct host {
  size_t rows, columns, n;
  int64_t *start, *column;
  double *value;
} host;

static inline double draw_value(void) {
  return (double)lcg_below(&lcg, 2001) / 1000 - 1;
}

static inline host host_room(size_t rows, size_t columns, size_t most) {
  return (host){.rows = rows,
                .columns = columns,
                .start = calloc(rows + 1, sizeof(int64_t)),
                .column = calloc(most + 1, sizeof(int64_t)),
                .value = calloc(2 * most + 2, sizeof(double))};
}

/* About `percent` of all places; row `full`, if there is one, has all of
 * them. */
static inline host host_random(size_t rows, size_t columns, size_t percent,
                               size_t full) {
  host h = host_room(rows, columns, rows * columns);

  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++)
      if (i == full || lcg_below(&lcg, 1000) < percent * 10) {
        h.value[2 * h.n] = draw_value();
        h.value[2 * h.n + 1] = draw_value();
        h.column[h.n++] = (int64_t)j;
      }
    h.start[i + 1] = (int64_t)h.n;
  }
  return h;
}

static inline void host_free(host *h) {
  free(h->start);
  free(h->column);
  free(h->value);
}

/* Set element i of a float or complex array. */
static inline void put_number(void *p, int dtype, size_t i, const double *v) {
  if (dtype == GA_CFLOAT) {
    ((float *)p)[2 * i] = (float)v[0];
    ((float *)p)[2 * i + 1] = (float)v[1];
  } else if (dtype == GA_CDOUBLE) {
    memcpy((double *)p + 2 * i, v, 2 * sizeof *v);
  } else {
    test_set(p, dtype, i, v[0]);
  }
}

static inline void get_number(double *v, const void *p, int dtype, size_t i) {
  const int real = ga__dtype_real(dtype);
  const size_t parts = ga__dtype_is_complex(dtype) ? 2 : 1;

  v[0] = test_get(p, real, parts * i);
  v[1] = parts > 1 ? test_get(p, real, 2 * i + 1) : 0;
}

static inline void array_of_integers(GpuArray *a, int dtype, size_t n,
                                     const int64_t *v) {
  char *data = malloc((n + 1) * sizeof *v);

  for (size_t i = 0; i < n; i++)
    test_set(data, dtype, i, (double)v[i]);
  test_array(a, dtype, 1, &n, data);
  free(data);
}

static inline void array_of_numbers(GpuArray *a, int dtype, size_t n,
                                    const double *v) {
  char *data = malloc((n + 1) * 2 * sizeof *v);

  for (size_t i = 0; i < n; i++)
    put_number(data, dtype, i, v + 2 * i);
  test_array(a, dtype, 1, &n, data);
  free(data);
}

/* The three arrays, which the caller clears. */
static inline void host_arrays(GpuArray *a, const host *h, int dtype,
                               int index) {
  array_of_integers(&a[0], index, h->rows + 1, h->start);
  array_of_integers(&a[1], index, h->n, h->column);
  array_of_numbers(&a[2], dtype, h->n, h->value);
}

static inline void arrays_clear(unsigned int n, GpuArray *a) {
  for (unsigned int i = 0; i < n; i++)
    GpuArray_clear(&a[i]);
}

static inline GpuCsr host_matrix(const host *h, int dtype, int index) {
  GpuArray a[3];
  GpuCsr m;

  host_arrays(a, h, dtype, index);
  assert_ok(GpuCsr_make(&m, h->columns, &a[0], &a[1], &a[2]));
  arrays_clear(3, a);
  return m;
}

#endif
