/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that copy elements or compute them elementwise. */
#include <gpuarray/create.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/index.h>
#include <gpuarray/launch.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { ROWS = SELFTEST_ROWS, COLS = SELFTEST_COLS, PICKED = 11 };

/* a[2] = a[0] * a[1] + a[0], whatever the operands' layouts. */
static int multiply_add(selftest *t) {
  gpuelemwise_arg args[] = {{"a", t->dtype, GE_READ},
                            {"b", t->dtype, GE_READ},
                            {"c", t->dtype, GE_WRITE}};
  void *values[] = {&t->a[0], &t->a[1], &t->a[2]};
  GpuElemwise *ge =
      GpuElemwise_new(t->ctx, NULL, "c = a * b + a", 3, args, 2, 0);
  int err = GA_MEMORY_ERROR;

  if (ge != NULL)
    err = GpuElemwise_call(ge, values, GE_BROADCAST);
  GpuElemwise_free(ge);
  return err;
}

int selftest_elemwise(selftest *t) {
  for (unsigned int i = 0; i < 3; i++)
    GA_TRY(selftest_make(t, i, 2, selftest_matrix));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    t->want[i] =
        selftest_value(0, i) * selftest_value(1, i) + selftest_value(0, i);
  GA_TRY(multiply_add(t));
  return selftest_compare(t, 2);
}

/* A row that is broadcast, and a transposed operand. */
int selftest_strided(selftest *t) {
  const size_t flipped[2] = {COLS, ROWS}, row[2] = {1, COLS};

  GA_TRY(selftest_make(t, 0, 2, flipped));
  GA_TRY(GpuArray_transpose_inplace(&t->a[0], NULL));
  GA_TRY(selftest_make(t, 1, 2, row));
  GA_TRY(selftest_make(t, 2, 2, selftest_matrix));
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < COLS; k++) {
      const double x = selftest_value(0, k * ROWS + r);

      t->want[r * COLS + k] = x * selftest_value(1, k) + x;
    }
  GA_TRY(multiply_add(t));
  return selftest_compare(t, 2);
}

int selftest_copy(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(GpuArray_transpose_inplace(&t->a[0], NULL));
  GA_TRY(GpuArray_copy(&t->a[1], &t->a[0], GA_C_ORDER));
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < COLS; k++)
      t->want[k * ROWS + r] = selftest_value(0, r * COLS + k);
  return selftest_compare(t, 1);
}

int selftest_arange(selftest *t) {
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    t->want[i] = 0.25 * (double)i - 7;
  GA_TRY(GpuArray_arange(&t->a[0], t->ctx, t->dtype, -7,
                         0.25 * SELFTEST_ELEMENTS - 7, 0.25));
  return selftest_compare(t, 0);
}

/* --- by index --- */

/* The index that picks row k of the result; some rows are picked twice, some
 * indices are negative. */
static int64_t picked_row(size_t k) {
  return (int64_t)(k * 19 % ROWS % 8) - (k % 2 == 0 ? 0 : ROWS);
}

static size_t row_of(size_t k) {
  const int64_t r = picked_row(k);

  return (size_t)(r < 0 ? r + ROWS : r);
}

static int make_index(selftest *t, unsigned int i) {
  const size_t n = PICKED;
  int64_t rows[PICKED];

  for (size_t k = 0; k < n; k++)
    rows[k] = picked_row(k);
  return selftest_put(t, i, GA_LONG, 1, &n, rows);
}

int selftest_take(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(make_index(t, 1));
  GA_TRY(GpuArray_take(&t->a[2], &t->a[0], &t->a[1], 0, 1));
  for (size_t i = 0; i < (size_t)PICKED * COLS; i++)
    t->want[i] = selftest_value(0, row_of(i / COLS) * COLS + i % COLS);
  return selftest_compare(t, 2);
}

/* The same rows, read in the kernel of an expression. */
int selftest_taken(selftest *t) {
  gpuelemwise_arg args[] = {{"z", t->dtype, GE_WRITE},
                            {"x", t->dtype, GE_TAKE(0)},
                            {"i", GA_LONG, GE_READ}};
  const size_t column[2] = {PICKED, 1}, dims[2] = {PICKED, COLS};
  int64_t rows[PICKED];

  for (size_t k = 0; k < PICKED; k++)
    rows[k] = picked_row(k);
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_put(t, 1, GA_LONG, 2, column, rows));
  GA_TRY(selftest_make(t, 2, 2, dims));
  GpuElemwise *ge =
      GpuElemwise_new(t->ctx, NULL, "z = x(i) + x(i)", 3, args, 2, GE_VECTOR);
  if (ge == NULL)
    return gpuarray_error_code();
  int err = GpuElemwise_call(ge, (void *[]){&t->a[2], &t->a[0], &t->a[1]},
                             GE_BROADCAST);
  GpuElemwise_free(ge);
  GA_TRY(err);
  for (size_t i = 0; i < (size_t)PICKED * COLS; i++)
    t->want[i] = 2 * selftest_value(0, row_of(i / COLS) * COLS + i % COLS);
  return selftest_compare(t, 2);
}

/* Add rows to some rows of a matrix, to some of them twice. */
int selftest_scatter(selftest *t) {
  const size_t rows[2] = {PICKED, COLS};

  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(make_index(t, 1));
  GA_TRY(selftest_make(t, 2, 2, rows));
  GA_TRY(GpuArray_put(&t->a[0], &t->a[1], &t->a[2], 0, GA_PUT_ADD, 1));
  for (size_t i = 0; i < SELFTEST_ELEMENTS; i++)
    t->want[i] = selftest_value(0, i);
  for (size_t i = 0; i < (size_t)PICKED * COLS; i++)
    t->want[row_of(i / COLS) * COLS + i % COLS] += selftest_value(2, i);
  return selftest_compare(t, 0);
}
