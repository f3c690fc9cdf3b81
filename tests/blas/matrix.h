/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices on the host and in device buffers, with room around them, and what
 * a product of them must be. For the tests of src/blas. */
#ifndef BLAS_MATRIX_H
#define BLAS_MATRIX_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

#include "base/dtype.h"
#include "blas/dispatch.h"

enum { OFFSET = 5, GUARD = 7 }; /* elements before and after a matrix */

/* `lines` lines of `length` elements, `ld` apart, `batch` times `bs` apart. By
 * rows or by columns is decided by whoever reads it. */
typedef struct matrix {
  int typecode;
  size_t lines, length, ld, batch, bs;
  size_t n;   /* elements in all, guards included */
  void *host; /* as it was filled */
  gpudata *buf;
} matrix;

static inline void matrix_poison(matrix *m, size_t i) {
  test_set(m->host, m->typecode, i, (double)NAN);
}

/* Everything outside of the lines is NaN; so are they, with `seed` 0. */
static inline matrix matrix_new(int typecode, size_t lines, size_t length,
                                size_t gap, size_t batch, uint32_t seed) {
  matrix m = {.typecode = typecode,
              .lines = lines,
              .length = length,
              .ld = length + gap,
              .batch = batch};
  const size_t size = ga__dtype_size(typecode);
  double *values;
  int err = GA_NO_ERROR;

  m.bs = m.ld * lines + 3;
  m.n = OFFSET + batch * m.bs + GUARD;
  m.host = malloc(m.n * size);
  values = malloc((lines * length * batch + 1) * sizeof *values);
  assert_non_null(m.host);
  assert_non_null(values);
  test_fill(values, GA_DOUBLE, lines * length * batch, -1, 1, seed);
  for (size_t i = 0; i < m.n; i++)
    matrix_poison(&m, i);
  for (size_t z = 0; z < batch && seed != 0; z++)
    for (size_t i = 0; i < lines; i++)
      for (size_t j = 0; j < length; j++)
        test_set(m.host, typecode, OFFSET + z * m.bs + i * m.ld + j,
                 values[(z * lines + i) * length + j]);
  free(values);
  m.buf =
      gpudata_alloc(test_context(), m.n * size, m.host, GA_BUFFER_INIT, &err);
  assert_ok(err);
  return m;
}

static inline void matrix_free(matrix *m) {
  gpudata_release(m->buf);
  free(m->host);
}

/* As an operand of `rows` x `cols`, by rows or by columns. */
static inline ga__product_operand matrix_operand(const matrix *m, int by_rows,
                                                 unsigned int slot) {
  const ptrdiff_t ld = (ptrdiff_t)m->ld;

  return (ga__product_operand){.buf = m->buf,
                               .off = OFFSET * ga__dtype_size(m->typecode),
                               .rs = by_rows ? ld : 1,
                               .cs = by_rows ? 1 : ld,
                               .bs = (ptrdiff_t)m->bs,
                               .slot = slot};
}

static inline size_t operand_at(const ga__product_operand *o, size_t z,
                                size_t i, size_t j) {
  return (size_t)(OFFSET + (ptrdiff_t)z * o->bs + (ptrdiff_t)i * o->rs +
                  (ptrdiff_t)j * o->cs);
}

static inline void *matrix_read(const matrix *m) {
  const size_t bytes = m->n * ga__dtype_size(m->typecode);
  void *got = malloc(bytes);

  assert_non_null(got);
  assert_ok(gpudata_read(got, m->buf, 0, bytes));
  return got;
}

/* How far a sum of `n` products of numbers below 1, stored as `typecode`, may
 * be off. */
static inline double product_tolerance(int typecode, size_t n) {
  const double work = typecode == GA_DOUBLE ? 2.3e-16 : 1.2e-7;
  const double sum = work * 2 * ((double)n + 4);

  return ga__dtype_is_narrow(typecode)
             ? sum + ga__dtype_epsilon(typecode) * (sqrt((double)n) + 2)
             : sum;
}

/* The buffer against the host copy, NaN guards and all. */
static inline void matrix_check(const matrix *m, size_t n_products) {
  void *got = matrix_read(m);

  test_close(m->typecode, got, m->host, m->n, 0,
             product_tolerance(m->typecode, n_products));
  free(got);
}

#endif
