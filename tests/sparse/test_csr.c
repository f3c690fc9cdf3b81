/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices made of arrays, of entries and of dense matrices, back,
 * transposed and added; and structures that are none. */
#include "sparse/csr_case.h"

/* --- on the host --- */

/* All elements, complex. */
static double *dense_of(const host *h) {
  double *x = calloc(2 * h->rows * h->columns + 2, sizeof *x);

  for (size_t i = 0; i < h->rows; i++)
    for (size_t e = (size_t)h->start[i]; e < (size_t)h->start[i + 1]; e++)
      for (size_t p = 0; p < 2; p++)
        x[2 * (i * h->columns + (size_t)h->column[e]) + p] +=
            h->value[2 * e + p];
  return x;
}

static double *turned(const double *x, size_t rows, size_t columns) {
  double *y = calloc(2 * rows * columns + 2, sizeof *y);

  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      for (size_t p = 0; p < 2; p++)
        y[2 * (j * rows + i) + p] = x[2 * (i * columns + j) + p];
  return y;
}

/* Check that a dense array has these elements. */
static void check_dense(const GpuArray *a, const double *want) {
  const size_t n = test_size(a);
  char *got = malloc((n + 1) * 16);

  test_gather(a, got);
  for (size_t i = 0; i < n; i++) {
    double v[2];

    get_number(v, got, a->typecode, i);
    const double im = ga__dtype_is_complex(a->typecode) ? want[2 * i + 1] : 0;
    const double eps = 4 * ga__dtype_epsilon(a->typecode);
    if (!(fabs(v[0] - want[2 * i]) <= eps && fabs(v[1] - im) <= eps))
      fail_msg("element %zu: %g, expected %g", i, v[0], want[2 * i]);
  }
  free(got);
}

/* Check structure and elements of a matrix, and clear it. */
static void check_matrix(GpuCsr *m, size_t rows, size_t columns,
                         const double *want) {
  GpuArray x;

  assert_int_equal(m->n_rows, rows);
  assert_int_equal(m->n_columns, columns);
  assert_ok(GpuCsr_check(m));
  assert_ok(GpuCsr_to_dense(&x, m));
  assert_int_equal(x.dimensions[0], rows);
  assert_int_equal(x.dimensions[1], columns);
  check_dense(&x, want);
  GpuArray_clear(&x);
  GpuCsr_clear(m);
}

/* --- conversions --- */

static void check_dense_round(const host *h, int dtype) {
  const ssize_t strides[2] = {1, (ssize_t)h->rows};
  const size_t dims[2] = {h->rows, h->columns}, n = h->rows * h->columns;
  double *want = dense_of(h);
  char *data = malloc((n + 1) * 16);
  GpuArray x;
  GpuCsr m;

  for (size_t i = 0; i < n; i++)
    put_number(data, dtype, i, want + 2 * i);
  test_array_strided(&x, dtype, 2, dims, strides, data);
  assert_ok(GpuCsr_from_dense(&m, &x));
  assert_true(m.columns.dimensions[0] <= h->n);
  check_matrix(&m, h->rows, h->columns, want);
  GpuArray_clear(&x);
  free(data);
  free(want);
}

static void check_transposed(const host *h, int dtype, int index) {
  GpuCsr m = host_matrix(h, dtype, index), t;
  double *x = dense_of(h), *want = turned(x, h->rows, h->columns);
  GpuArray rows;

  assert_ok(GpuCsr_transpose(&t, &m));
  check_matrix(&t, h->columns, h->rows, want);
  assert_ok(GpuCsr_rows(&rows, &m));
  int64_t *got = malloc((h->n + 1) * sizeof *got);
  assert_ok(GpuArray_read(got, h->n * sizeof *got, &rows));
  for (size_t i = 0; i < h->rows; i++)
    for (size_t e = (size_t)h->start[i]; e < (size_t)h->start[i + 1]; e++)
      assert_int_equal(got[e], (int64_t)i);
  GpuArray_clear(&rows);
  GpuCsr_clear(&m);
  free(got);
  free(x);
  free(want);
}

/* Make rows and columns the columns of one array, [n, 2]. */
static void pairs_of_integers(GpuArray a[2], int index, size_t n,
                              const int64_t *row, const int64_t *column) {
  const ssize_t stop[2] = {(ssize_t)n, 0}, step[2] = {1, 0};
  int64_t *both = calloc(2 * n + 1, sizeof *both);
  GpuArray flat, pairs;

  for (size_t e = 0; e < n; e++) {
    both[2 * e] = row[e];
    both[2 * e + 1] = column[e];
  }
  array_of_integers(&flat, index, 2 * n, both);
  assert_ok(
      GpuArray_reshape(&pairs, &flat, 2, (size_t[]){n, 2}, GA_C_ORDER, 1));
  for (ssize_t k = 0; k < 2; k++)
    assert_ok(GpuArray_index(&a[k], &pairs, (ssize_t[]){0, k}, stop, step));
  GpuArray_clear(&flat);
  GpuArray_clear(&pairs);
  free(both);
}

/* Entries in any order, and some twice. */
static void check_entries(size_t rows, size_t columns, size_t n, int dtype,
                          int index) {
  host h = host_room(1, n, n); /* of which `column` and `value` are used */
  int64_t *row = calloc(n + 1, sizeof *row);
  double *want = calloc(2 * rows * columns + 2, sizeof *want);
  GpuArray a[3];
  GpuCsr m;

  for (size_t e = 0; e < n; e++) {
    row[e] = (int64_t)lcg_below(&lcg, rows);
    h.column[e] = (int64_t)lcg_below(&lcg, columns);
    for (size_t p = 0; p < 2; p++) {
      h.value[2 * e + p] = draw_value() / (double)n;
      want[2 * ((size_t)row[e] * columns + (size_t)h.column[e]) + p] +=
          h.value[2 * e + p];
    }
  }
  pairs_of_integers(a, index, n, row, h.column);
  array_of_numbers(&a[2], dtype, n, h.value);
  assert_ok(GpuCsr_from_coo(&m, rows, columns, &a[0], &a[1], &a[2]));
  check_matrix(&m, rows, columns, want);
  arrays_clear(3, a);
  host_free(&h);
  free(row);
  free(want);
}

static void check_sum(size_t rows, size_t columns, int dtype) {
  host h[2] = {host_random(rows, columns, 30, 1),
               host_random(rows, columns, 10, 99)};
  double *x = dense_of(&h[0]), *y = dense_of(&h[1]);
  GpuCsr a = host_matrix(&h[0], dtype, GA_INT),
         b = host_matrix(&h[1], dtype, GA_LONG), sum;

  assert_ok(GpuCsr_add(&sum, &a, &b));
  for (size_t i = 0; i < 2 * rows * columns; i++)
    x[i] += y[i];
  check_matrix(&sum, rows, columns, x);
  GpuCsr_clear(&a);
  GpuCsr_clear(&b);
  host_free(&h[0]);
  host_free(&h[1]);
  free(x);
  free(y);
}

static void check_conversions(size_t rows, size_t columns, size_t percent,
                              int dtype, int index) {
  host h = host_random(rows, columns, percent, 2);

  check_dense_round(&h, dtype);
  check_transposed(&h, dtype, index);
  check_entries(rows, columns, rows * columns * percent / 50, dtype, index);
  if (!test_is_quick()) /* composed of what the others need, and a join */
    check_sum(rows, columns, dtype);
  host_free(&h);
}

static void conversions(void **state) {
  (void)state;
  check_conversions(5, 9, 40, GA_FLOAT, GA_INT);
  check_conversions(3, 0, 40, GA_FLOAT, GA_INT);
  check_conversions(0, 3, 40, GA_FLOAT, GA_INT);
  check_conversions(4, 3, 0, GA_FLOAT, GA_INT);
  if (test_is_quick())
    return;
  check_conversions(300, 70, 5, GA_FLOAT, GA_LONG);
  check_conversions(40, 30, 50, GA_CFLOAT, GA_INT);
}

static void conversions_of_doubles(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  check_conversions(70, 300, 5, GA_DOUBLE, GA_INT);
}

static void transposed_products(void **state) {
  const float one[5] = {1, 1, 1, 1, 1};
  host h = host_random(5, 7, 50, 9);
  float want[7] = {0};
  GpuArray b, y;

  (void)state;
  test_need_full();
  for (size_t e = 0; e < h.n; e++)
    want[h.column[e]] += (float)h.value[2 * e];
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);
  test_array(&b, GA_FLOAT, 1, (size_t[]){5}, one);
  assert_ok(GpuCsr_dot(&y, &m, &b, GA_CSR_TRANSPOSED));
  test_array_close(&y, want, 1e-6, 1e-6);
  GpuArray_clear(&b);
  GpuArray_clear(&y);
  GpuCsr_clear(&m);
  host_free(&h);
}

/* --- structures that are none --- */

typedef struct mistake {
  int64_t start[4], column[4];
  const char *message;
} mistake;

static const mistake mistakes[] = {
    {{1, 2, 3, 4}, {0, 1, 2, 0}, "starts begin with 1, expected 0"},
    {{0, 2, 3, 3}, {0, 1, 2, 0}, "starts end with 3, but there are 4 entries"},
    {{0, 3, 2, 4}, {0, 1, 2, 0}, "row 1 begins at entry 3 and ends at 2"},
    {{0, 9, 4, 4}, {0, 1, 2, 0}, "row 0 begins at entry 0 and ends at 9"},
    {{0, -1, 4, 4}, {0, 1, 2, 0}, "row 0 begins at entry 0 and ends at -1"},
    {{0, 1, 2, 4},
     {0, 1, 2, 5},
     "entry 3, of row 2: column 5 is out of range for 5 columns"},
    {{0, 1, 2, 4},
     {0, -1, 2, 4},
     "entry 1, of row 1: column -1 is out of range for 5 columns"},
    {{0, 1, 2, 4},
     {0, 1, 2, 2},
     "entry 3, of row 2: column 2 follows column 2"},
    {{0, 3, 3, 4},
     {1, 0, 2, 2},
     "entry 1, of row 0: column 0 follows column 1"},
};

static void mistakes_are_named(void **state) {
  const size_t n = sizeof mistakes / sizeof *mistakes;

  (void)state;
  for (size_t k = 0; k < n; k++) {
    GpuArray a[3];
    GpuCsr m;

    array_of_integers(&a[0], GA_INT, 4, mistakes[k].start);
    array_of_integers(&a[1], GA_INT, 4, mistakes[k].column);
    array_of_numbers(&a[2], GA_FLOAT, 4, (double[8]){1});
    assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 5, &a[0], &a[1], &a[2]));
    assert_message(GA_VALUE_ERROR, mistakes[k].message);
    arrays_clear(3, a);
  }
}

/* The mistake of the last part is found, too. */
static void last_row_is_checked(void) {
  host h = host_random(9000, 2, 30, 8999);
  GpuArray a[3];
  GpuCsr m;

  h.column[h.n - 1] = 2;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 2, &a[0], &a[1], &a[2]));
  assert_message(GA_VALUE_ERROR, "of row 8999: column 2 is out of range");
  arrays_clear(3, a);
  host_free(&h);
}

static void long_structures_are_checked(void **state) {
  (void)state;
  test_mappings(last_row_is_checked);
}

/* --- arrays that do not fit --- */

static void other_arrays_are_refused(void **state) {
  const int64_t whole[4] = {0, 1, 2, 2};
  GpuArray i, n, f, b, s;
  GpuCsr m;

  (void)state;
  array_of_integers(&i, GA_INT, 3, whole);
  array_of_integers(&n, GA_LONG, 2, whole);
  array_of_integers(&b, GA_SHORT, 2, whole);
  array_of_numbers(&f, GA_FLOAT, 2, (double[4]){1});
  test_array(&s, GA_FLOAT, 0, NULL, (float[]){1});
  assert_code(GA_INVALID_ERROR, GpuCsr_make(NULL, 5, &i, &i, &f));
  assert_code(GA_INVALID_ERROR, GpuCsr_make(&m, 5, NULL, &i, &f));
  assert_code(GA_INVALID_ERROR, GpuCsr_make(&m, 5, &i, NULL, &f));
  assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 5, &i, &n, &f));
  assert_message(GA_VALUE_ERROR, "columns are int64, but starts int32");
  assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 5, &b, &n, &f));
  assert_message(GA_VALUE_ERROR, "starts: expected int32 or int64, got int16");
  assert_code(GA_UNSUPPORTED_ERROR, GpuCsr_make(&m, 5, &i, &i, &i));
  assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 5, &i, &i, &f));
  assert_message(GA_VALUE_ERROR, "values: 2 elements, but 3 columns");
  assert_code(GA_VALUE_ERROR, GpuCsr_make(&m, 5, &i, &i, &s));
  assert_message(GA_VALUE_ERROR, "values: expected 1 dimension, got 0");
  assert_code(GA_INVALID_ERROR, GpuCsr_check(NULL));
  assert_code(GA_INVALID_ERROR, GpuCsr_check(&(GpuCsr){0}));
  GpuCsr_clear(NULL);
  GpuArray all[5] = {i, n, f, b, s};
  arrays_clear(5, all);
}

static void other_entries_are_refused(void **state) {
  GpuArray r, n, f, x;
  GpuCsr m;

  (void)state;
  array_of_integers(&r, GA_INT, 3, (int64_t[]){0, 4, 2});
  array_of_integers(&n, GA_LONG, 3, (int64_t[]){0, 1, 2});
  array_of_numbers(&f, GA_FLOAT, 3, (double[6]){1});
  assert_code(GA_VALUE_ERROR, GpuCsr_from_coo(&m, 4, 5, &r, &r, &f));
  assert_message(GA_VALUE_ERROR, "rows: 4 of entry 1 is out of range for 4");
  assert_code(GA_VALUE_ERROR, GpuCsr_from_coo(&m, 5, 3, &r, &r, &f));
  assert_message(GA_VALUE_ERROR, "columns: 4 of entry 1 is out of range for 3");
  assert_code(GA_VALUE_ERROR, GpuCsr_from_coo(&m, 5, 5, &r, &n, &f));
  assert_message(GA_VALUE_ERROR, "columns are int64, but rows int32");
  assert_code(GA_XLARGE_ERROR,
              GpuCsr_from_coo(&m, SIZE_MAX / 2, 3, &n, &n, &f));
  assert_code(GA_INVALID_ERROR, GpuCsr_from_coo(NULL, 5, 5, &r, &r, &f));
  assert_code(GA_INVALID_ERROR, GpuCsr_from_coo(&m, 5, 5, &r, NULL, &f));
  assert_code(GA_VALUE_ERROR, GpuCsr_from_dense(&m, &f));
  assert_message(GA_VALUE_ERROR, "x: expected 2 dimensions, got 1");
  assert_code(GA_INVALID_ERROR, GpuCsr_from_dense(&m, NULL));
  test_array(&x, GA_INT, 2, (size_t[]){1, 1}, (int32_t[]){1});
  assert_code(GA_UNSUPPORTED_ERROR, GpuCsr_from_dense(&m, &x));
  GpuArray_clear(&x);
  GpuArray all[3] = {r, n, f};
  arrays_clear(3, all);
}

static void other_operands_are_refused(void **state) {
  host h = host_random(3, 4, 50, 9), k = host_random(4, 3, 50, 9);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT),
         o = host_matrix(&k, GA_FLOAT, GA_INT), out;
  GpuArray x;

  (void)state;
  assert_code(GA_VALUE_ERROR, GpuCsr_add(&out, &m, &o));
  assert_message(GA_VALUE_ERROR, "a is 3 x 4, but b 4 x 3");
  assert_code(GA_VALUE_ERROR, GpuCsr_add(&m, &m, &m));
  assert_code(GA_INVALID_ERROR, GpuCsr_add(&out, NULL, &m));
  assert_code(GA_INVALID_ERROR, GpuCsr_add(NULL, &m, &m));
  assert_code(GA_VALUE_ERROR, GpuCsr_transpose(&m, &m));
  assert_code(GA_INVALID_ERROR, GpuCsr_transpose(&out, NULL));
  assert_code(GA_INVALID_ERROR, GpuCsr_rows(NULL, &m));
  assert_code(GA_VALUE_ERROR, GpuCsr_rows(&m.values, &m));
  assert_code(GA_INVALID_ERROR, GpuCsr_to_dense(&x, NULL));
  assert_code(GA_VALUE_ERROR, GpuCsr_to_dense(&m.starts, &m));
  m.n_rows = 7;
  assert_code(GA_VALUE_ERROR, GpuCsr_to_dense(&x, &m));
  assert_message(GA_VALUE_ERROR, "starts: 4 elements for 7 rows");
  m.n_rows = 3;
  m.n_columns = SIZE_MAX / 8;
  assert_code(GA_XLARGE_ERROR, GpuCsr_to_dense(&x, &m));
  GpuCsr_clear(&m);
  GpuCsr_clear(&o);
  host_free(&h);
  host_free(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conversions),
      cmocka_unit_test(conversions_of_doubles),
      cmocka_unit_test(transposed_products),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(long_structures_are_checked),
      cmocka_unit_test(other_arrays_are_refused),
      cmocka_unit_test(other_entries_are_refused),
      cmocka_unit_test(other_operands_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
