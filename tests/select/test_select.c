/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection against loops on the host. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/select.h>

#include "base/dtype.h"
#include "support/lcg.h"

enum { MOST = 70000 };

/* --- on the host --- */

static int counts(const char *data, int dtype, size_t i) {
  const size_t size = ga__dtype_size(dtype);
  static const char zeros[16];

  if (ga__dtype_is_complex(dtype)) {
    const double re = size == 8 ? (double)((const float *)data)[2 * i]
                                : ((const double *)data)[2 * i];
    const double im = size == 8 ? (double)((const float *)data)[2 * i + 1]
                                : ((const double *)data)[2 * i + 1];
    return re != 0 || im != 0;
  }
  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return test_get(data, dtype, i) != 0;
  return memcmp(data + i * size, zeros, size) != 0;
}

/* Elements of which about `percent` are not 0, with -0.0 and NaN. */
static char *make_mask(int dtype, size_t n, unsigned int percent) {
  const size_t size = ga__dtype_size(dtype);
  char *data = calloc(n + 1, size);
  uint64_t state = n + percent;

  for (size_t i = 0; i < n; i++) {
    const int is_float = ga__dtype_kind(dtype) == GA_KIND_FLOAT;
    if (lcg_below(&state, 100) < percent)
      test_set(data, dtype, i,
               is_float && i % 7 == 0 ? NAN : 1 + (double)(i % 5));
    else if (is_float && i % 3 == 0)
      test_set(data, dtype, i, -0.0);
    if (ga__dtype_is_complex(dtype) && i % 11 == 0)
      data[i * size + size - 2] = 1; /* a part of the imaginary part */
  }
  return data;
}

static size_t product(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

/* Positions in C order of the n elements that count. */
static int64_t *find(const char *mask, int dtype, size_t n, size_t *count) {
  int64_t *at = calloc(n + 1, sizeof *at);

  *count = 0;
  for (size_t i = 0; i < n; i++)
    if (counts(mask, dtype, i))
      at[(*count)++] = (int64_t)i;
  return at;
}

/* --- nonzero and compress --- */

static void check_nonzero(const GpuArray *x, const char *data) {
  const size_t n = test_size(x);
  size_t count;
  int64_t *at = find(data, x->typecode, n, &count);
  int64_t *want = calloc(count * x->nd + 1, sizeof *want);
  GpuArray got;

  for (size_t k = 0; k < count; k++) {
    int64_t left = at[k];
    for (unsigned int d = x->nd; d-- > 0;) {
      want[k * x->nd + d] = left % (int64_t)x->dimensions[d];
      left /= (int64_t)x->dimensions[d];
    }
  }
  assert_ok(GpuArray_nonzero(&got, x));
  assert_int_equal(got.nd, 2);
  assert_int_equal(got.dimensions[0], count);
  assert_int_equal(got.dimensions[1], x->nd);
  test_array_equal(&got, want);
  GpuArray_clear(&got);
  free(at);
  free(want);
}

/* x and the mask have these elements; the mask has the leading dimensions. */
static void check_compress(const GpuArray *x, const char *elements,
                           const GpuArray *mask, const char *data) {
  const size_t n = test_size(mask), size = ga__dtype_size(x->typecode);
  const size_t row = size * product(x->nd - mask->nd, x->dimensions + mask->nd);
  size_t count;
  int64_t *at = find(data, mask->typecode, n, &count);
  char *want = malloc(count * row + 1);
  GpuArray got;

  for (size_t k = 0; k < count; k++)
    memcpy(want + k * row, elements + (size_t)at[k] * row, row);
  assert_ok(GpuArray_compress(&got, x, mask));
  assert_int_equal(got.nd, x->nd - mask->nd + 1);
  assert_int_equal(got.dimensions[0], count);
  test_array_equal(&got, want);
  GpuArray_clear(&got);
  free(at);
  free(want);
}

static void check_length(int dtype, size_t n, unsigned int percent) {
  char *data = make_mask(dtype, n, percent);
  float *elements = calloc(n + 1, sizeof *elements);
  GpuArray mask, x;

  test_fill(elements, GA_FLOAT, n, -9, 9, 4);
  test_array(&mask, dtype, 1, &n, data);
  test_array(&x, GA_FLOAT, 1, &n, elements);
  check_nonzero(&mask, data);
  check_compress(&x, (const char *)elements, &mask, data);
  GpuArray_clear(&mask);
  GpuArray_clear(&x);
  free(data);
  free(elements);
}

static void all_lengths(void) {
  static const size_t lengths[] = {0, 1, 15, 16, 17, 1000, 16384, MOST};
  static const unsigned int percents[] = {0, 1, 50, 100};

  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t p = 0; p < 4; p++)
      check_length(GA_BOOL, lengths[i], percents[p]);
}

static void test_lengths(void **state) {
  (void)state;
  test_mappings(all_lengths);
}

static void all_dtypes(void) {
  static const int types[] = {GA_UBYTE, GA_SHORT, GA_INT,   GA_LONG,
                              GA_HALF,  GA_FLOAT, GA_CFLOAT};

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    check_length(types[i], 1003, 40);
}

static void test_dtypes(void **state) {
  (void)state;
  test_need_full();
  test_mappings(all_dtypes);
}

static void all_doubles(void) {
  check_length(GA_DOUBLE, 1003, 40);
  check_length(GA_CDOUBLE, 1003, 40);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_full();
  test_need_double();
  test_mappings(all_doubles);
}

/* Coordinates, rows under masks, and any strides. */
static void all_strides(void) {
  static const size_t dims[3] = {9, 13, 5};
  static const ssize_t strides[][3] = {{65, 5, 1}, {-65, 5, 1}, {1, 9, 117}};
  char *data = make_mask(GA_INT, 585, 30);

  for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
    GpuArray x;
    test_array_strided(&x, GA_INT, 3, dims, strides[i], data);
    check_nonzero(&x, data);
    check_compress(&x, data, &x, data);
    for (unsigned int nd = 1; nd < 3; nd++) {
      char *bits = make_mask(GA_BOOL, product(nd, dims), 30);
      GpuArray mask;
      test_array(&mask, GA_BOOL, nd, dims, bits);
      check_compress(&x, data, &mask, bits);
      GpuArray_memset(&mask, 0);
      memset(bits, 0, product(nd, dims));
      check_compress(&x, data, &mask, bits);
      GpuArray_clear(&mask);
      free(bits);
    }
    GpuArray_clear(&x);
  }
  free(data);
}

static void test_strides(void **state) {
  (void)state;
  test_mappings(all_strides);
}

/* Complex numbers that are aligned for their parts only. */
static void check_parts(int dtype) {
  const size_t n = 203, size = ga__dtype_size(dtype), half = size / 2;
  const size_t bytes = half + n * size;
  char *data = make_mask(dtype, n, 40), *room = calloc(bytes, 1);
  GpuArray all, x;

  memcpy(room + half, data, n * size);
  test_array(&all, GA_UBYTE, 1, &bytes, room);
  assert_ok(GpuArray_fromdata(&x, all.data, all.offset + half, dtype, 1, &n,
                              (ssize_t[]){(ssize_t)size}, 0));
  check_nonzero(&x, data);
  check_compress(&x, data, &x, data);
  GpuArray_clear(&x);
  GpuArray_clear(&all);
  free(data);
  free(room);
}

static void all_parts(void) {
  check_parts(GA_CFLOAT);
  check_parts(GA_CDOUBLE);
}

static void test_parts(void **state) {
  (void)state;
  check_parts(GA_CDOUBLE);
  test_need_full();
  test_mappings(all_parts);
}

static void test_scalar(void **state) {
  const int one = 1;
  GpuArray x, got;

  (void)state;
  test_array(&x, GA_INT, 0, NULL, &one);
  assert_ok(GpuArray_nonzero(&got, &x));
  assert_int_equal(got.dimensions[0], 1);
  assert_int_equal(got.dimensions[1], 0);
  GpuArray_clear(&got);
  GpuArray_clear(&x);
}

/* --- with a bound --- */

static void check_bounded(size_t n, size_t rows, unsigned int nd) {
  const size_t dims[2] = {rows, 1};
  char *data = make_mask(GA_BOOL, n, 50);
  size_t count;
  int64_t *at = find(data, GA_BOOL, n, &count), total;
  double *elements = calloc(n + 1, 8), nine = 9;
  int64_t *want = calloc(rows + 1, 8);
  GpuArray mask, x, res, got_count, picked;
  GpuLaunch *l;

  test_fill(elements, GA_LONG, n, -99, 99, 4);
  test_array(&mask, GA_BOOL, 1, &n, data);
  test_array(&x, GA_LONG, 1, &n, elements);
  for (size_t i = 0; i < rows; i++)
    want[i] = i < count ? at[i] : -3;
  assert_ok(
      GpuArray_empty(&res, test_context(), GA_LONG, nd, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&picked, test_context(), GA_LONG, 1, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&got_count, test_context(), GA_LONG, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_nonzero_prepare(&l, &res, &got_count, &mask, -3));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_array_equal(&res, want);
  assert_ok(GpuArray_read(&total, 8, &got_count));
  assert_int_equal(total, count);
  for (size_t i = 0; i < rows; i++)
    memcpy(&want[i], i < count ? &elements[at[i]] : &nine, 8);
  assert_ok(
      GpuArray_compress_prepare(&l, &picked, &got_count, &x, &mask, &nine));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_array_equal(&picked, want);
  GpuArray_clear(&mask);
  GpuArray_clear(&x);
  GpuArray_clear(&res);
  GpuArray_clear(&picked);
  GpuArray_clear(&got_count);
  free(data);
  free(at);
  free(elements);
  free(want);
}

static void all_bounded(void) {
  static const size_t rows[] = {0, 1, 10, 600, 40000, 100000};

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check_bounded(1001, rows[i], 1);
    check_bounded(MOST, rows[i], 2);
  }
  check_bounded(0, 5, 1);
}

static void test_bounded(void **state) {
  (void)state;
  test_mappings(all_bounded);
}

/* A mask that begins at an odd address is read element by element. */
static void all_odd(void) {
  const size_t n = MOST, bytes = n + 1;
  char *data = make_mask(GA_BOOL, bytes, 30);
  GpuArray all, x;

  test_array(&all, GA_BOOL, 1, &bytes, data);
  assert_ok(GpuArray_fromdata(&x, all.data, all.offset + 1, GA_BOOL, 1, &n,
                              (ssize_t[]){1}, 0));
  check_nonzero(&x, data + 1);
  GpuArray_clear(&x);
  GpuArray_clear(&all);
  free(data);
}

static void test_odd(void **state) {
  (void)state;
  test_mappings(all_odd);
}

/* --- distinct elements and runs --- */

/* A list of n numbers, of which NaN equals NaN. */
static int same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void check_runs(const GpuArray *x, const char *data) {
  const size_t n = test_size(x), size = ga__dtype_size(x->typecode);
  int64_t *starts = calloc(n + 1, 8), *lengths = calloc(n + 1, 8);
  char *values = calloc(n + 1, size);
  GpuArray v, s, l;
  size_t runs = 0;

  for (size_t i = 0; i < n; i++) {
    if (i == 0 || !same(test_get(data, x->typecode, i),
                        test_get(data, x->typecode, i - 1))) {
      memcpy(values + runs * size, data + i * size, size);
      starts[runs++] = (int64_t)i;
    }
    lengths[runs - 1]++;
  }
  assert_ok(GpuArray_run_lengths(&v, &s, &l, x));
  assert_int_equal(v.dimensions[0], runs);
  test_array_equal(&v, values);
  test_array_equal(&s, starts);
  test_array_equal(&l, lengths);
  GpuArray_clear(&v);
  GpuArray_clear(&s);
  GpuArray_clear(&l);
  free(starts);
  free(lengths);
  free(values);
}

/* Each element of x has a place among the values, the first and the number of
 * its equals; values ascend. */
static void check_unique(const GpuArray *x, const char *data) {
  const size_t n = test_size(x);
  const int dtype = x->typecode;
  GpuArray a[4];

  assert_ok(GpuArray_unique(&a[0], &a[1], &a[2], &a[3], x));
  const size_t m = test_size(&a[0]);
  char *values = calloc(m + 1, ga__dtype_size(dtype));
  int64_t *of[3], *seen = calloc(m + 1, 8);
  test_gather(&a[0], values);
  for (int k = 0; k < 3; k++) {
    of[k] = calloc(n + 1, 8);
    test_gather(&a[k + 1], of[k]);
    assert_int_equal(test_size(&a[k + 1]), k == 1 ? n : m);
  }
  for (size_t i = 0; i < n; i++) {
    const int64_t k = of[1][i];
    assert_in_range(k, 0, m - 1);
    assert_true(
        same(test_get(data, dtype, i), test_get(values, dtype, (size_t)k)));
    if (seen[k]++ == 0) {
      assert_int_equal(of[0][k], i);
      assert_memory_equal(values + (size_t)k * ga__dtype_size(dtype),
                          data + i * ga__dtype_size(dtype),
                          ga__dtype_size(dtype));
    }
  }
  for (size_t k = 0; k < m; k++) {
    assert_int_equal(seen[k], of[2][k]);
    assert_true(seen[k] > 0);
    if (k > 0)
      assert_true(test_get(values, dtype, k - 1) < test_get(values, dtype, k) ||
                  isnan(test_get(values, dtype, k)));
  }
  for (int k = 0; k < 4; k++)
    GpuArray_clear(&a[k]);
  for (int k = 0; k < 3; k++)
    free(of[k]);
  free(values);
  free(seen);
}

static void check_distinct(int dtype, size_t n) {
  static const double odd[] = {NAN, -0.0, 0.0, INFINITY};
  const size_t dims[2] = {n / 3, 3};
  char *data = calloc(n + 1, 8);
  uint64_t state = 7;
  GpuArray x;

  for (size_t i = 0; i < n; i++) {
    const uint32_t k = (uint32_t)lcg_below(&state, 20);
    const int is_odd = ga__dtype_kind(dtype) == GA_KIND_FLOAT && k < 4;
    test_set(data, dtype, i,
             dtype == GA_BOOL ? k & 1
             : is_odd         ? odd[k]
                              : (double)k / 2);
    if (i > 0 && lcg_below(&state, 2) == 0)
      memcpy(data + i * ga__dtype_size(dtype),
             data + (i - 1) * ga__dtype_size(dtype), ga__dtype_size(dtype));
  }
  test_array(&x, dtype, 2, dims, data);
  check_runs(&x, data);
  check_unique(&x, data);
  GpuArray_clear(&x);
  free(data);
}

static void all_distinct(void) {
  check_distinct(GA_FLOAT, 0);
  check_distinct(GA_FLOAT, 3);
  check_distinct(GA_FLOAT, 30000);
}

static void test_distinct(void **state) {
  (void)state;
  test_mappings(all_distinct);
}

static void all_distinct_dtypes(void) {
  static const int types[] = {GA_BOOL,   GA_UBYTE, GA_HALF,
                              GA_BFLOAT, GA_INT,   GA_LONG};

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    check_distinct(types[i], 9999);
}

static void test_distinct_dtypes(void **state) {
  (void)state;
  test_need_full();
  test_mappings(all_distinct_dtypes);
}

static void test_distinct_doubles(void **state) {
  (void)state;
  test_need_double();
  check_distinct(GA_DOUBLE, 9999);
}

/* --- refusals --- */

static void test_refusals(void **state) {
  static const size_t n = 8, dims[2] = {4, 2};
  float x[16] = {0};
  GpuArray a, b, i, k, v;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&b, GA_FLOAT, 2, dims, x);
  test_array(&i, GA_LONG, 1, &n, x);
  test_array(&k, GA_LONG, 0, NULL, x);
  assert_code(GA_VALUE_ERROR, GpuArray_compress(&v, &a, &b));
  assert_message(GA_VALUE_ERROR, "mask: 2 dimensions, expected 1 to 1");
  assert_code(GA_VALUE_ERROR, GpuArray_compress(&v, &b, &a));
  assert_message(GA_VALUE_ERROR, "mask: dim 0");
  assert_code(GA_VALUE_ERROR, GpuArray_compress(&v, &a, &k));
  assert_message(GA_VALUE_ERROR, "mask: 0 dimensions");
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero(&a, &a));
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero(NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_nonzero(&v, NULL));
  assert_code(GA_INVALID_ERROR, GpuArray_compress(&v, &a, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_unique(&v, &v, NULL, NULL, &a));
  assert_code(GA_INVALID_ERROR, GpuArray_run_lengths(&v, NULL, NULL, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero_prepare(&l, &a, &k, &b, 0));
  assert_message(GA_VALUE_ERROR, "result: expected int64, got float32");
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero_prepare(&l, &i, &i, &b, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero_prepare(&l, &k, &i, &b, 0));
  assert_message(GA_VALUE_ERROR, "expected [rows] or [rows, 2]");
  assert_code(GA_VALUE_ERROR, GpuArray_nonzero_prepare(&l, &i, &k, &i, 0));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_INVALID_ERROR,
              GpuArray_compress_prepare(&l, &a, &k, NULL, &a, NULL));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&i);
  GpuArray_clear(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths),
                                     cmocka_unit_test(test_dtypes),
                                     cmocka_unit_test(test_doubles),
                                     cmocka_unit_test(test_strides),
                                     cmocka_unit_test(test_parts),
                                     cmocka_unit_test(test_scalar),
                                     cmocka_unit_test(test_bounded),
                                     cmocka_unit_test(test_odd),
                                     cmocka_unit_test(test_distinct),
                                     cmocka_unit_test(test_distinct_dtypes),
                                     cmocka_unit_test(test_distinct_doubles),
                                     cmocka_unit_test(test_refusals)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
