/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of sparse matrices against loops on the host, and what they
 * refuse. */
#include "sparse/csr_case.h"

#include <gpuarray/index_guard.h>

/* --- values --- */

typedef struct dense {
  unsigned int nd;
  size_t rows, n;
  ssize_t strides[2];
} dense;

/* y = m b, and the sums of the sizes of the terms; parts of numbers beside each
 * other. */
static void multiply(double *y, double *size, const host *h, const double *b,
                     size_t n) {
  for (size_t i = 0; i < h->rows; i++)
    for (size_t c = 0; c < n; c++) {
      double *const to = y + 2 * (i * n + c);

      to[0] = to[1] = size[i * n + c] = 0;
      for (size_t e = (size_t)h->start[i]; e < (size_t)h->start[i + 1]; e++) {
        const double *const v = h->value + 2 * e;
        const double *const x = b + 2 * ((size_t)h->column[e] * n + c);

        to[0] += v[0] * x[0] - v[1] * x[1];
        to[1] += v[0] * x[1] + v[1] * x[0];
        size[i * n + c] += hypot(v[0], v[1]) * hypot(x[0], x[1]);
      }
    }
}

static void check_values(const GpuArray *y, const double *want,
                         const double *size, int dtype, const host *h) {
  const size_t total = test_size(y);
  const double eps = ga__dtype_epsilon(dtype);
  char *got = malloc((total + 1) * 16);

  test_gather(y, got);
  for (size_t i = 0; i < total; i++) {
    double v[2];

    get_number(v, got, dtype, i);
    if (!(hypot(v[0] - want[2 * i], v[1] - want[2 * i + 1]) <=
          8 * eps * size[i]))
      fail_msg("element %zu of %zu x %zu, %zu entries: %g, expected %g", i,
               h->rows, h->columns, h->n, v[0], want[2 * i]);
  }
  free(got);
}

/* Strides of n columns: rows, columns turned, reversed, or with gaps. */
static void set_strides(dense *d, unsigned int how) {
  const ssize_t rows = (ssize_t)d->rows, n = (ssize_t)d->n;
  const ssize_t all[4][2] = {{n, 1}, {1, rows}, {-n, -1}, {2 * n + 1, 2}};

  d->strides[0] = all[how][0];
  d->strides[1] = all[how][1];
}

static void round_all(double *v, size_t n, int dtype) {
  const int real = ga__dtype_real(dtype);

  for (size_t i = 0; i < 2 * n; i++) {
    if (i % 2 == 1 && !ga__dtype_is_complex(dtype))
      v[i] = 0;
    else if (real == GA_FLOAT)
      v[i] = (float)v[i];
  }
}

static void make_dense(GpuArray *a, const dense *d, int dtype,
                       const double *v) {
  const size_t dims[2] = {d->rows, d->n}, total = d->rows * d->n;
  char *data = malloc((total + 1) * 16);

  for (size_t i = 0; i < total; i++)
    put_number(data, dtype, i, v + 2 * i);
  test_array_strided(a, dtype, d->nd, dims, d->strides, data);
  free(data);
}

/* Two runs have the same bits. */
static void check_repeats(GpuLaunch *l, const GpuArray *y, int dtype) {
  const size_t bytes = test_size(y) * ga__dtype_size(dtype);
  char *first = malloc(bytes + 1), *second = malloc(bytes + 1);

  test_gather(y, first);
  assert_ok(GpuLaunch_run(l));
  test_gather(y, second);
  assert_memory_equal(first, second, bytes);
  free(first);
  free(second);
}

static void check_dot(host *h, int dtype, int index, unsigned int nd, size_t n,
                      unsigned int how_b, unsigned int how_y) {
  dense of_b = {nd, h->columns, n, {0}}, of_y = {nd, h->rows, n, {0}};
  const size_t n_b = h->columns * n, n_y = h->rows * n;
  double *b = calloc(2 * n_b + 2, sizeof *b), *want = calloc(2 * n_y + 2, 8),
         *size = calloc(n_y + 1, sizeof *size);
  GpuArray x, y;
  GpuLaunch *l;

  set_strides(&of_b, how_b);
  set_strides(&of_y, how_y);
  for (size_t i = 0; i < 2 * n_b; i++)
    b[i] = draw_value();
  round_all(b, n_b, dtype);
  round_all(h->value, h->n, dtype);
  for (size_t i = 0; i < 2 * n_y; i++)
    want[i] = NAN;
  make_dense(&y, &of_y, dtype, want);
  multiply(want, size, h, b, n);
  GpuCsr m = host_matrix(h, dtype, index);
  make_dense(&x, &of_b, dtype, b);
  assert_ok(GpuCsr_dot_prepare(&l, &y, &m, &x));
  assert_ok(GpuLaunch_run(l));
  check_values(&y, want, size, dtype, h);
  check_repeats(l, &y, dtype);
  GpuLaunch_free(l);
  GpuCsr_clear(&m);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  free(b);
  free(want);
  free(size);
}

/* Matrices whose rows are cut, and many empty rows. */
static void shapes(int dtype, int index) {
  static const size_t list[][4] = {
      {0, 3, 50, 9},     {3, 0, 50, 9},     {1, 1, 100, 9},
      {5, 7, 40, 9},     {70, 40, 45, 9},   {300, 90, 20, 7},
      {2, 3000, 90, 0},  {3000, 5, 1, 20},  {40, 1500, 50, 39},
      {20000, 3, 2, 17}, {1, 12000, 100, 0}};
  const size_t some = test_is_quick() ? 7 : sizeof list / sizeof *list;

  for (size_t k = 0; k < some; k++) {
    host h = host_random(list[k][0], list[k][1], list[k][2], list[k][3]);
    const unsigned int how = (unsigned int)lcg_below(&lcg, 4);

    check_dot(&h, dtype, index, 1, 1, 0, k % 3 == 0 ? 3 : 0);
    check_dot(&h, dtype, index, 2, k % 2 == 0 ? 21 : 3, 0, 0);
    if (!test_is_quick() || k == 4) {
      check_dot(&h, dtype, index, 2, 1 + lcg_below(&lcg, 40), how, 3 - how);
      check_dot(&h, dtype, index, 2, k == 3 ? 0 : 2, 1, 0);
      check_dot(&h, dtype, index, 1, 1, 2, 3);
    }
    host_free(&h);
  }
}

static void floats(void) {
  shapes(GA_FLOAT, GA_INT);
}

static void doubles(void) {
  shapes(GA_DOUBLE, GA_LONG);
}

static void complexes(void) {
  host h = host_random(30, 2000, 30, 29);

  check_dot(&h, GA_CFLOAT, GA_INT, 1, 1, 0, 0);
  check_dot(&h, GA_CFLOAT, GA_INT, 2, 5, 0, 0);
  host_free(&h);
}

static void products_of_floats(void **state) {
  (void)state;
  test_mappings(floats);
}

static void products_of_doubles(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  test_mappings(doubles);
}

static void products_of_complex_numbers(void **state) {
  (void)state;
  test_need_full();
  test_mappings(complexes);
}

/* --- calls --- */

static void products_are_new_arrays(void **state) {
  host h = host_random(5, 7, 50, 9);
  double b[24], want[20], size[10];
  GpuArray x, y;

  (void)state;
  for (size_t i = 0; i < 24; i++)
    b[i] = i < 14 ? draw_value() : 0;
  round_all(b, 7, GA_FLOAT);
  round_all(h.value, h.n, GA_FLOAT);
  multiply(want, size, &h, b, 1);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);
  array_of_numbers(&x, GA_FLOAT, 7, b);
  assert_ok(GpuCsr_dot(&y, &m, &x, 0));
  assert_int_equal(y.nd, 1);
  check_values(&y, want, size, GA_FLOAT, &h);
  GpuArray_clear(&y);
  assert_code(GA_VALUE_ERROR, GpuCsr_dot(&y, &m, &x, 8));
  assert_message(GA_VALUE_ERROR, "flags 0x8 are not known");
  assert_code(GA_VALUE_ERROR, GpuCsr_dot(NULL, &m, &x, 0));
  assert_code(GA_VALUE_ERROR, GpuCsr_dot(&x, &m, &x, 0));
  assert_code(GA_INVALID_ERROR, GpuCsr_dot(&y, NULL, &x, 0));
  assert_code(GA_INVALID_ERROR, GpuCsr_dot(&y, &(GpuCsr){0}, &x, 0));
  assert_code(GA_INVALID_ERROR, GpuCsr_dot(&y, &m, NULL, 0));
  GpuArray_clear(&x);
  GpuCsr_clear(&m);
  host_free(&h);
}

static void check_refused(GpuArray *y, const GpuCsr *m, const GpuArray *b,
                          int code, const char *message) {
  GpuLaunch *l = (GpuLaunch *)y;

  assert_code(code, GpuCsr_dot_prepare(&l, y, m, b));
  assert_null(l);
  assert_message(code, message);
}

static void other_sizes_are_refused(void **state) {
  host h = host_random(5, 7, 50, 9);
  const size_t dims[3] = {7, 2, 1};
  gpucontext *ctx = test_context();
  GpuArray x, y, part, wide, cube;

  (void)state;
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);
  assert_ok(GpuArray_zeros(&x, ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&wide, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&cube, ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&y, ctx, GA_FLOAT, 1, (size_t[]){5}, GA_C_ORDER));
  check_refused(&y, &m, &cube, GA_VALUE_ERROR,
                "b: expected 1 or 2 dimensions, got 3");
  check_refused(&y, &m, &y, GA_VALUE_ERROR,
                "b: 5 rows, but the matrix has 7 columns");
  check_refused(&x, &m, &wide, GA_VALUE_ERROR,
                "y: expected 2 dimensions, got 1");
  check_refused(&wide, &m, &wide, GA_VALUE_ERROR,
                "y: dim 0: expected 5, got 7");
  assert_ok(GpuArray_index(&part, &x, (ssize_t[]){0}, (ssize_t[]){5},
                           (ssize_t[]){1}));
  check_refused(&part, &m, &x, GA_VALUE_ERROR, "y");
  check_refused(NULL, &m, &x, GA_INVALID_ERROR, "");
  GpuCsr none = m;
  none.n_columns = 0;
  GpuArray_clear(&part);
  assert_ok(GpuArray_zeros(&part, ctx, GA_FLOAT, 1, (size_t[]){0}, GA_C_ORDER));
  check_refused(&y, &none, &part, GA_VALUE_ERROR, "but no columns");
  GpuArray_clear(&part);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&wide);
  GpuArray_clear(&cube);
  GpuCsr_clear(&m);
  host_free(&h);
}

/* Structures that are none read nothing outside of the arrays, and are reported
 * if indices are guarded. */
static void bad_structure(void) {
  host h = host_random(6, 4, 60, 9);
  gpucontext *const ctx = test_context();
  const int guarded = gpucontext_guards_indices(ctx);
  GpuArray a[3], x, y;
  GpuLaunch *l;
  float v[6];

  h.start[2] = -5;
  h.start[3] = INT32_MAX;
  h.start[4] = INT32_MIN;
  h.column[1] = 77;
  h.column[2] = -3;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  GpuCsr m = {6, 4, a[0], a[1], a[2]};
  array_of_numbers(&x, GA_FLOAT, 4, (double[8]){0});
  assert_ok(GpuArray_zeros(&y, ctx, GA_FLOAT, 1, (size_t[]){6}, GA_C_ORDER));
  assert_ok(gpucontext_guard_indices(ctx, 0));
  assert_ok(GpuCsr_dot_prepare(&l, &y, &m, &x));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuArray_read(v, sizeof v, &y));
  assert_ok(GpuLaunch_guard_indices(l, 1, NULL));
  assert_ok(GpuLaunch_run(l));
  assert_code(GA_VALUE_ERROR, GpuArray_read(v, sizeof v, &y));
  assert_message(GA_VALUE_ERROR, "out of range for axis 0 of size 4");
  assert_ok(gpucontext_guard_indices(ctx, guarded));
  GpuLaunch_free(l);
  arrays_clear(3, a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  host_free(&h);
}

static void bad_structures_stay_inside(void **state) {
  (void)state;
  test_mappings(bad_structure);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_of_floats),
      cmocka_unit_test(products_of_doubles),
      cmocka_unit_test(products_of_complex_numbers),
      cmocka_unit_test(products_are_new_arrays),
      cmocka_unit_test(other_sizes_are_refused),
      cmocka_unit_test(bad_structures_stay_inside),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
