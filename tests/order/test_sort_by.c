/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys with values, several keys, ranks, quantiles and computed edges, beside
 * loops. */
#include "support/device.h"

#include <math.h>
#include <string.h>

#include <gpuarray/bincount.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include "order/elements.h"

enum { ROWS = 3, N = 5, SIZE = ROWS * N };

static const size_t dims[2] = {ROWS, N};
static const float keys[SIZE] = {2, -1, NAN, 2, 0, 5,     5, 5,
                                 1, 1,  7,   3, 7, -0.0f, 0};

static GpuArray x;

static int setup(void **state) {
  (void)state;
  test_array(&x, GA_FLOAT, 2, dims, keys);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&x);
  return 0;
}

/* Does element b of a row come before element a? */
static int comes_before(const float *row, size_t b, size_t a) {
  if (isnan(row[a]) || isnan(row[b]))
    return isnan(row[a]) && (!isnan(row[b]) || b < a);
  return row[b] < row[a] || (row[b] == row[a] && b < a);
}

static size_t place_of(const float *row, size_t i) {
  size_t n = 0;

  for (size_t k = 0; k < N; k++)
    n += k != i && comes_before(row, k, i);
  return n;
}

static void values_follow_their_keys(void **state) {
  int64_t numbers[SIZE], want[SIZE], places[SIZE];
  float parts[2 * SIZE], want_parts[2 * SIZE], sorted[SIZE];
  GpuArray v[2], got[2], keys_of, ranks, at;

  (void)state;
  for (size_t i = 0; i < SIZE; i++) {
    const size_t to = i / N * N + place_of(&keys[i / N * N], i % N);
    numbers[i] = (int64_t)(i * i);
    parts[2 * i] = (float)i;
    parts[2 * i + 1] = -(float)i;
    want[to] = numbers[i];
    memcpy(&want_parts[2 * to], &parts[2 * i], 8);
    sorted[to] = keys[i];
    places[i] = (int64_t)(to % N);
  }
  test_array(&v[0], GA_LONG, 2, dims, numbers);
  test_array(&v[1], GA_CFLOAT, 2, dims, parts);
  assert_ok(GpuArray_sort_by(&keys_of, 2, (GpuArray *[]){&got[0], &got[1]}, &x,
                             (const GpuArray *[]){&v[0], &v[1]}, 1, 0));
  test_array_equal(&got[0], want);
  test_array_equal(&got[1], want_parts);
  test_array_equal(&keys_of, sorted);
  GpuArray_clear(&keys_of);
  assert_ok(GpuArray_rank(&ranks, &x, 1));
  test_array_equal(&ranks, places);
  assert_ok(GpuArray_partition(&keys_of, &at, &x, 2, 1));
  test_array_equal(&keys_of, sorted);
  for (int i = 0; i < 2; i++) {
    GpuArray_clear(&v[i]);
    GpuArray_clear(&got[i]);
  }
  GpuArray_clear(&keys_of);
  GpuArray_clear(&ranks);
  GpuArray_clear(&at);
}

/* --- partitions of long rows --- */

/* Columns that are split by the elements of some ranks. */
typedef struct split {
  size_t size, columns;
  unsigned int n;
  size_t ranks[2];
} split;

/* -1, 0, 1: a comes before b, equals it, comes after it. NaN is last. */
static int side(float a, float b) {
  if (isnan(a) || isnan(b))
    return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

/* Where an element is among the pivots. */
static int class_of(const split *s, const float *pivots, float v) {
  int c = 0;

  for (unsigned int i = 0; i < s->n; i++)
    c += side(v, pivots[i]) + 1;
  return c;
}

/* Column c of `data` split by these elements of it. */
static void split_on_host(const split *s, const float *data, size_t c,
                          const float *pivots, float *values, int64_t *places) {
  const size_t m = s->columns;
  size_t n = 0;

  for (int which = 0; which <= 2 * (int)s->n; which++)
    for (size_t i = 0; i < s->size; i++)
      if (class_of(s, pivots, data[m * i + c]) == which) {
        values[m * n + c] = data[m * i + c];
        places[m * n++ + c] = (int64_t)i;
      }
}

/* The elements of the ranks, which kth selects. */
static void find_pivots(const split *s, const GpuArray *a, float *pivots) {
  float row[2];
  GpuArray kth;

  for (unsigned int i = 0; i < s->n; i++) {
    assert_ok(GpuArray_kth(&kth, NULL, a, s->ranks[i], 0));
    assert_ok(GpuArray_read(row, s->columns * sizeof *row, &kth));
    GpuArray_clear(&kth);
    for (size_t c = 0; c < s->columns; c++)
      pivots[c * s->n + i] = row[c];
  }
}

static void check_split(const split *s) {
  const size_t sizes[2] = {s->size, s->columns}, all = s->size * s->columns;
  const unsigned int nd = s->columns > 1 ? 2 : 1;
  float *data = (float *)make_elements(GA_FLOAT, all);
  float *want = calloc(all, sizeof *want), pivots[4];
  int64_t *places = calloc(all, sizeof *places);
  GpuArray a, values, at;

  test_array(&a, GA_FLOAT, nd, sizes, data);
  find_pivots(s, &a, pivots);
  for (size_t c = 0; c < s->columns; c++)
    split_on_host(s, data, c, &pivots[c * s->n], want, places);
  assert_ok(GpuArray_partition_ranks(&values, &at, &a, s->n, s->ranks, 0));
  test_array_equal(&values, want);
  test_array_equal(&at, places);
  GpuArray_clear(&at);
  GpuArray_clear(&values);
  assert_ok(GpuArray_partition_ranks(NULL, &at, &a, s->n, s->ranks, 0));
  test_array_equal(&at, places);
  GpuArray_clear(&at);
  GpuArray_clear(&a);
  free(data);
  free(want);
  free(places);
}

static void long_rows_are_split(void **state) {
  static const split splits[] = {
      {6000, 2, 1, {3000}}, {6000, 2, 2, {5999, 700}}, {65536, 1, 1, {40}}};
  const size_t n = 6000;
  GpuArray a;

  (void)state;
  for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
    check_split(&splits[i]);
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, GpuArray_partition(NULL, NULL, &a, 1, 0));
  assert_message(GA_VALUE_ERROR, "partition: neither values nor indices");
  GpuArray_clear(&a);
}

/* By real, then by imaginary parts; then what has NaN, as NumPy sorts it. */
static void complex_numbers_have_an_order(void **state) {
  enum { M = 9 };
  static const float z[2 * M] = {2, 1, NAN, NAN, 3,   NAN, 2,  -1,    NAN,
                                 4, 1, 9,   1,   NAN, NAN, -2, -0.0f, 3};
  static const int64_t up[M] = {8, 5, 3, 0, 6, 2, 7, 4, 1};
  static const int64_t down[M] = {0, 3, 5, 8, 2, 6, 4, 7, 1};
  const size_t sizes[2] = {M, 1};
  float want[2 * M];
  GpuArray a, values, at;

  (void)state;
  test_array(&a, GA_CFLOAT, 2, sizes, z);
  for (int flags = 0; flags <= GA_SORT_DESCENDING; flags++) {
    const int64_t *const order = flags ? down : up;
    assert_ok(GpuArray_sort(&values, &at, &a, 0, flags));
    for (size_t i = 0; i < M; i++)
      memcpy(&want[2 * i], &z[2 * order[i]], 8);
    test_array_equal(&values, want);
    test_array_equal(&at, order);
    GpuArray_clear(&values);
    GpuArray_clear(&at);
  }
  assert_ok(GpuArray_lexsort(&at, 1, (const GpuArray *[]){&a}, 0));
  test_array_equal(&at, up);
  assert_code(GA_VALUE_ERROR, GpuArray_sort(NULL, NULL, &a, 0, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_sort(&values, NULL, &a, 2, 0));
  assert_null(values.data);
  GpuArray_clear(&at);
  GpuArray_clear(&a);
  test_array(&a, GA_CFLOAT, 2, (size_t[]){0, 3}, NULL);
  assert_ok(GpuArray_sort(&values, NULL, &a, 0, 0));
  assert_int_equal(test_size(&values), 0);
  GpuArray_clear(&values);
  GpuArray_clear(&a);
}

static void later_keys_decide_first(void **state) {
  static const int32_t tens[6] = {1, 0, 1, 0, 1, 0};
  static const float ones[6] = {3, 3, 1, 2, 1, 3};
  static const size_t n = 6;
  GpuArray k[2], at;

  (void)state;
  test_array(&k[0], GA_FLOAT, 1, &n, ones);
  test_array(&k[1], GA_INT, 1, &n, tens);
  assert_ok(GpuArray_lexsort(&at, 2, (const GpuArray *[]){&k[0], &k[1]}, 0));
  test_array_equal(&at, (const int64_t[]){3, 1, 5, 2, 4, 0});
  GpuArray_clear(&k[0]);
  GpuArray_clear(&k[1]);
  GpuArray_clear(&at);
}

static void check_quantile(double q, ga_quantile_method method,
                           const float *want) {
  GpuArray got;

  assert_ok(GpuArray_quantile(&got, &x, q, 1, method));
  assert_int_equal(got.nd, 1);
  test_array_close(&got, want, 1e-6, 1e-6);
  GpuArray_clear(&got);
}

/* The first row has a NaN; the others are 1 1 5 5 5 and 0 0 3 7 7. */
static void quantiles_lie_between_elements(void **state) {
  GpuArray got, some;

  (void)state;
  check_quantile(0.5, GA_QUANTILE_LINEAR, (float[]){NAN, 5, 3});
  check_quantile(0.3, GA_QUANTILE_LINEAR, (float[]){NAN, 1.8f, 0.6f});
  check_quantile(0.7, GA_QUANTILE_LINEAR, (float[]){NAN, 5, 6.2f});
  check_quantile(0.3, GA_QUANTILE_MIDPOINT, (float[]){NAN, 3, 1.5f});
  check_quantile(0.3, GA_QUANTILE_LOWER, (float[]){NAN, 1, 0});
  check_quantile(0.3, GA_QUANTILE_HIGHER, (float[]){NAN, 5, 3});
  check_quantile(0.3, GA_QUANTILE_NEAREST, (float[]){NAN, 1, 0});
  check_quantile(1, GA_QUANTILE_LINEAR, (float[]){NAN, 5, 7});
  test_array(&some, GA_INT, 1, (size_t[]){4}, (int32_t[]){3, 0, 10, 1});
  assert_ok(GpuArray_median(&got, &some, 0));
  assert_int_equal(got.typecode, GA_FLOAT);
  assert_int_equal(got.nd, 0);
  test_array_equal(&got, &(float){2});
  GpuArray_clear(&got);
  GpuArray_clear(&some);
}

static void edges_are_computed(void **state) {
  static const float v[7] = {1, 2, 4, 4.5f, 8, 9, 3};
  static const size_t n = 7;
  GpuArray y, counts, edges;

  (void)state;
  test_array(&y, GA_FLOAT, 1, &n, v);
  assert_ok(GpuArray_histogram_bins(&counts, &edges, &y, 4, NULL, NULL));
  test_array_equal(&edges, (const float[]){1, 3, 5, 7, 9});
  test_array_equal(&counts, (const int64_t[]){2, 3, 0, 2});
  GpuArray_clear(&counts);
  GpuArray_clear(&edges);
  assert_ok(
      GpuArray_histogram_bins(&counts, NULL, &y, 2, (double[]){4, 4}, &y));
  test_array_equal(&counts, (const float[]){0, 8.5f});
  GpuArray_clear(&counts);
  GpuArray_clear(&y);
}

#define says(code, err, part)                                                  \
  do {                                                                         \
    assert_code(code, err);                                                    \
    assert_message(code, part);                                                \
  } while (0)

static void mistakes_are_named(void **state) {
  const size_t none = 0, one = 1;
  GpuArray got = {0}, other, empty, complex, *const to = &got;
  const GpuArray *list[2] = {&other, &x};

  (void)state;
  test_array(&other, GA_FLOAT, 1, (size_t[]){N}, keys);
  says(GA_VALUE_ERROR, GpuArray_sort_by(NULL, 1, &to, &x, list, 1, 0),
       "values");
  says(GA_VALUE_ERROR,
       GpuArray_sort_by(&got, 1, &to, &x, (const GpuArray *[]){&x}, 1, 0),
       "the same array");
  says(GA_VALUE_ERROR, GpuArray_lexsort(&got, 2, list, 0), "keys: ");
  says(GA_VALUE_ERROR, GpuArray_lexsort(&got, 0, list, 0), "no keys");
  says(GA_VALUE_ERROR, GpuArray_rank(&got, &x, 2), "axis");
  says(GA_VALUE_ERROR, GpuArray_partition(&got, NULL, &x, 5, 1),
       "rank 5 of an axis of 5 elements");
  says(GA_VALUE_ERROR, GpuArray_partition_ranks(&got, NULL, &x, 0, NULL, 1),
       "partition: no ranks");
  says(GA_VALUE_ERROR, GpuArray_partition(&got, NULL, &x, 0, 2),
       "axis 2 of an array of 2 dimensions");
  says(GA_VALUE_ERROR, GpuArray_quantile(&got, &x, 1.5, 1, 0),
       "1.5 is not from 0 to 1");
  says(GA_VALUE_ERROR, GpuArray_quantile(&got, &x, 0.5, 1, 9), "method 9");
  says(GA_VALUE_ERROR, GpuArray_histogram_bins(&got, NULL, &x, 0, NULL, NULL),
       "0 bins");
  says(GA_VALUE_ERROR,
       GpuArray_histogram_bins(&got, NULL, &x, 3, (double[]){2, 1}, NULL),
       "no bins from 2 to 1");
  test_array(&empty, GA_FLOAT, 1, &none, keys);
  says(GA_VALUE_ERROR,
       GpuArray_histogram_bins(&got, NULL, &empty, 3, NULL, NULL),
       "neither elements nor a range");
  test_array(&complex, GA_CFLOAT, 1, &one, keys);
  says(GA_UNSUPPORTED_ERROR, GpuArray_median(&got, &complex, 0),
       "quantile: complex64 has no order");
  assert_null(got.data);
  GpuArray_clear(&empty);
  GpuArray_clear(&complex);
  GpuArray_clear(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
      TEST(long_rows_are_split),
      TEST(values_follow_their_keys),
      TEST(complex_numbers_have_an_order),
      TEST(later_keys_decide_first),
      TEST(quantiles_lie_between_elements),
      TEST(edges_are_computed),
      TEST(mistakes_are_named),
#undef TEST
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
