/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting against a stable sort on the host. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpuarray/sort.h>

#include "base/dtype.h"
#include "order/elements.h"

/* --- on the host --- */

/* Whether a comes before b, for elements that are not equal. */
static int is_before(double a, double b, int flags) {
  if (isnan(a) || isnan(b))
    return !isnan(a);
  return flags & GA_SORT_DESCENDING ? a > b : a < b;
}

static int differ(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) != isnan(b) : a != b;
}

/* Merge the sorted halves of x and of the positions at. */
static void merge_sort(double *x, int64_t *at, size_t n, int flags) {
  const size_t half = n / 2;
  double *y = malloc(n * sizeof *y + 1);
  int64_t *to = malloc(n * sizeof *to + 1);

  if (n > 1) {
    merge_sort(x, at, half, flags);
    merge_sort(x + half, at + half, n - half, flags);
    for (size_t i = 0, a = 0, b = half; i < n; i++) {
      const int second =
          b < n &&
          (a == half || (differ(x[a], x[b]) && is_before(x[b], x[a], flags)));
      const size_t k = second ? b++ : a++;
      y[i] = x[k];
      to[i] = at[k];
    }
    memcpy(x, y, n * sizeof *y);
    memcpy(at, to, n * sizeof *to);
  }
  free(y);
  free(to);
}

/* --- calls --- */

/* Sort `x`, whose elements are `data` in C order, and compare. */
static void check(const GpuArray *x, const char *data, unsigned int axis,
                  int flags, int has_values, int has_indices) {
  const size_t total = test_size(x), size = ga__dtype_size(x->typecode);
  const size_t n = x->dimensions[axis];
  char *want = calloc(total + 1, size);
  int64_t *places = calloc(total + 1, sizeof *places), *at = calloc(n + 1, 8);
  double *row = calloc(n + 1, sizeof *row);
  GpuArray values, indices;
  size_t step = 1;

  for (unsigned int d = axis + 1; d < x->nd; d++)
    step *= x->dimensions[d];
  for (size_t o = 0; n > 0 && o < total / n; o++) {
    const size_t first = first_of_row(o, n, step);
    for (size_t i = 0; i < n; i++) {
      row[i] = test_get(data, x->typecode, first + i * step);
      at[i] = (int64_t)i;
    }
    merge_sort(row, at, n, flags);
    for (size_t i = 0; i < n; i++) {
      places[first + i * step] = at[i];
      memcpy(want + (first + i * step) * size,
             data + (first + (size_t)at[i] * step) * size, size);
    }
  }
  assert_ok(GpuArray_sort(has_values ? &values : NULL,
                          has_indices ? &indices : NULL, x, axis, flags));
  if (has_values) {
    test_array_equal(&values, want);
    GpuArray_clear(&values);
  }
  if (has_indices) {
    test_array_equal(&indices, places);
    GpuArray_clear(&indices);
  }
  free(want);
  free(places);
  free(at);
  free(row);
}

static void check_shape(int dtype, unsigned int nd, const size_t *dims,
                        unsigned int axis, int flags) {
  size_t n = 1;
  GpuArray x;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  char *data = make_elements(dtype, n);
  test_array(&x, dtype, nd, dims, data);
  check(&x, data, axis, flags, 1, 1);
  GpuArray_clear(&x);
  free(data);
}

/* --- tests --- */

static void all_rows(void) {
  static const size_t lengths[] = {0, 1, 2, 32, 33, 1000, 2049, 40000};

  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    check_shape(GA_FLOAT, 1, &lengths[i], 0, 0);
  check_shape(GA_FLOAT, 2, (size_t[]){70, 20}, 1, GA_SORT_DESCENDING);
  check_shape(GA_FLOAT, 2, (size_t[]){70, 20}, 0, GA_SORT_DESCENDING);
  check_shape(GA_FLOAT, 2, (size_t[]){20, 70}, 0, GA_SORT_DESCENDING);
  check_shape(GA_FLOAT, 2, (size_t[]){9, 128}, 1, 0);
  check_shape(GA_FLOAT, 2, (size_t[]){5000, 3}, 0, 0);
}

static void test_rows(void **state) {
  (void)state;
  test_mappings(all_rows);
}

/* Values or positions alone, of rows in any order of memory. */
static void all_strides(void) {
  static const size_t dims[2] = {9, 130};
  static const ssize_t strides[][2] = {{-130, 1}, {130, -1}, {1, 9}};
  char *data = make_elements(GA_INT, 9 * 130);

  for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
    GpuArray x;
    test_array_strided(&x, GA_INT, 2, dims, strides[i], data);
    check(&x, data, 1, 0, 1, 0);
    check(&x, data, 1, 0, 0, 1);
    GpuArray_clear(&x);
  }
  free(data);
}

static void test_strides(void **state) {
  (void)state;
  test_mappings(all_strides);
}

static void all_dtypes(void) {
  static const int types[] = {GA_BOOL, GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                              GA_UINT, GA_LONG, GA_ULONG, GA_HALF};

  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    const size_t n = t % 2 ? 5000 : 300;
    check_shape(types[t], 1, &n, 0, (int)(t % 2));
  }
}

static void test_dtypes(void **state) {
  (void)state;
  test_need_full();
  test_mappings(all_dtypes);
}

static void test_double(void **state) {
  static const size_t n = 300;

  (void)state;
  test_need_double();
  check_shape(GA_DOUBLE, 1, &n, 0, GA_SORT_DESCENDING);
}

/* --- digits in which all elements of a row agree --- */

/* Set element i to the number of this many bytes. */
static void set_number(char *data, size_t i, uint64_t number, size_t size) {
  for (size_t b = 0; b < size; b++)
    data[i * size + b] = (char)(number >> 8 * b);
}

/* Rows of random numbers that share all bytes but those of the pattern. That of
 * row r is `pattern` xor r, so that rows differ in which passes move them. */
static void check_pattern(int dtype, const size_t *dims, unsigned int pattern,
                          int flags) {
  const size_t size = ga__dtype_size(dtype);
  char *data = calloc(dims[0] * dims[1] + 1, size);
  uint64_t state = pattern + 1;
  GpuArray x;

  for (size_t r = 0; r < dims[0]; r++) {
    uint64_t mask = 0;
    for (unsigned int b = 0; b < 6; b++)
      mask |= (pattern ^ r) >> b & 1 ? UINT64_C(0xff) << 8 * b : 0;
    for (size_t i = 0; i < dims[1]; i++) {
      const uint64_t high = lcg_next(&state), low = lcg_next(&state);
      set_number(data, r * dims[1] + i,
                 (UINT64_C(0x1234567890) & ~mask) ^ ((high << 31 ^ low) & mask),
                 size);
    }
  }
  test_array(&x, dtype, 2, dims, data);
  check(&x, data, 1, flags, 1, pattern % 2);
  check(&x, data, 1, flags, 0, 1);
  GpuArray_clear(&x);
  free(data);
}

static void all_patterns(void) {
  static const size_t dims[2] = {2, 6500}, one[2] = {1, 6500};

  for (unsigned int p = 0; p < 16; p += 3)
    check_pattern(GA_UINT, dims, p, 0);
  check_pattern(GA_INT, dims, 6, GA_SORT_DESCENDING);
  check_pattern(GA_LONG, one, 0x25, 0);
  check_pattern(GA_USHORT, dims, 0, 0);
  check_pattern(GA_UBYTE, dims, 0, 0);
}

static void test_patterns(void **state) {
  (void)state;
  test_mappings(all_patterns);
}

/* Along another axis results are not written in between. */
static void all_columns(void) {
  static const size_t dims[2] = {6500, 2};
  char *data = calloc(dims[0] * dims[1], 4);
  uint64_t state = 3;
  GpuArray x;

  for (size_t i = 0; i < dims[0] * dims[1]; i++)
    set_number(data, i, lcg_next(&state) & 0xff00ff, 4);
  test_array(&x, GA_UINT, 2, dims, data);
  check(&x, data, 0, 0, 1, 1);
  GpuArray_clear(&x);
  free(data);
}

static void test_columns(void **state) {
  (void)state;
  test_mappings(all_columns);
}

/* Its infinity is below that of the other dtype of two bytes. */
static void test_bfloat(void **state) {
  static const size_t n = 300;

  (void)state;
  check_shape(GA_BFLOAT, 1, &n, 0, 0);
}

/* Counts of four bytes suffice; bytes have one digit on a CPU. */
static void test_memory(void **state) {
  static const size_t n = 40000, most = 4 * 256 * sizeof(uint32_t);
  gpucontext_counters before, after;
  GpuArray a, v;
  GpuLaunch *l;

  (void)state;
  if (!gpucontext_caps(test_context())->is_cpu)
    skip();
  assert_ok(GpuArray_zeros(&a, test_context(), GA_UBYTE, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&v, test_context(), GA_UBYTE, 1, &n, GA_C_ORDER));
  assert_ok(gpucontext_count(test_context(), &before));
  assert_ok(GpuArray_sort_prepare(&l, &v, NULL, &a, 0, 0));
  assert_ok(gpucontext_count(test_context(), &after));
  assert_in_range(after.used_bytes - before.used_bytes, 1, most);
  GpuLaunch_free(l);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}

static void test_refusals(void **state) {
  static const size_t n = 8;
  const GpuArray none = {0};
  float x[16] = {0};
  GpuArray a, c, v;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  test_array(&c, GA_CFLOAT, 1, &n, x);
  assert_code(GA_VALUE_ERROR, GpuArray_sort(&v, NULL, &a, 1, 0));
  assert_message(GA_VALUE_ERROR, "axis 1 of an array of 1 dimensions");
  assert_code(GA_VALUE_ERROR, GpuArray_sort(&v, NULL, &a, 0, 4));
  assert_message(GA_VALUE_ERROR, "flags 0x4 are not known");
  assert_code(GA_VALUE_ERROR, GpuArray_sort(NULL, NULL, &a, 0, 0));
  assert_message(GA_VALUE_ERROR, "neither values nor indices");
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuArray_sort_prepare(&l, &a, NULL, &c, 0, 0));
  assert_message(GA_UNSUPPORTED_ERROR, "complex64 has no order");
  assert_code(GA_VALUE_ERROR, GpuArray_sort_prepare(&l, &a, NULL, &a, 0, 0));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_VALUE_ERROR, GpuArray_sort_prepare(&l, NULL, &a, &a, 0, 0));
  assert_message(GA_VALUE_ERROR, "indices: expected int64, got float32");
  memset(&v, 1, sizeof v);
  assert_code(GA_INVALID_ERROR, GpuArray_sort(&v, NULL, &none, 0, 0));
  assert_null(v.data);
  GpuArray_clear(&a);
  GpuArray_clear(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),     cmocka_unit_test(test_strides),
      cmocka_unit_test(test_dtypes),   cmocka_unit_test(test_double),
      cmocka_unit_test(test_patterns), cmocka_unit_test(test_columns),
      cmocka_unit_test(test_bfloat),   cmocka_unit_test(test_memory),
      cmocka_unit_test(test_refusals)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
