/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts and sums by bin against a loop on the host. */
#include "support/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/bincount.h>
#include <gpuarray/device.h>

#include "base/dtype.h"

typedef struct geometry {
  unsigned int nd;
  size_t dims[3];
  size_t bins;
} geometry;

static size_t count(const geometry *g) {
  size_t n = 1;

  for (unsigned int d = 0; d < g->nd; d++)
    n *= g->dims[d];
  return n;
}

/* --- integers that are bins --- */

/* The bin of v, or `bins` if it has none. */
static size_t bin_of(double v, size_t bins) {
  return v >= 0 && v < (double)bins ? (size_t)v : bins;
}

/* Add the weight of each element (1 if there are none) to its bin. */
static void tally(double *want, size_t n, const size_t *at, size_t bins,
                  const void *weights, int dtype) {
  memset(want, 0, bins * sizeof *want);
  for (size_t i = 0; i < n; i++) {
    if (at[i] < bins)
      want[at[i]] += weights != NULL ? test_get(weights, dtype, i) : 1;
  }
}

static void compare(const GpuArray *got, const double *want, size_t bins) {
  char *w = calloc(bins + 1, 8);

  assert_int_equal(got->nd, 1);
  assert_int_equal(got->dimensions[0], bins);
  for (size_t i = 0; i < bins; i++)
    test_set(w, got->typecode, i, want[i]);
  test_array_close(got, w, 1e-5, 1e-5);
  free(w);
}

/* `weights` is a dtype, or -1. */
static void check_bins(int dtype, const geometry *g, int weights) {
  const size_t n = count(g);
  char *data = calloc(n + 1, 8), *w = calloc(n + 1, 8);
  size_t *at = calloc(n + 1, sizeof *at);
  double *want = calloc(g->bins + 1, sizeof *want);
  GpuArray x, b = {0}, res;

  test_fill(data, dtype, n, -3, (double)g->bins + 3, 11);
  if (weights >= 0)
    test_fill(w, weights, n, -5, 5, 13);
  for (size_t i = 0; i < n; i++)
    at[i] = bin_of(test_get(data, dtype, i), g->bins);
  tally(want, n, at, g->bins, weights >= 0 ? w : NULL, weights);
  test_array(&x, dtype, g->nd, g->dims, data);
  if (weights >= 0)
    test_array(&b, weights, g->nd, g->dims, w);
  assert_ok(GpuArray_bincount(&res, &x, weights >= 0 ? &b : NULL, g->bins));
  compare(&res, want, g->bins);
  GpuArray_clear(&res);
  GpuArray_clear(&x);
  GpuArray_clear(&b);
  free(data);
  free(w);
  free(at);
  free(want);
}

static void all_bins(void) {
  static const geometry table[] = {
      {1, {1}, 1},        {1, {40000}, 7},   {2, {30, 50}, 100},
      {1, {100}, 5000},   {0, {0}, 3},       {1, {0}, 4},
      {3, {0, 2, 3}, 10}, {1, {20000}, 200}, {1, {20000}, 4100},
      {1, {20000}, 700},
  };

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    check_bins(GA_INT, &table[i], -1);
    check_bins(GA_INT, &table[i], GA_FLOAT);
  }
}

static void test_bins(void **state) {
  (void)state;
  test_mappings(all_bins);
}

static void test_dtypes(void **state) {
  static const int types[] = {GA_BOOL,   GA_BYTE, GA_UBYTE, GA_SHORT,
                              GA_USHORT, GA_UINT, GA_LONG,  GA_ULONG};
  static const geometry g = {1, {3000}, 50};

  (void)state;
  test_need_full();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    check_bins(types[i], &g, -1);
  check_bins(GA_INT, &g, GA_LONG);
}

static void test_double(void **state) {
  static const geometry g = {1, {3000}, 50};

  (void)state;
  test_need_double();
  check_bins(GA_INT, &g, GA_DOUBLE);
}

/* Extreme integers are beyond all bins. */
static void test_extremes(void **state) {
  static const int64_t v[4] = {INT64_MIN, -1, INT64_MAX, 0};
  static const uint64_t u[2] = {UINT64_MAX, 1};
  static const size_t four = 4, two = 2;
  int64_t want[2] = {1, 0};
  GpuArray x, res;

  (void)state;
  test_array(&x, GA_LONG, 1, &four, v);
  assert_ok(GpuArray_bincount(&res, &x, NULL, 2));
  test_array_equal(&res, want);
  GpuArray_clear(&x);
  GpuArray_clear(&res);
  test_array(&x, GA_ULONG, 1, &two, u);
  assert_ok(GpuArray_bincount(&res, &x, NULL, 2));
  test_array_equal(&res, (int64_t[]){0, 1});
  GpuArray_clear(&x);
  GpuArray_clear(&res);
}

/* --- edges --- */

/* The bin of v among m edges, or m. */
static size_t between(double v, const double *edges, size_t m) {
  for (size_t k = 0; k + 1 < m; k++) {
    if (v >= edges[k] &&
        (v < edges[k + 1] || (k + 2 == m && v == edges[k + 1])))
      return k;
  }
  return m;
}

static void check_edges(const geometry *g, size_t m, int weights) {
  const size_t n = count(g);
  float *data = calloc(n + 1, 4), *e = calloc(m + 1, 4), *w = calloc(n + 1, 4);
  double *edges = calloc(m + 1, sizeof *edges);
  double *want = calloc(m + 1, sizeof *want);
  size_t *at = calloc(n + 1, sizeof *at);
  GpuArray x, y, b, res;

  test_fill(data, GA_FLOAT, n, -3, 12, 11);
  test_fill(w, GA_FLOAT, n, -5, 5, 13);
  for (size_t i = 0; i < m; i++)
    edges[i] = e[i] = (float)(i * i) / (float)m;
  for (size_t i = 0; i < n; i += 3)
    data[i] = i % 2 ? (float)NAN : e[i % m];
  for (size_t i = 0; i < n; i++)
    at[i] = between((double)data[i], edges, m);
  tally(want, n, at, m - 1, weights ? w : NULL, GA_FLOAT);
  test_array(&x, GA_FLOAT, g->nd, g->dims, data);
  test_array(&b, GA_FLOAT, g->nd, g->dims, w);
  test_array(&y, GA_FLOAT, 1, &m, e);
  assert_ok(GpuArray_histogram(&res, &x, &y, weights ? &b : NULL));
  compare(&res, want, m - 1);
  GpuArray_clear(&res);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&b);
  free(data);
  free(e);
  free(w);
  free(edges);
  free(want);
  free(at);
}

static void all_edges(void) {
  static const geometry table[] = {
      {1, {1}, 0}, {1, {30000}, 0}, {2, {30, 50}, 0}};
  static const size_t edges[] = {1, 2, 11};

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
      check_edges(&table[i], edges[k], i == 1);
  }
}

static void test_edges(void **state) {
  (void)state;
  test_mappings(all_edges);
}

/* NaN is larger than all edges, and in no bin. */
static void all_nan(void) {
  static const size_t five = 5, three = 3;
  static const float v[5] = {NAN, 1, 5, NAN, -1};
  static const float edges[][3] = {{0, 2, NAN}, {NAN, NAN, NAN}, {0, 5, 9}};
  static const int64_t want[][2] = {{1, 1}, {0, 0}, {1, 1}};
  GpuArray x, e, res;

  test_array(&x, GA_FLOAT, 1, &five, v);
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    test_array(&e, GA_FLOAT, 1, &three, edges[i]);
    assert_ok(GpuArray_histogram(&res, &x, &e, NULL));
    test_array_equal(&res, want[i]);
    GpuArray_clear(&res);
    GpuArray_clear(&e);
  }
  GpuArray_clear(&x);
}

static void test_nan(void **state) {
  (void)state;
  test_mappings(all_nan);
}

/* The largest integer looks like NaN, but is in the last bin. */
static void test_largest(void **state) {
  static const size_t two = 2;
  static const uint8_t v[2] = {255, 254}, edges[2] = {254, 255};
  int64_t want = 2;
  GpuArray x, e, res;

  (void)state;
  test_array(&x, GA_UBYTE, 1, &two, v);
  test_array(&e, GA_UBYTE, 1, &two, edges);
  assert_ok(GpuArray_histogram(&res, &x, &e, NULL));
  test_array_equal(&res, &want);
  GpuArray_clear(&x);
  GpuArray_clear(&e);
  GpuArray_clear(&res);
}

/* --- strides --- */

static void test_strides(void **state) {
  static const size_t dims[2] = {3, 4}, bins = 5;
  static const int32_t v[12] = {0, 1, 2, 3, 4, 5, 0, 0, 1, 2, -1, 4};
  static const float w[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const float want[5] = {16, 11, 13, 4, 17};
  float none[5] = {0};
  GpuArray x, b, res;
  GpuLaunch *l;

  (void)state;
  test_array_strided(&x, GA_INT, 2, dims, (ssize_t[]){1, -4}, v);
  test_array_strided(&b, GA_FLOAT, 2, dims, (ssize_t[]){-5, 1}, w);
  test_array_strided(&res, GA_FLOAT, 1, &bins, (ssize_t[]){-2}, none);
  assert_ok(GpuArray_bincount_prepare(&l, &res, &x, &b));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&res, want);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&b);
  GpuArray_clear(&res);
}

/* Other names of a dtype are as good; doubles need a device that has them. */
static void test_weight_dtypes(void **state) {
  static const size_t n = 3;
  static const int32_t v[3] = {1, 0, 1};
  static const int64_t w[3] = {5, 6, 7}, want[2] = {6, 12};
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  GpuArray x, b, res;

  (void)state;
  test_array(&x, GA_INT, 1, &n, v);
  test_array(&b, GA_SSIZE, 1, &n, w);
  assert_ok(GpuArray_bincount(&res, &x, &b, 2));
  test_array_equal(&res, want);
  GpuArray_clear(&res);
  GpuArray_clear(&b);
  test_array(&b, GA_DOUBLE, 1, &n, w);
  caps->fp64 = 0;
  const int err = GpuArray_bincount(&res, &x, &b, 2);
  *caps = real;
  assert_code(GA_DEVSUP_ERROR, err);
  assert_message(GA_DEVSUP_ERROR, "weights: the device has no float64");
  GpuArray_clear(&b);
  GpuArray_clear(&x);
}

static void test_refusals(void **state) {
  static const size_t n = 8, one = 1, none = 0, two[2] = {2, 4};
  char data[128] = {0};
  GpuArray f, i, c, m, e, h, r;
  GpuLaunch *l;

  (void)state;
  test_array(&f, GA_FLOAT, 1, &n, data);
  test_array(&i, GA_INT, 1, &n, data);
  test_array(&c, GA_CFLOAT, 1, &n, data);
  test_array(&m, GA_FLOAT, 2, two, data);
  test_array(&e, GA_FLOAT, 1, &none, data);
  test_array(&h, GA_FLOAT, 1, &one, data);
  assert_code(GA_VALUE_ERROR, GpuArray_bincount(&r, &f, NULL, 4));
  assert_message(GA_VALUE_ERROR, "x: expected integers, got float32");
  assert_code(GA_VALUE_ERROR, GpuArray_bincount(&r, &i, &i, 4));
  assert_message(GA_VALUE_ERROR,
                 "weights: expected float32, float64 or int64, got int32");
  assert_code(GA_VALUE_ERROR, GpuArray_bincount(&r, &i, &h, 4));
  assert_message(GA_VALUE_ERROR, "weights: dim 0: expected 8, got 1");
  assert_code(GA_XLARGE_ERROR, GpuArray_bincount(&r, &i, NULL, SIZE_MAX));
  assert_code(GA_VALUE_ERROR, GpuArray_histogram(&r, &f, &i, NULL));
  assert_message(GA_VALUE_ERROR, "edges: expected float32, got int32");
  assert_code(GA_VALUE_ERROR, GpuArray_histogram(&r, &f, &m, NULL));
  assert_message(GA_VALUE_ERROR, "edges: expected 1 dimension, got 2");
  assert_code(GA_VALUE_ERROR, GpuArray_histogram(&r, &f, &e, NULL));
  assert_message(GA_VALUE_ERROR, "edges: expected at least one, got none");
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_histogram(&r, &c, &c, NULL));
  assert_message(GA_UNSUPPORTED_ERROR, "histogram: complex64 has no order");
  assert_code(GA_VALUE_ERROR, GpuArray_bincount_prepare(&l, &f, &i, NULL));
  assert_message(GA_VALUE_ERROR, "result: expected int64, got float32");
  assert_code(GA_VALUE_ERROR, GpuArray_bincount_prepare(&l, &m, &i, &f));
  assert_message(GA_VALUE_ERROR, "result: expected 1 dimension, got 2");
  assert_code(GA_VALUE_ERROR, GpuArray_bincount_prepare(&l, &f, &i, &f));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_VALUE_ERROR, GpuArray_histogram_prepare(&l, &h, &f, &f, &f));
  assert_message(GA_VALUE_ERROR, "result: dim 0: expected 7, got 1");
  assert_code(GA_INVALID_ERROR, GpuArray_histogram(&r, &f, NULL, NULL));
  assert_code(GA_INVALID_ERROR, GpuArray_histogram(NULL, &f, &f, NULL));
  assert_code(GA_INVALID_ERROR, GpuArray_bincount(&r, NULL, NULL, 4));
  assert_code(GA_INVALID_ERROR, GpuArray_bincount_prepare(&l, NULL, &i, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_bincount(&f, &i, &f, 4));
  assert_message(GA_VALUE_ERROR, "a result is the same array as an operand");
  GpuArray_clear(&f);
  GpuArray_clear(&i);
  GpuArray_clear(&c);
  GpuArray_clear(&m);
  GpuArray_clear(&e);
  GpuArray_clear(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bins),          cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_double),        cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_edges),         cmocka_unit_test(test_nan),
      cmocka_unit_test(test_largest),       cmocka_unit_test(test_strides),
      cmocka_unit_test(test_weight_dtypes), cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
