/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection and searching in graphs: gradients, sizes that calls decide, NaN,
 * and messages. The table of cases (cases.c) and NumPy (numpy/order.c) judge
 * values. */
#include <math.h>
#include <stdlib.h>

#include "support/graph_case.h"

static const float values[8] = {3, 1, 2, 2.5f, -1, 0, 7, 4};
static const size_t rows[2] = {2, 4};

static void gradients_are_those_of_differences(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y[6];
  unsigned int n = 0;

  (void)state;
  float_array(&a, 2, rows, values);
  y[n++] = gg_sum_axis(gg_sqr(gg_topk(x, gg_i64(g, 2), 1, 0, NULL)), 1);
  y[n++] =
      gg_sum_axis(gg_sqr(gg_topk(x, gg_i64(g, 3), 1,
                                 GA_TOPK_SMALLEST | GA_TOPK_UNSORTED, NULL)),
                  1);
  y[n++] = gg_sqr(gg_kth(x, gg_i64(g, -2), 1, NULL));
  y[n++] = gg_sqr(gg_median(x, 1));
  y[n++] = gg_sqr(gg_quantile(x, 0.3, 1, GG_QUANTILE_LINEAR));
  y[n++] = gg_sqr(gg_quantile(x, 0.9, 1, GG_QUANTILE_HIGHER));
  assert_ok(
      gg_check_gradient(gg_stack(0, n, y), 1, &x, (GpuArray *[]){&a}, 0, 0));
}

/* A derivative along a direction, without the gradient. */
static void directions_are_taken_along(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const d = gg_input(g, "d", GA_FLOAT, 1);
  gg_var *y = gg_topk(x, gg_i64(g, 2), 0, 0, NULL), *dy;

  (void)state;
  assert_ok(gg_rop(&dy, 1, &y, 1, &x, &d));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, d), .outputs = GG_VARS(dy)});
  float_vector(&a, 4, (float[]){1, 4, 2, 3});
  float_vector(&b, 4, (float[]){10, 20, 30, 40});
  assert_ok(gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_floats(&out, (float[]){20, 40}, 2);
  gg_func_free(f);
}

/* Values with NaN keys last; the gradient goes where they came from. */
static void values_follow_keys(void **state) {
  gg_var *const keys = gg_input(g, "keys", GA_FLOAT, 1);
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1), *y, *d;
  gg_var *const weights =
      gg_constant(g, GA_FLOAT, 1, (size_t[]){4}, (float[]){1, 2, 3, 4});

  (void)state;
  gg_sort_by(&y, keys, 1, &x, 0, 0);
  assert_ok(gg_grad(&d, gg_sum(gg_mul(y, weights)), 1, &x));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(keys, x), .outputs = GG_VARS(y, d)});
  float_vector(&a, 4, (float[]){2, NAN, 1, 2});
  float_vector(&b, 4, (float[]){10, 20, 30, 40});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, (float[]){30, 10, 40, 20}, 4);
  assert_floats(&out2, (float[]){2, 4, 1, 3}, 4);
  gg_func_free(f);
}

/* k and the rank are arguments. */
static void calls_decide(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const k = gg_input(g, "k", GA_LONG, 0);
  gg_var *places;
  gg_var *const y = gg_topk(x, k, -1, 0, &places);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, k),
                         .outputs = GG_VARS(y, gg_kth(x, k, 0, NULL))});
  int64_t n;

  (void)state;
  (void)places;
  float_vector(&a, 8, values);
  for (n = 0; n < 8; n += 3) {
    test_array(&b, GA_LONG, 0, NULL, &n);
    assert_ok(
        gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2}));
    assert_int_equal(out.dimensions[0], n);
    assert_floats(&out, (float[]){7, 4, 3, 2.5f, 2, 1}, (size_t)n);
    assert_floats(&out2, &(float[]){-1, 0, 1, 2, 2.5f, 3, 4}[n], 1);
    GpuArray_clear(&b);
    GpuArray_clear(&out);
    GpuArray_clear(&out2);
  }
  n = 9;
  test_array(&b, GA_LONG, 0, NULL, &n);
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&a, &b},
                                           (GpuArray *[]){&out, &out2}));
  assert_non_null(strstr(gg_func_error(f), "9 of an axis of 8 elements"));
  gg_func_free(f);
}

/* Debug mode compares the kernels with the host; ranks are arguments. */
static void long_rows_are_split(void **state) {
  enum { N = 6000, ALL = 2 * N, MIDDLE = N / 2 };
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const k = gg_input(g, "k", GA_LONG, 0);
  gg_var *const ranks[2] = {k, gg_i64(g, -N)};
  gg_var *const y = gg_partition_ranks(x, 2, ranks, 0);
  gg_var *const at = gg_argpartition_ranks(x, 2, ranks, 0);
  gg_var *const taken = gg_take_along(x, 0, at);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, k),
                                            .outputs = GG_VARS(y, taken),
                                            .mode = GG_DEBUG});
  float *data = calloc(ALL, sizeof *data), *got = calloc(ALL, sizeof *got);
  int64_t rank = MIDDLE;

  (void)state;
  test_fill((char *)data, GA_FLOAT, ALL, -60, 60, 3);
  float_array(&a, 2, (size_t[]){N, 2}, data);
  test_array(&b, GA_LONG, 0, NULL, &rank);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(got, ALL * sizeof *got, &out));
  test_array_equal(&out2, got);
  for (size_t i = 0; i < N; i++) {
    const float v = got[2 * i], pivot = got[N];
    assert_true(i < MIDDLE ? v <= pivot : v >= pivot);
  }
  rank = N;
  GpuArray_clear(&b);
  test_array(&b, GA_LONG, 0, NULL, &rank);
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&a, &b},
                                           (GpuArray *[]){&out, &out2}));
  assert_non_null(
      strstr(gg_func_error(f), "rank 6000 of an axis of 6000 elements"));
  gg_func_free(f);
  free(data);
  free(got);
}

static void nan_is_largest_and_spoils_quantiles(void **state) {
  static const float some[6] = {1, NAN, 3, 5, 4, 6};
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs =
                             GG_VARS(gg_topk(x, gg_i64(g, 1), 1, 0, NULL),
                                     gg_quantile(x, 0, 1, GG_QUANTILE_LOWER))});
  float got[2];

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, some);
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2}));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_true(isnan(got[0]) && got[1] == 6);
  assert_ok(GpuArray_read(got, sizeof got, &out2));
  assert_true(isnan(got[0]) && got[1] == 4);
  gg_func_free(f);
}

static void equal_infinities_have_a_median(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs = GG_VARS(gg_median(x, 0), gg_quantile(x, 0.5, 0, 0))});

  (void)state;
  float_vector(&a, 2, (float[]){-INFINITY, -INFINITY});
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2}));
  assert_floats(&out, (float[]){-INFINITY}, 1);
  assert_floats(&out2, (float[]){-INFINITY}, 1);
  gg_func_free(f);
}

/* Expect that building failed with `part` in the message; begin anew. */
static void expect(const gg_var *v, const char *part) {
  assert_null(v);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("%s: no '%s'", gg_graph_error(g), part);
  gg_graph_free(g);
  g = gg_graph_new(test_context());
}

static gg_var *eight(void) {
  return gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){8});
}

static void mistakes_are_named(void **state) {
  gg_var *places = eight();

  (void)state;
  expect(gg_topk(eight(), gg_i64(g, 9), 0, 0, &places),
         "9 of an axis of 8 elements");
  assert_null(places);
  expect(gg_topk(eight(), gg_i64(g, -1), 0, 0, NULL), "-1 is not a size");
  expect(gg_topk(eight(), gg_i64(g, 1), 0, 8, NULL), "flags 0x8");
  expect(gg_topk(eight(), gg_f32(g, 1), 0, 0, NULL),
         "expected an integer scalar");
  expect(gg_topk(eight(), gg_i64(g, 1), 1, 0, NULL), "axis 1");
  expect(gg_topk(eight(), NULL, 0, 0, NULL), "NULL");
  expect(gg_kth(eight(), gg_i64(g, 8), 0, NULL),
         "rank 8 of an axis of 8 elements");
  expect(gg_kth(eight(), gg_i64(g, -9), 0, NULL),
         "rank -9 of an axis of 8 elements");
  expect(gg_partition(eight(), 8, 0), "rank 8 of an axis of 8 elements");
  expect(gg_argpartition(eight(), -9, 0), "rank -9 of an axis of 8 elements");
  expect(gg_partition_ranks(eight(), 0, &places, 0), "there are no ranks");
  expect(gg_partition_ranks(eight(), 1, (gg_var *[]){gg_f32(g, 1)}, 0),
         "expected an integer scalar");
  expect(gg_partition_ranks(eight(), 1, (gg_var *[]){NULL}, 0), "NULL");
  places = gg_f32(g, 1);
  expect(gg_sort_by(&places, eight(), 1, (gg_var *[]){gg_f32(g, 1)}, 0, 0),
         "values 0 have 0 dimensions, the keys 1");
  assert_null(places);
  expect(gg_quantile(eight(), 1.5, 0, GG_QUANTILE_LINEAR),
         "1.5 is not from 0 to 1");
  expect(gg_quantile(eight(), NAN, 0, GG_QUANTILE_LINEAR), "is not from 0");
  expect(gg_quantile(eight(), 0.5, 0, (gg_quantile_method)7), "method 7");
  expect(gg_median(gg_f32(g, 1), 0), "axis 0");
  expect(gg_median(gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){0}), 0),
         "axis 0 is empty");
}

static void searches_are_checked(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){2, 3});
  gg_var *e = gg_input_sized(g, "e", GA_FLOAT, 2, (int64_t[]){3, 3});

  (void)state;
  expect(gg_searchsorted(e, x, 0), "dim 0: the edges have 3, expected 2");
  expect(gg_searchsorted(gg_f32(g, 1), eight(), 0),
         "the edges have 0 dimensions, expected 1");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_bucketize(eight(), x, 0), "the edges are no vector");
  expect(gg_searchsorted(NULL, eight(), 0), "NULL");
}

static void keys_are_checked(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *keys[2] = {eight(), x};

  (void)state;
  expect(gg_lexsort(2, keys, 0), "key 1 has 2 dimensions, expected 1");
  keys[0] = eight();
  keys[1] = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){7});
  expect(gg_lexsort(2, keys, 0), "7");
  keys[0] = eight();
  keys[1] = NULL;
  expect(gg_lexsort(2, keys, 0), "operand 1 is NULL");
  assert_null(gg_lexsort(0, keys, 0));
}

static void counts_are_checked(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_INT, 1, (int64_t[]){8}), *edges = x;

  (void)state;
  expect(gg_bincount(eight(), NULL, gg_i64(g, 3)),
         "expected integers, got float32");
  x = gg_input_sized(g, "x", GA_INT, 1, (int64_t[]){8});
  expect(gg_bincount(x, NULL, gg_i64(g, -3)), "-3 is not a number of bins");
  x = gg_input_sized(g, "x", GA_INT, 1, (int64_t[]){8});
  expect(gg_bincount(x, NULL, x), "expected an integer scalar");
  x = gg_input_sized(g, "x", GA_INT, 1, (int64_t[]){7});
  expect(gg_bincount(x, eight(), gg_i64(g, 3)),
         "dim 0: the weights have 8, expected 7");
  x = gg_input(g, "x", GA_INT, 2);
  expect(gg_bincount(x, eight(), gg_i64(g, 3)), "rank");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_histogram(eight(), x, NULL), "the edges are no vector");
  x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){0});
  expect(gg_histogram(eight(), x, NULL), "there are no edges");
  expect(gg_histogram_bins(eight(), gg_i64(g, 4), eight(), NULL, NULL, &edges),
         "the range is no two scalars");
  assert_null(edges);
  expect(gg_histogram_bins(eight(), gg_i64(g, 0), NULL, NULL, NULL, &edges),
         "0 bins");
  expect(gg_histogram_bins(eight(), gg_i64(g, 3), gg_f32(g, 2), gg_f32(g, 1),
                           NULL, &edges),
         "no bins from 2 to 1");
  expect(gg_histogram2d(eight(), eight(), eight(), gg_f32(g, 1), NULL),
         "the edges are no vectors");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_histogram2d(eight(), x, eight(), eight(), NULL),
         "y has 2 dimensions, expected 1");
  x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){1});
  expect(gg_histogram2d(eight(), x, eight(), eight(), NULL), "dim 0");
}

/* The number of bins is an argument; half weights are summed as floats. */
static void calls_decide_bins(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  gg_var *const w = gg_cast(gg_mul(x, gg_f32(g, 20000)), GA_HALF);
  gg_var *const sums = gg_bincount(gg_cast(x, GA_INT), w, n);
  int64_t bins;

  (void)state;
  assert_int_equal(gg_var_type(sums)->dtype, GA_HALF);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, n),
                         .outputs = GG_VARS(gg_cast(sums, GA_FLOAT))});
  float_vector(&a, 5, (float[]){0, 1, 1, 3, -1});
  for (bins = 0; bins < 6; bins += 2) {
    test_array(&b, GA_LONG, 0, NULL, &bins);
    assert_ok(gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
    assert_int_equal(out.dimensions[0], bins);
    assert_floats(&out, (float[]){0, 40000, 0, 60000}, (size_t)bins);
    GpuArray_clear(&b);
    GpuArray_clear(&out);
  }
  bins = -1;
  test_array(&b, GA_LONG, 0, NULL, &bins);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "-1 is not a number of bins"));
  gg_func_free(f);
}

/* Every weight gets 0 where there are no bins. */
static void weights_have_gradients_without_bins(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const n = gg_input(g, "n", GA_LONG, 0), *dx[2];
  gg_var *const some = gg_sum(gg_bincount(gg_cast(x, GA_INT), gg_sqr(x), n));
  gg_var *const none = gg_sum(gg_histogram(x, gg_slice(x, 0, 0, 1, 1), x));
  int64_t bins;

  (void)state;
  assert_ok(gg_grad(&dx[0], some, 1, &x));
  assert_ok(gg_grad(&dx[1], none, 1, &x));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, n),
                                            .outputs = GG_VARS(dx[0], dx[1])});
  float_vector(&a, 4, (float[]){2, 1, -3, 5});
  for (bins = 0; bins < 4; bins += 3) {
    test_array(&b, GA_LONG, 0, NULL, &bins);
    assert_ok(
        gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2}));
    assert_floats(&out,
                  bins == 0 ? (float[]){0, 0, 0, 0} : (float[]){4, 2, 0, 0}, 4);
    assert_floats(&out2, (float[]){0, 0, 0, 0}, 4);
    GpuArray_clear(&b);
    GpuArray_clear(&out);
    GpuArray_clear(&out2);
  }
  gg_func_free(f);
}

/* Computed edges ascend from the smallest to the largest element, and no
 * element is lost, also where neighbouring floats are far apart. */
static void computed_edges_have_all_elements(void **state) {
  static const float ranges[][2] = {{0, 0.7f}, {1e8f, 1e8f + 24}, {-3, 1.1f}};
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const n = gg_input(g, "n", GA_LONG, 0), *edges;
  gg_var *const counts = gg_histogram_bins(x, n, NULL, NULL, NULL, &edges);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, n),
                                   .outputs = GG_VARS(edges, gg_sum(counts))});
  float got[121];

  (void)state;
  for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
    float_vector(&a, 2, ranges[r]);
    for (int64_t bins = 1; bins <= 120; bins += 7) {
      int64_t total;
      test_array(&b, GA_LONG, 0, NULL, &bins);
      assert_ok(
          gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2}));
      assert_int_equal(out.dimensions[0], bins + 1);
      test_gather(&out, got);
      test_gather(&out2, &total);
      assert_int_equal(total, 2);
      assert_true(got[0] == ranges[r][0] && got[bins] == ranges[r][1]);
      for (int64_t i = 0; i < bins; i++)
        assert_true(got[i] <= got[i + 1]);
      GpuArray_clear(&b);
      GpuArray_clear(&out);
      GpuArray_clear(&out2);
    }
    GpuArray_clear(&a);
  }
  gg_func_free(f);
}

/* NaN among the elements makes all edges NaN: no bin has an element then. */
static void nan_is_not_counted(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const counts =
      gg_histogram_bins(x, gg_i64(g, 3), NULL, NULL, NULL, NULL);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_cast(counts, GA_FLOAT))});

  (void)state;
  float_vector(&a, 3, (float[]){1, NAN, 2});
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_floats(&out, (float[]){0, 0, 0}, 3);
  gg_func_free(f);
}

/* Calls check what the graph does not know. */
static void rows_of_edges_are_checked(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const e = gg_input(g, "e", GA_FLOAT, 2);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, e),
                         .outputs = GG_VARS(gg_searchsorted(e, x, 0))});

  (void)state;
  float_array(&a, 2, rows, values);
  float_array(&b, 2, (size_t[]){4, 2}, values);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_non_null(
      strstr(gg_func_error(f), "dim 0: the edges have 4, expected 2"));
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(directions_are_taken_along, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(values_follow_keys, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(calls_decide, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(long_rows_are_split, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(nan_is_largest_and_spoils_quantiles,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(equal_infinities_have_a_median,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(keys_are_checked, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(counts_are_checked, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(calls_decide_bins, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(weights_have_gradients_without_bins,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(computed_edges_have_all_elements,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(nan_is_not_counted, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(searches_are_checked, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(rows_of_edges_are_checked, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(mistakes_are_named, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
