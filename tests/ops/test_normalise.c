/* SPDX-License-Identifier: BSD-2-Clause */
/* Normalisations and dropout against plain loops in double, and their
 * gradients against differences. */
#include "support/graph_case.h"

#include <gpugraph/normalise.h>
#include <math.h>

enum { N = 3, C = 4, S = 5, ALL = N * C * S };

static const size_t dims[3] = {N, C, S}, channels[1] = {C};
static float x_data[ALL], scale_data[C], bias_data[C];
static const double epsilon = 1e-3;

static void fill(void) {
  test_fill(x_data, GA_FLOAT, ALL, -2, 3, 8);
  test_fill(scale_data, GA_FLOAT, C, 0.5, 2, 9);
  test_fill(bias_data, GA_FLOAT, C, -1, 1, 10);
}

/* Which elements share their statistics. */
static size_t everything(size_t i) {
  return i / (C * S);
}

static size_t pair_of_channels(size_t i) {
  return i / (2 * S);
}

static size_t row(size_t i) {
  return i / S;
}

static size_t channel(size_t i) {
  return i / S % C;
}

static void statistics(size_t (*part)(size_t), size_t i, double *mean,
                       double *variance, double *square) {
  double n = 0, sum = 0, squares = 0;

  for (size_t k = 0; k < ALL; k++)
    if (part(k) == part(i)) {
      n += 1;
      sum += (double)x_data[k];
      squares += (double)x_data[k] * (double)x_data[k];
    }
  *mean = sum / n;
  *square = squares / n;
  *variance = *square - *mean * *mean;
}

static void run(gg_var *x, gg_var *scale, gg_var *bias, gg_var *y,
                const float *want) {
  GpuArray in[3], got = {NULL};
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, scale, bias),
                                            .outputs = GG_VARS(y),
                                            .flags = GG_ALLOW_UNUSED_INPUT});

  test_array(&in[0], GA_FLOAT, 3, dims, x_data);
  test_array(&in[1], GA_FLOAT, 1, channels, scale_data);
  test_array(&in[2], GA_FLOAT, 1, channels, bias_data);
  func_run(f, (GpuArray *[]){&in[0], &in[1], &in[2]}, (GpuArray *[]){&got});
  test_array_close(&got, want, 1e-4, 1e-4);
  GpuArray_clear(&got);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&in[i]);
  gg_func_free(f);
}

static void check(size_t (*part)(size_t), gg_var *x, gg_var *scale,
                  gg_var *bias, gg_var *y, int is_rms, int is_scaled) {
  float want[ALL];

  for (size_t i = 0; i < ALL; i++) {
    double mean, variance, square;
    statistics(part, i, &mean, &variance, &square);
    const double v =
        is_rms ? (double)x_data[i] / sqrt(square + epsilon)
               : ((double)x_data[i] - mean) / sqrt(variance + epsilon);
    const size_t c = channel(i);
    want[i] =
        (float)(is_scaled ? v * (double)scale_data[c] + (double)bias_data[c]
                          : v);
  }
  run(x, scale, bias, y, want);
}

static void values_are_those_of_a_loop(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){N, C, S});
  gg_var *s = gg_input(g, "s", GA_FLOAT, 1),
         *b_in = gg_input(g, "b", GA_FLOAT, 1);

  (void)state;
  fill();
  check(everything, x, s, b_in, gg_layer_norm(x, 1, NULL, NULL, epsilon), 0, 0);
  check(row, x, s, b_in, gg_rms_norm(x, -1, NULL, epsilon), 1, 0);
  check(pair_of_channels, x, s, b_in, gg_group_norm(x, 2, s, b_in, epsilon), 0,
        1);
  check(row, x, s, b_in, gg_instance_norm(x, s, b_in, epsilon), 0, 1);
}

/* No images; and channels that are no multiple of the groups. */
static void groups_fit_when_called(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(gg_group_norm(
                                                x, 2, NULL, NULL, epsilon))});

  (void)state;
  fill();
  test_array(&a, GA_FLOAT, 3, (size_t[]){0, 4, 5}, x_data);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(out.dimensions[1], 4);
  test_array(&b, GA_FLOAT, 3, (size_t[]){2, 3, 4}, x_data);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&b}, (GpuArray *[]){&out}));
  gg_func_free(f);
}

static void batches_update_running_statistics(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){N, C, S});
  gg_var *s = gg_input(g, "s", GA_FLOAT, 1),
         *b_in = gg_input(g, "b", GA_FLOAT, 1);
  gg_var *made[3];
  float mean_want[ALL], variance_want[ALL];

  (void)state;
  fill();
  /* scale and bias serve as the old running statistics. */
  assert_ok(gg_batch_norm_train(made, x, s, b_in, s, b_in, 0.25, 1, epsilon));
  check(channel, x, s, b_in, made[0], 0, 1);
  for (size_t c = 0; c < C; c++) {
    double mean, variance, square;
    statistics(channel, c * S, &mean, &variance, &square);
    mean_want[c] = (float)(0.75 * (double)scale_data[c] + 0.25 * mean);
    variance_want[c] = (float)(0.75 * (double)bias_data[c] +
                               0.25 * variance * N * S / (N * S - 1));
  }
  run(x, s, b_in, made[1], mean_want);
  run(x, s, b_in, made[2], variance_want);
  /* Inference with the statistics of the batch gives the same. */
  const int axes[2] = {0, 2};
  check(channel, x, s, b_in,
        gg_batch_norm(x, s, b_in, gg_mean_axes(x, 2, axes, 0),
                      gg_variance(x, 2, axes, 0, 0), epsilon),
        0, 1);
}

static void check_responses(gg_var *x, gg_var *y, double beta) {
  gg_var *s = gg_input(g, "s", GA_FLOAT, 1),
         *b_in = gg_input(g, "b", GA_FLOAT, 1);
  float want[ALL];

  for (size_t i = 0; i < ALL; i++) {
    const size_t c = channel(i);
    double sum = 0;
    for (size_t k = c > 0 ? c - 1 : 0; k < C && k <= c + 1; k++) {
      const double v = (double)x_data[i - c * S + k * S];
      sum += v * v;
    }
    want[i] = (float)((double)x_data[i] / pow(2 + 0.3 / 3 * sum, beta));
  }
  run(x, s, b_in, y, want);
}

/* Of signals, and of images of the same elements. */
static void responses_are_those_of_a_loop(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){N, C, S});
  gg_var *image = gg_reshape(x, 4, (int64_t[]){N, C, 1, S});

  (void)state;
  fill();
  check_responses(x, gg_local_response_norm(x, 3, 0.3, 0.75, 2), 0.75);
  image = gg_local_response_norm(image, 3, 0.3, 0.6, 2);
  check_responses(x, gg_reshape(image, 3, (int64_t[]){N, C, S}), 0.6);
}

static void gradients_agree_with_differences(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){N, C, S});
  gg_var *y = gg_group_norm(x, 2, NULL, NULL, epsilon);

  (void)state;
  fill();
  test_array(&a, GA_FLOAT, 3, dims, x_data);
  y = gg_add(y, gg_local_response_norm(x, 4, 0.3, 0.75, 2));
  assert_ok(gg_check_gradient(gg_mean(gg_sin(y)), 1, &x, (GpuArray *[]){&a},
                              1e-2, 3e-2));
}

static void dropout_keeps_the_mean(void **state) {
  enum { MANY = 20000 };
  static float ones[MANY], y[MANY], first[MANY];
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *gradient;
  gg_random *r = gg_random_new(g, GG_PHILOX, 5);
  gg_var *dropped = gg_dropout(r, x, 0.25);
  GpuArray got[2] = {{NULL}, {NULL}};
  size_t zeros = 0;

  (void)state;
  assert_ok(gg_grad(&gradient, gg_sum(dropped), 1, &x));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(dropped, gradient)});
  for (int i = 0; i < MANY; i++)
    ones[i] = 1;
  test_array(&a, GA_FLOAT, 1, (size_t[]){MANY}, ones);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1]});
  test_gather(&got[0], y);
  test_gather(&got[1], first);
  for (int i = 0; i < MANY; i++) {
    zeros += y[i] == 0;
    assert_true(y[i] == 0 || fabsf(y[i] - 4.f / 3) < 1e-6f);
    assert_true(y[i] == first[i]);
  }
  assert_in_range(zeros, MANY / 4 - 300, MANY / 4 + 300);
  GpuArray_clear(&got[0]);
  GpuArray_clear(&got[1]);
  gg_random_free(r);
  gg_func_free(f);
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){2, 3, 4});
  gg_var *i = gg_input(g, "i", GA_INT, 1), *made[3];

  (void)state;
  graph_refused(gg_group_norm(x, 2, NULL, NULL, 0),
                "group_norm(float32[2, 3, 4]): 3 channels are no multiple of "
                "2 groups");
  graph_refused(gg_instance_norm(x, x, NULL, 0),
                "instance_norm(float32[2, 3, 4], float32[2, 3, 4]): expected a "
                "vector of channels, got "
                "3 dimensions");
  graph_refused(gg_layer_norm(i, 0, NULL, NULL, 0),
                "layer_norm(int32[?]): expected a float dtype");
  gg_var *scale = gg_input_sized(g, "s", GA_FLOAT, 1, (int64_t[]){3});
  assert_null(gg_layer_norm(x, -1, scale, NULL, 0));
  graph_says(GA_VALUE_ERROR, "layer_norm(float32[2, 3, 4], float32[3]): scale "
                             "and bias broadcast to the sizes of x; computed "
                             "as mul(");
  graph_refused(gg_dropout(NULL, x, 1),
                "dropout(float32[2, 3, 4]): the probability "
                "is 1, expected 0 or more and below 1");
  graph_refused(
      gg_local_response_norm(x, 0, 1, 1, 1),
      "local_response_norm(float32[2, 3, 4]): 0 channels around each one");
  assert_code(GA_VALUE_ERROR,
              gg_batch_norm_train(made, x, NULL, NULL, NULL, NULL, 0, 0, 0));
  gg_graph_reset_error(g);
  gg_var *whole = gg_input(g, "w", GA_INT, 3);
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_batch_norm_train(made, whole, NULL, NULL, i, i, 0, 0, 0));
  gg_graph_reset_error(g);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(values_are_those_of_a_loop),
                                     TEST(groups_fit_when_called),
                                     TEST(batches_update_running_statistics),
                                     TEST(responses_are_those_of_a_loop),
                                     TEST(gradients_agree_with_differences),
                                     TEST(dropout_keeps_the_mean),
                                     TEST(what_does_not_fit_is_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
