/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers against plain loops in double over their parameters. */
#include "nn/params_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static double x_data[MOST], got[MOST], want[MOST], weight[MOST], bias[MOST];

/* An input of these sizes, and values for it. */
static gg_var *make_x(unsigned int nd, const size_t *dims) {
  int64_t sizes[GG_MAX_ND];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++) {
    n *= dims[i];
    sizes[i] = i == 0 ? GG_ANY : (int64_t)dims[i];
  }
  test_fill(x_data, GA_DOUBLE, n, -2, 2, 3);
  test_array(&a, GA_DOUBLE, nd, dims, x_data);
  return gg_input_sized(g, "x", GA_DOUBLE, nd, sizes);
}

static size_t count(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  size_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  return n;
}

static void read_param(const char *name, double *to) {
  gg_var *v = gg_params_find(p, name);

  assert_non_null(v);
  assert_ok(gg_shared_read(v, to, count(v) * sizeof *to));
}

/* The value of y for the array `a`. */
static void compute(gg_var *x, gg_var *y) {
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});

  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, test_size(&out) * sizeof *got, &out));
  gg_func_free(f);
}

/* Values, and in the full tests gradients, which cost kernels. */
static void check(gg_var *x, gg_var *y, size_t n) {
  compute(x, y);
  assert_int_equal(test_size(&out), n);
  test_close(GA_DOUBLE, got, want, n, 1e-9, 1e-9);
  if (!test_is_quick())
    assert_ok(gg_check_gradient(y, 1, &x, (GpuArray *[]){&a}, 0, 0));
}

/* --- products --- */

static void dense_rows(size_t rows, size_t inputs, size_t units) {
  for (size_t i = 0; i < rows; i++)
    for (size_t u = 0; u < units; u++) {
      double sum = bias[u];
      for (size_t k = 0; k < inputs; k++)
        sum += x_data[i * inputs + k] * weight[u * inputs + k];
      want[i * units + u] = sum;
    }
}

static void dense_is_a_product_and_a_bias(void **state) {
  (void)state;
  test_need_double();
  gg_var *x = make_x(2, (size_t[]){5, 7});
  gg_var *y = gg_nn_dense(p, "d", x, 3, 0);
  read_param("d.weight", weight);
  read_param("d.bias", bias);
  for (int i = 0; i < 21; i++)
    assert_true(fabs(weight[i]) <= 1 / sqrt(7));
  dense_rows(5, 7, 3);
  check(x, y, 15);
  assert_ptr_equal(gg_nn_dense(p, "d", x, 3, 0), y);
}

static void dense_takes_any_rank(void **state) {
  (void)state;
  test_need_double();
  gg_var *x = make_x(3, (size_t[]){2, 5, 7});
  gg_var *y = gg_nn_dense(p, "d", x, 3, GG_NN_NO_BIAS);
  assert_null(gg_params_find(p, "d.bias"));
  read_param("d.weight", weight);
  memset(bias, 0, sizeof bias);
  dense_rows(10, 7, 3);
  check(x, y, 30);
}

static void embeddings_are_rows_of_a_table(void **state) {
  const int64_t at[6] = {4, 0, 2, 2, 1, 3};
  gg_var *i = gg_input(g, "i", GA_LONG, 2);

  (void)state;
  test_need_double();
  gg_var *y = gg_nn_embedding(p, "e", i, 5, 3);
  assert_int_equal(gg_var_type(y)->nd, 3);
  read_param("e.weight", weight);
  for (int k = 0; k < 18; k++)
    want[k] = weight[3 * at[k / 3] + k % 3];
  test_array(&a, GA_LONG, 2, (size_t[]){2, 3}, at);
  compute(i, y);
  assert_int_equal(out.dimensions[0], 2);
  assert_int_equal(out.dimensions[1], 3);
  test_close(GA_DOUBLE, got, want, 18, 0, 0);
}

/* 1 image of 4 channels in 2 groups, 6 filters of 3 positions, stride 2. */
static void convolutions_have_filters_and_a_bias(void **state) {
  const GpuConv c = {.nd = 1,
                     .stride = {2},
                     .dilation = {1},
                     .before = {1},
                     .after = {1},
                     .groups = 2};

  (void)state;
  test_need_double();
  gg_var *x = make_x(3, (size_t[]){1, 4, 9});
  gg_var *y = gg_nn_conv(p, "c", x, 6, (size_t[]){3}, &c, 0);
  read_param("c.weight", weight);
  read_param("c.bias", bias);
  for (int f = 0; f < 6; f++)
    for (int o = 0; o < 5; o++) {
      double sum = bias[f];
      for (int k = 0; k < 6; k++) {
        const int channel = f / 3 * 2 + k / 3, at = 2 * o + k % 3 - 1;
        if (at >= 0 && at < 9)
          sum += weight[f * 6 + k] * x_data[channel * 9 + at];
      }
      want[f * 5 + o] = sum;
    }
  check(x, y, 30);
}

/* --- normalisation --- */

static void layers_are_normalised(void **state) {
  (void)state;
  test_need_double();
  gg_var *x = make_x(2, (size_t[]){3, 6});
  gg_var *y = gg_nn_layer_norm(p, "n", x, -1);
  test_fill(weight, GA_DOUBLE, 6, 0.5, 2, 4);
  test_fill(bias, GA_DOUBLE, 6, -1, 1, 5);
  assert_ok(gg_shared_write(gg_params_find(p, "n.weight"), weight, 48));
  assert_ok(gg_shared_write(gg_params_find(p, "n.bias"), bias, 48));
  for (int i = 0; i < 3; i++) {
    double sum = 0, squares = 0;
    for (int k = 0; k < 6; k++) {
      sum += x_data[6 * i + k] / 6;
      squares += x_data[6 * i + k] * x_data[6 * i + k] / 6;
    }
    for (int k = 0; k < 6; k++)
      want[6 * i + k] = (x_data[6 * i + k] - sum) /
                            sqrt(squares - sum * sum + 1e-5) * weight[k] +
                        bias[k];
  }
  check(x, y, 18);
}

static void channel_statistics(int n, int channels, double *mean, double *var) {
  for (int c = 0; c < channels; c++) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
      sum += x_data[i * channels + c] / n;
      squares += x_data[i * channels + c] * x_data[i * channels + c] / n;
    }
    mean[c] = sum;
    var[c] = squares - sum * sum;
  }
}

/* The states of a layer for training have next values; inference uses them. */
static void batches_are_normalised(void **state) {
  enum { N = 8, C = 3 };
  const double mean[C] = {0.5, -1, 2}, var[C] = {1, 4, 0.25};
  double m[C], v[C];

  (void)state;
  test_need_double();
  gg_var *x = make_x(2, (size_t[]){N, C});
  gg_var *y = gg_nn_batch_norm(p, "b", x);
  channel_statistics(N, C, m, v);
  for (int i = 0; i < N * C; i++)
    want[i] = (x_data[i] - m[i % C]) / sqrt(v[i % C] + 1e-5);
  check(x, y, N * C);

  assert_ok(gg_params_training(p, 0));
  assert_ok(
      gg_shared_write(gg_params_find(p, "b.running_mean"), mean, sizeof mean));
  assert_ok(
      gg_shared_write(gg_params_find(p, "b.running_var"), var, sizeof var));
  y = gg_nn_batch_norm(p, "b", x);
  for (int i = 0; i < N * C; i++)
    want[i] = (x_data[i] - mean[i % C]) / sqrt(var[i % C] + 1e-5);
  check(x, y, N * C);
  assert_int_equal(gg_params_count(p), 4);
}

/* Each row of `n` elements normalised; without a mean: by their root mean
 * square. Element i is scaled by weight[i / each % channels]. */
static void want_rows(int rows, int n, int has_mean, double epsilon, int each,
                      int channels) {
  for (int r = 0; r < rows; r++) {
    double sum = 0, squares = 0;
    for (int k = 0; k < n; k++) {
      sum += has_mean ? x_data[n * r + k] / n : 0;
      squares += x_data[n * r + k] * x_data[n * r + k] / n;
    }
    for (int k = 0; k < n; k++) {
      const int c = (n * r + k) / each % channels;
      want[n * r + k] = (x_data[n * r + k] - sum) /
                            sqrt(squares - sum * sum + epsilon) * weight[c] +
                        (has_mean ? bias[c] : 0);
    }
  }
}

static void write_affine(const char *name, size_t n, int has_bias) {
  char path[32];

  test_fill(weight, GA_DOUBLE, n, 0.5, 2, 6);
  test_fill(bias, GA_DOUBLE, n, -1, 1, 7);
  snprintf(path, sizeof path, "%s.weight", name);
  assert_ok(gg_shared_write(gg_params_find(p, path), weight, 8 * n));
  snprintf(path, sizeof path, "%s.bias", name);
  if (has_bias)
    assert_ok(gg_shared_write(gg_params_find(p, path), bias, 8 * n));
  else
    assert_null(gg_params_find(p, path));
}

static void other_norms(void **state) {
  (void)state;
  test_need_double();
  gg_var *x = make_x(2, (size_t[]){3, 6});
  gg_var *y = gg_nn_rms_norm(p, "r", x, -1);
  write_affine("r", 6, 0);
  want_rows(3, 6, 0, 0x1p-52, 1, 6);
  check(x, y, 18);
  GpuArray_clear(&a);

  x = make_x(3, (size_t[]){2, 4, 3});
  y = gg_nn_group_norm(p, "g", x, 2);
  write_affine("g", 4, 1);
  want_rows(4, 6, 1, 1e-5, 3, 4);
  check(x, y, 24);

  y = gg_nn_instance_norm(p, "i", x);
  write_affine("i", 4, 1);
  want_rows(8, 3, 1, 1e-5, 3, 4);
  check(x, y, 24);
}

static void dropout_is_for_training(void **state) {
  int zeros = 0;

  (void)state;
  test_need_double();
  gg_var *x = make_x(2, (size_t[]){40, 50});
  compute(x, gg_nn_dropout(p, x, 0.25));
  for (int i = 0; i < 2000; i++) {
    zeros += got[i] == 0;
    if (got[i] != 0)
      assert_true(fabs(got[i] - x_data[i] / 0.75) < 1e-12);
  }
  assert_true(zeros > 400 && zeros < 600);
  assert_ok(gg_params_training(p, 0));
  assert_ptr_equal(gg_nn_dropout(p, x, 0.25), x);
}

/* --- what is refused --- */

static void bad_arguments_are_refused(void **state) {
  gg_var *open = gg_input(g, "x", GA_FLOAT, 2),
         *scalar = gg_input(g, "s", GA_FLOAT, 0),
         *image = gg_input_sized(g, "i", GA_FLOAT, 3, (int64_t[]){-1, 4, 9});
  const GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 3};

  (void)state;
  assert_null(gg_nn_dense(p, "d", open, 3, 0));
  graph_says(GA_VALUE_ERROR, "nn_dense(float32[?, ?]): the size of axis 1");
  assert_null(gg_nn_dense(p, "d", scalar, 3, 0));
  graph_says(GA_VALUE_ERROR, "expected 1 axes");
  assert_null(gg_nn_dense(p, "d", image, 3, 64));
  graph_says(GA_VALUE_ERROR, "unknown flags 64");
  assert_null(gg_nn_dense(NULL, "d", image, 3, 0));
  graph_says(GA_VALUE_ERROR, "the group of parameters is NULL");
  assert_null(gg_nn_dense(p, "", image, 3, 0));
  graph_says(GA_VALUE_ERROR, "empty");
  assert_non_null(gg_nn_dense(p, "d", image, 3, 0));
  assert_null(gg_nn_dense(p, "d", image, 4, 0));
  graph_says(GA_VALUE_ERROR, "d.weight is float64[3, 9]");
  assert_null(gg_nn_conv(p, "c", image, 4, (size_t[]){3}, &c, 0));
  graph_says(GA_VALUE_ERROR, "4 channels in 3 groups");
  assert_null(gg_nn_conv(p, "c", image, 4, NULL, NULL, 0));
  graph_says(GA_VALUE_ERROR, "sizes of filters");
  assert_null(gg_nn_layer_norm(p, "n", image, 3));
  graph_says(GA_VALUE_ERROR, "there is no axis 3");
  assert_null(gg_nn_layer_norm(p, "n", image, 0));
  graph_says(GA_VALUE_ERROR, "the size of axis 0");
  assert_null(gg_nn_rms_norm(p, "n", image, -4));
  graph_says(GA_VALUE_ERROR, "there is no axis -4");
  assert_null(gg_nn_group_norm(p, "g", image, 3));
  gg_graph_reset_error(g);
  assert_null(gg_nn_instance_norm(p, "i", open));
  graph_says(GA_VALUE_ERROR, "the size of axis 1");
  assert_null(gg_nn_batch_norm(p, "b", open));
  graph_says(GA_VALUE_ERROR, "the size of axis 1");
  assert_null(gg_nn_dropout(p, image, 1));
  gg_graph_reset_error(g);
  assert_null(gg_nn_embedding(p, "e", image, 4, 2));
  gg_graph_reset_error(g);
  assert_null(gg_nn_dense(p, "d", NULL, 3, 0));
  assert_null(gg_nn_conv(p, "d", NULL, 3, NULL, NULL, 0));
  assert_null(gg_nn_embedding(p, "d", NULL, 3, 4));
  assert_null(gg_nn_layer_norm(p, "d", NULL, -1));
  assert_null(gg_nn_rms_norm(p, "d", NULL, -1));
  assert_null(gg_nn_group_norm(p, "d", NULL, 2));
  assert_null(gg_nn_instance_norm(p, "d", NULL));
  assert_null(gg_nn_batch_norm(p, "d", NULL));
  assert_null(gg_nn_dropout(p, NULL, 0.5));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(dense_is_a_product_and_a_bias),
                                     TEST(dense_takes_any_rank),
                                     TEST(embeddings_are_rows_of_a_table),
                                     TEST(convolutions_have_filters_and_a_bias),
                                     TEST(layers_are_normalised),
                                     TEST(batches_are_normalised),
                                     TEST(other_norms),
                                     TEST(dropout_is_for_training),
                                     TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
