/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges that decrease, which kernels report where indices are guarded. */
#include "support/guarded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/bincount.h>
#include <gpuarray/device.h>
#include <gpuarray/index_guard.h>
#include <gpuarray/search.h>

/* The read fails so, once; NULL: it does not. */
static void expect(const GpuArray *res, const char *want) {
  int64_t *got = calloc(test_size(res) + 1, sizeof *got);
  const size_t bytes = test_size(res) * sizeof *got;

  assert_code(want == NULL ? GA_NO_ERROR : GA_VALUE_ERROR,
              GpuArray_read(got, bytes, res));
  if (want != NULL)
    assert_string_equal(gpucontext_error(test_context(), GA_VALUE_ERROR), want);
  assert_ok(GpuArray_read(got, bytes, res));
  free(got);
}

static void check_search(const GpuArray *edges, const GpuArray *x,
                         const char *what) {
  char want[128] = "searchsorted: ";
  GpuArray res;

  assert_ok(GpuArray_searchsorted(&res, edges, x, 0));
  expect(&res, what != NULL ? strcat(want, what) : NULL);
  GpuArray_clear(&res);
}

static void check_histogram(const GpuArray *edges, const GpuArray *x,
                            const char *what) {
  char want[128] = "histogram: ";
  GpuArray res;

  assert_ok(GpuArray_histogram(&res, x, edges, NULL));
  expect(&res, what != NULL ? strcat(want, what) : NULL);
  GpuArray_clear(&res);
}

/* --- one decrease among n edges --- */

/* Edges 0, 1, ... n - 1 with edge `at` halved, unless `at` is 0. */
static void check_one(size_t n, size_t at) {
  static const size_t three = 3;
  float *e = calloc(n, sizeof *e);
  char want[96];
  GpuArray edges, x;

  for (size_t i = 0; i < n; i++)
    e[i] = (float)i;
  e[at] = (float)at / 2;
  snprintf(want, sizeof want, "edges decrease from %zu to %.9g at position %zu",
           at - 1, (double)at / 2, at);
  test_array(&edges, GA_FLOAT, 1, &n, e);
  test_array(&x, GA_FLOAT, 1, &three, e);
  check_search(&edges, &x, at > 0 ? want : NULL);
  check_histogram(&edges, &x, at > 0 ? want : NULL);
  GpuArray_clear(&edges);
  GpuArray_clear(&x);
  free(e);
}

/* Edges that fit local memory and others; where parts begin and end. */
static void all_places(void) {
  static const size_t sizes[] = {4, 128, 129, 1024, 1025, 8192, 8193, 20000};

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    check_one(sizes[i], 0);
    check_one(sizes[i], 3);
    check_one(sizes[i], sizes[i] - 1);
  }
  check_one(20000, 8191);
  check_one(20000, 8192);
  check_one(20000, 8193);
}

static void test_places(void **state) {
  (void)state;
  test_mappings(all_places);
}

/* --- values --- */

static void check_values(int dtype, const double *v, const char *want) {
  static const size_t n = 4;
  char data[4 * 8] = {0};
  GpuArray edges;

  for (size_t i = 0; i < n; i++)
    test_set(data, dtype, i, v[i]);
  test_array(&edges, dtype, 1, &n, data);
  check_search(&edges, &edges, want);
  check_histogram(&edges, &edges, want);
  GpuArray_clear(&edges);
}

static void test_dtypes(void **state) {
  static const int types[] = {GA_BYTE,  GA_UBYTE, GA_SHORT,  GA_INT,   GA_LONG,
                              GA_ULONG, GA_HALF,  GA_BFLOAT, GA_DOUBLE};
  const int has_double = gpucontext_caps(test_context())->fp64;

  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof *types - !has_double; i++) {
    check_values(types[i], (double[]){1, 1, 2, 100}, NULL);
    check_values(types[i], (double[]){1, 100, 64, 65},
                 "edges decrease from 100 to 64 at position 2");
  }
  check_values(GA_BOOL, (double[]){0, 1, 0, 1},
               "edges decrease from 1 to 0 at position 2");
  check_values(GA_INT, (double[]){-3, -4, 0, 1},
               "edges decrease from -3 to -4 at position 1");
}

static void test_wide(void **state) {
  static const size_t n = 2;
  static const int64_t below[2] = {INT64_MIN + 1, INT64_MIN};
  static const uint64_t above[2] = {UINT64_MAX, UINT64_MAX - 1};
  GpuArray edges;

  (void)state;
  test_array(&edges, GA_LONG, 1, &n, below);
  check_search(&edges, &edges,
               "edges decrease from -9223372036854775807 to "
               "-9223372036854775808 at position 1");
  GpuArray_clear(&edges);
  test_array(&edges, GA_ULONG, 1, &n, above);
  check_search(&edges, &edges,
               "edges decrease from 18446744073709551615 to "
               "18446744073709551614 at position 1");
  GpuArray_clear(&edges);
}

/* NaN is last, as where arrays are sorted; zeros are equal. */
static void test_odd(void **state) {
  (void)state;
  check_values(GA_FLOAT, (double[]){-INFINITY, 0.0, -0.0, INFINITY}, NULL);
  check_values(GA_FLOAT, (double[]){1, INFINITY, NAN, NAN}, NULL);
  check_values(GA_FLOAT, (double[]){1, NAN, 2, 3},
               "edges decrease from nan to 2 at position 2");
  check_values(GA_FLOAT, (double[]){1, 2, 3, -INFINITY},
               "edges decrease from 3 to -inf at position 3");
}

/* --- rows --- */

/* A row begins below the end of the one before it. */
static void all_rows(void) {
  static const size_t dims[3] = {2, 3, 4};
  float e[24];
  GpuArray edges, turned;

  for (size_t i = 0; i < 24; i++)
    e[i] = (float)(i % 4);
  test_array(&edges, GA_FLOAT, 3, dims, e);
  check_search(&edges, &edges, NULL);
  GpuArray_clear(&edges);
  e[18] = 0.5f;
  test_array(&edges, GA_FLOAT, 3, dims, e);
  test_array_strided(&turned, GA_FLOAT, 3, dims, (ssize_t[]){1, -2, 7}, e);
  check_search(&edges, &edges, "edges decrease from 1 to 0.5 at position 18");
  check_search(&turned, &edges, "edges decrease from 1 to 0.5 at position 18");
  GpuArray_clear(&edges);
  GpuArray_clear(&turned);
}

static void test_rows(void **state) {
  (void)state;
  test_mappings(all_rows);
}

static void test_few(void **state) {
  static const size_t none = 0, one = 1, two = 2, rows[2] = {2, 1};
  static const float v[2] = {2, 1};
  GpuArray nothing, single, pair, edges;

  (void)state;
  test_array(&nothing, GA_FLOAT, 1, &none, v);
  test_array(&single, GA_FLOAT, 1, &one, v);
  test_array(&pair, GA_FLOAT, 1, &two, v);
  test_array(&edges, GA_FLOAT, 2, rows, v);
  check_search(&nothing, &pair, NULL);
  check_search(&single, &pair, NULL);
  check_search(&edges, &edges, NULL);
  check_search(&pair, &nothing, NULL); /* nothing searched, nothing checked */
  check_histogram(&single, &pair, NULL);
  check_histogram(&pair, &nothing, "edges decrease from 2 to 1 at position 1");
  GpuArray_clear(&nothing);
  GpuArray_clear(&single);
  GpuArray_clear(&pair);
  GpuArray_clear(&edges);
}

/* --- what is switched --- */

static const float wrong[3] = {1, 3, 2};

static GpuLaunch *prepare(GpuArray *x, GpuArray *res) {
  static const size_t n = 3;
  GpuLaunch *l;

  test_array(x, GA_FLOAT, 1, &n, wrong);
  assert_ok(GpuArray_empty(res, test_context(), GA_LONG, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_searchsorted_prepare(&l, res, x, x, 0));
  return l;
}

static void expect_kernels(GpuLaunch *l, unsigned int n) {
  GpuLaunchStats stats;

  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.kernels, n);
}

/* Without the guard the launch is as long as if there were none. */
static void test_launch(void **state) {
  GpuArray x, res;
  GpuLaunch *l = prepare(&x, &res);

  (void)state;
  assert_ok(GpuLaunch_run(l));
  expect(&res, "searchsorted: edges decrease from 3 to 2 at position 2");
  expect_kernels(l, 2);
  assert_ok(GpuLaunch_guard_indices(l, 0, NULL));
  assert_ok(GpuLaunch_run(l));
  expect(&res, NULL);
  expect_kernels(l, 1);
  assert_ok(GpuLaunch_guard_indices(l, 1, "model.c:42"));
  assert_ok(GpuLaunch_run(l));
  expect(&res,
         "searchsorted: edges decrease from 3 to 2 at position 2 (model.c:42)");
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&res);
}

static void test_off(void **state) {
  static const size_t n = 3;
  GpuArray x;

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  test_array(&x, GA_FLOAT, 1, &n, wrong);
  check_search(&x, &x, NULL);
  check_histogram(&x, &x, NULL);
  assert_ok(gpucontext_guard_indices(test_context(), 1));
  check_search(&x, &x, "edges decrease from 3 to 2 at position 2");
  GpuArray_clear(&x);
}

/* A launch without a guard answers its question, one with a guard does not. */
static void test_question(void **state) {
  static const size_t question = 7;
  const size_t *answer;
  GpuArray x, res;
  GpuLaunch *l = prepare(&x, &res);

  (void)state;
  assert_ok(GpuLaunch_set_question(l, &question, 1, NULL, 0));
  assert_null(GpuLaunch_renew(l));
  assert_null(GpuLaunch_renew_for(&question, 1, &answer));
  assert_ptr_equal(GpuLaunch_renew(NULL), l);
  assert_ok(GpuLaunch_guard_indices(l, 0, NULL));
  assert_null(GpuLaunch_renew(l));
  assert_null(GpuLaunch_renew_for(&question, 1, &answer));
  assert_ptr_equal(GpuLaunch_renew(NULL), l);
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_null(GpuLaunch_renew(l));
  assert_ptr_equal(GpuLaunch_renew_for(&question, 1, &answer), l);
  assert_ok(GpuLaunch_run(l));
  expect(&res, NULL);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&res);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, guard_on, guard_back)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_places), TEST(test_dtypes), TEST(test_wide),
      TEST(test_odd),    TEST(test_rows),   TEST(test_few),
      TEST(test_launch), TEST(test_off),    TEST(test_question)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
