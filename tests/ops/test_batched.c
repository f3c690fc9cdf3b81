/* SPDX-License-Identifier: BSD-2-Clause */
/* Batched products beyond the case table: which operands are taken without a
 * copy, sizes of 0, and what is refused. */
#include <string.h>

#include "support/graph_case.h"

enum { BATCH = 3, M = 2, K = 4, N = 5 };

/* Element (i, r, c) of a factor, whatever the order in memory. */
static float factor(size_t i, size_t r, size_t c) {
  return (float)(i * 7 + r * 3 + c * 5) / 8 - 2;
}

/* A factor [BATCH, rows, cols] whose axis i is axis order[i] in memory. */
static gg_var *stored(const char *name, size_t rows, size_t cols,
                      const int *order) {
  const size_t n = BATCH * rows * cols;
  size_t dims[3], step[3];
  float v[BATCH * K * N];

  dims[order[0]] = BATCH;
  dims[order[1]] = rows;
  dims[order[2]] = cols;
  step[2] = 1;
  step[1] = dims[2];
  step[0] = dims[1] * dims[2];
  for (size_t i = 0; i < n; i++) {
    const size_t at[3] = {i / step[0], i / step[1] % dims[1], i % dims[2]};

    v[i] = factor(at[order[0]], at[order[1]], at[order[2]]);
  }
  return gg_dimshuffle(gg_shared_host(g, name, GA_FLOAT, 3, dims, v), 3, order);
}

static void check_product(const GpuArray *z) {
  float got[BATCH * M * N];

  assert_int_equal(test_size(z), BATCH * M * N);
  test_gather(z, got);
  for (size_t i = 0; i < BATCH; i++)
    for (size_t r = 0; r < M; r++)
      for (size_t c = 0; c < N; c++) {
        float want = 0;

        for (size_t k = 0; k < K; k++)
          want += factor(i, r, k) * factor(i, k, c);
        assert_float_equal(got[(i * M + r) * N + c], want, 1e-4);
      }
}

/* Steps of a product of factors that lie in these orders. */
static size_t steps_of(const int *order_a, const int *order_b) {
  gg_var *z =
      gg_batched_dot(stored("a", M, K, order_a), stored("b", K, N, order_b));
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(z)});

  func_run(f, NULL, (GpuArray *[]){&out});
  check_product(&out);
  size_t steps = func_stats(f).steps;
  GpuArray_clear(&out);
  gg_func_free(f);
  return steps;
}

/* All orders of axes but those whose last axis is the batch. */
static void views_are_taken_as_they_are(void **state) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}};
  static const int batch_last[3] = {2, 0, 1};
  const size_t n = sizeof orders / sizeof orders[0];

  (void)state;
  for (size_t i = 0; i < n; i++)
    assert_int_equal(steps_of(orders[i], orders[(i * 3 + 1) % n]), 1);
  assert_int_equal(steps_of(orders[0], batch_last), 2);
}

/* --- written over a variable --- */

static void an_update_is_one_kernel(void **state) {
  static const int plain[3] = {0, 1, 2};
  float v[BATCH * M * N], want[BATCH * M * N];
  gg_func *f;

  (void)state;
  for (size_t i = 0; i < BATCH * M * N; i++) {
    v[i] = (float)i / 4;
    want[i] = 0.5f * v[i];
    for (size_t k = 0; k < K; k++)
      want[i] -=
          2 * factor(i / (M * N), i / N % M, k) * factor(i / (M * N), k, i % N);
  }
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 3, (size_t[]){BATCH, M, N}, v);
  gg_var *z =
      gg_batched_dot(stored("a", M, K, plain), stored("b", K, N, plain));
  z = gg_sub(gg_mul(gg_f32(g, 0.5f), w), gg_mul(gg_f32(g, 2), z));
  f = func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, z})});
  func_run(f, NULL, NULL);
  assert_shared(w, want, BATCH * M * N);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
}

/* --- sizes of 0 --- */

/* A function of two batches of matrices of any size. */
static gg_func *product_func(void) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3), *y = gg_input(g, "y", GA_FLOAT, 3);

  return func_make(g,
                   &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_batched_dot(x, y))});
}

static void clear_arrays(void) {
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
}

static void check_empty(gg_func *f, const size_t *x_dims, const size_t *y_dims,
                        size_t n) {
  const float v[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8] = {0};

  float_array(&a, 3, x_dims, v);
  float_array(&b, 3, y_dims, v);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, zeros, n);
  clear_arrays();
}

static void sizes_may_be_0(void **state) {
  gg_func *f = product_func();

  (void)state;
  check_empty(f, (size_t[]){0, 2, 2}, (size_t[]){0, 2, 2}, 0);
  check_empty(f, (size_t[]){2, 0, 2}, (size_t[]){2, 2, 2}, 0);
  check_empty(f, (size_t[]){2, 2, 2}, (size_t[]){2, 2, 0}, 0);
  check_empty(f, (size_t[]){2, 2, 0}, (size_t[]){2, 0, 2}, 8);
  gg_func_free(f);
}

/* --- what is refused --- */

static gg_var *sized(int dtype, unsigned int nd, int64_t d0, int64_t d1,
                     int64_t d2) {
  return gg_input_sized(g, "x", dtype, nd, (int64_t[]){d0, d1, d2});
}

static void refuses(gg_var *x, gg_var *y, int code, const char *message) {
  assert_null(gg_batched_dot(x, y));
  assert_int_equal(gg_graph_status(g), code);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void sizes_that_differ_are_refused(void **state) {
  (void)state;
  refuses(sized(GA_FLOAT, 3, 2, 3, 4), sized(GA_FLOAT, 3, 5, 4, 3),
          GA_VALUE_ERROR,
          "batched_dot(float32[2, 3, 4], float32[5, 4, 3]): batch sizes 2 and "
          "5 differ");
  refuses(sized(GA_FLOAT, 3, 1, 3, 4), sized(GA_FLOAT, 3, 5, 4, 3),
          GA_VALUE_ERROR,
          "batched_dot(float32[1, 3, 4], float32[5, 4, 3]): batch sizes 1 and "
          "5 differ");
  refuses(sized(GA_FLOAT, 3, GG_ANY, 3, 4), sized(GA_FLOAT, 2, 2, 5, 0),
          GA_VALUE_ERROR,
          "batched_dot(float32[?, 3, 4], float32[2, 5, 1]): inner sizes 4 and "
          "5 differ");
}

static void operands_that_are_no_batches_are_refused(void **state) {
  gg_var *x = sized(GA_FLOAT, 3, 2, 3, 4);

  (void)state;
  refuses(x, gg_f32(g, 1), GA_VALUE_ERROR,
          "batched_dot(float32[2, 3, 4], float32): a scalar has no axis for "
          "the batch");
  refuses(gg_input(g, "x", GA_FLOAT, 4), x, GA_UNSUPPORTED_ERROR,
          "batched_dot(float32[?, ?, ?, ?], float32[2, 3, 4]): more than 3 "
          "dimensions");
  refuses(sized(GA_INT, 3, 2, 3, 4), sized(GA_INT, 3, 2, 4, 3),
          GA_UNSUPPORTED_ERROR,
          "batched_dot(int32[2, 3, 4], int32[2, 4, 3]): expected a float "
          "or complex dtype");
  assert_null(gg_batched_dot(NULL, x));
  assert_null(gg_batched_dot(x, NULL));
}

static void check_call(gg_func *f, const size_t *x_dims, const size_t *y_dims,
                       const char *message) {
  const float v[24] = {0};

  float_array(&a, 3, x_dims, v);
  float_array(&b, 3, y_dims, v);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_string_equal(gg_func_error(f), message);
  clear_arrays();
}

static void a_call_of_other_sizes_is_refused(void **state) {
  gg_func *f = product_func();

  (void)state;
  check_call(f, (size_t[]){2, 3, 4}, (size_t[]){3, 4, 2},
             "function: batched_dot(float32[2, 3, 4], float32[3, 4, 2]): batch "
             "sizes 2 and 3 differ");
  check_call(f, (size_t[]){2, 3, 4}, (size_t[]){2, 3, 4},
             "function: batched_dot(float32[2, 3, 4], float32[2, 3, 4]): inner "
             "sizes 4 and 3 differ");
  gg_func_free(f);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(views_are_taken_as_they_are),
      TEST(an_update_is_one_kernel),
      TEST(sizes_may_be_0),
      TEST(sizes_that_differ_are_refused),
      TEST(operands_that_are_no_batches_are_refused),
      TEST(a_call_of_other_sizes_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
