/* SPDX-License-Identifier: BSD-2-Clause */
/* Losses against plain loops in double, and their gradients against
 * differences. */
#include "support/graph_case.h"

#include <gpugraph/nn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, K = 4, ALL = ROWS * K };

static double z_data[ALL], y_data[ALL];
static const int64_t labels[ROWS] = {2, 0, 3, -7, 1, 2};
static const double weights[K] = {0.5, 2, 1, 3};
static GpuArray z_array, y_array;

static int setup(void **state) {
  const size_t dims[3] = {2, 3, K};

  (void)state;
  if (graph_setup(state) != 0)
    return -1;
  test_fill(z_data, GA_DOUBLE, ALL, -3, 3, 1);
  test_fill(y_data, GA_DOUBLE, ALL, 0.1, 1, 2);
  test_array(&z_array, GA_DOUBLE, 3, dims, z_data);
  test_array(&y_array, GA_DOUBLE, 3, dims, y_data);
  return 0;
}

static int teardown(void **state) {
  GpuArray_clear(&z_array);
  GpuArray_clear(&y_array);
  return graph_teardown(state);
}

static gg_var *input(const char *name) {
  return gg_input_sized(g, name, GA_DOUBLE, 3, (int64_t[]){-1, 3, K});
}

/* The value of a loss of z and y, which may be left out, and in the full tests
 * its gradients. */
static void check(gg_var *loss, gg_var *z, gg_var *y, GpuArray *second,
                  const double *want, size_t n) {
  double got[ALL];

  assert_non_null(loss);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(z, y),
                                            .outputs = GG_VARS(loss),
                                            .flags = GG_ALLOW_UNUSED_INPUT});
  func_run(f, (GpuArray *[]){&z_array, second}, (GpuArray *[]){&out});
  assert_int_equal(test_size(&out), n);
  assert_ok(GpuArray_read(got, n * sizeof *got, &out));
  test_close(GA_DOUBLE, got, want, n, 1e-10, 1e-12);
  gg_func_free(f);
  if (!test_is_quick())
    assert_ok(gg_check_gradient(loss, 2, (gg_var *[]){z, y},
                                (GpuArray *[]){&z_array, second}, 0, 0));
}

/* --- cross-entropy --- */

static double log_p(size_t i, size_t k) {
  double most = z_data[i * K], sum = 0;

  for (size_t j = 0; j < K; j++)
    most = fmax(most, z_data[i * K + j]);
  for (size_t j = 0; j < K; j++)
    sum += exp(z_data[i * K + j] - most);
  return z_data[i * K + k] - most - log(sum);
}

/* The losses of rows, and what each counts. */
static void by_index(const gg_cross_entropy *how, double *each, double *count) {
  for (size_t i = 0; i < ROWS; i++) {
    const int64_t y = labels[i];
    double all = 0;
    each[i] = count[i] = 0;
    if (y < 0)
      continue;
    for (size_t k = 0; k < K; k++)
      all -= log_p(i, k) * (how->weights != NULL ? weights[k] : 1);
    count[i] = how->weights != NULL ? weights[y] : 1;
    each[i] = (1 - how->smoothing) * -log_p(i, (size_t)y) * count[i] +
              how->smoothing / K * all;
  }
}

static void by_index_is_that_of_a_loop(void **state) {
  gg_var *z = input("z"), *y = gg_input(g, "y", GA_LONG, 2),
         *w = gg_constant(g, GA_DOUBLE, 1, (size_t[]){K}, weights);

  (void)state;
  test_need_double();
  GpuArray at;
  test_array(&at, GA_LONG, 2, (size_t[]){2, 3}, labels);
  for (int i = 0; i < 4; i++) {
    gg_cross_entropy how = {.ignores = 1, .ignored = -7};
    double each[ROWS], count[ROWS], sum = 0, counts = 0;
    how.weights = i >= 1 ? w : NULL;
    how.smoothing = i >= 2 ? 0.1 : 0;
    by_index(&how, each, count);
    for (int k = 0; k < ROWS; k++) {
      sum += each[k];
      counts += count[k];
    }
    if (i == 3) {
      how.reduction = GG_LOSS_EACH;
      check(gg_loss_cross_entropy(z, y, &how), z, y, &at, each, ROWS);
    } else {
      sum /= counts;
      check(gg_loss_cross_entropy(z, y, &how), z, y, &at, &sum, 1);
    }
  }
  GpuArray_clear(&at);
}

static void usual_cross_entropy_is_a_mean(void **state) {
  const int64_t y_all[2] = {3, 1};
  double want = 0;
  gg_var *z = gg_input(g, "z", GA_DOUBLE, 2), *y = gg_input(g, "y", GA_LONG, 1);

  (void)state;
  test_need_double();
  GpuArray at;
  GpuArray_clear(&z_array);
  test_array(&z_array, GA_DOUBLE, 2, (size_t[]){2, K}, z_data);
  test_array(&at, GA_LONG, 1, (size_t[]){2}, y_all);
  for (size_t i = 0; i < 2; i++)
    want -= log_p(i, (size_t)y_all[i]) / 2;
  check(gg_loss_cross_entropy(z, y, NULL), z, y, &at, &want, 1);
  GpuArray_clear(&at);
}

static void by_distribution_is_that_of_a_loop(void **state) {
  gg_var *z = input("z"), *y = input("y");

  (void)state;
  test_need_double();
  for (int i = 0; i < 2; i++) {
    gg_cross_entropy how = {.smoothing = i == 1 ? 0.2 : 0};
    double want = 0;
    if (i == 1)
      how.weights = gg_constant(g, GA_DOUBLE, 1, (size_t[]){K}, weights);
    for (size_t k = 0; k < ALL; k++) {
      const double q =
          y_data[k] * (1 - how.smoothing) + how.smoothing / (double)K;
      want -= q * log_p(k / K, k % K) * (i == 1 ? weights[k % K] : 1) / ROWS;
    }
    check(gg_loss_cross_entropy(z, y, &how), z, y, &y_array, &want, 1);
  }
}

/* --- element by element --- */

static double huber(double d, double delta) {
  d = fabs(d);
  return d <= delta ? d * d / 2 : delta * (d - delta / 2);
}

static double binary(double z, double y, double positive) {
  return (1 - y) * z + (1 + (positive - 1) * y) * log1p(exp(-z));
}

/* All reductions in one function; the gradient of the sum. */
static void check_all(gg_var *(*loss)(gg_var *z, gg_var *y, int how),
                      double (*want)(double z, double y)) {
  double each[ALL], got[ALL], sum = 0;
  gg_var *z = input("z"), *y = input("y"), *made[4];
  GpuArray results[4] = {{0}};

  for (int i = 0; i < ALL; i++)
    sum += each[i] = want(z_data[i], y_data[i]);
  for (int i = 0; i < 4; i++)
    made[i] = loss(z, y, i);
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(z, y),
                      .outputs = GG_VARS(made[0], made[1], made[2], made[3])});
  func_run(f, (GpuArray *[]){&z_array, &y_array},
           (GpuArray *[]){&results[0], &results[1], &results[2], &results[3]});
  const double sums[4] = {sum / ALL, sum, 0, sum / 2};
  for (int i = 0; i < 4; i++) {
    const size_t n = i == GG_LOSS_EACH ? ALL : 1;
    assert_int_equal(test_size(&results[i]), n);
    assert_ok(GpuArray_read(got, n * sizeof *got, &results[i]));
    test_close(GA_DOUBLE, got, n == 1 ? &sums[i] : each, n, 1e-10, 1e-12);
    GpuArray_clear(&results[i]);
  }
  gg_func_free(f);
  if (!test_is_quick())
    assert_ok(gg_check_gradient(made[GG_LOSS_SUM], 2, (gg_var *[]){z, y},
                                (GpuArray *[]){&z_array, &y_array}, 0, 0));
}

#define LOSS(name, built, formula)                                             \
  static gg_var *name##_built(gg_var *z, gg_var *y, int how) {                 \
    const gg_loss_reduction r = (gg_loss_reduction)how;                        \
    return built;                                                              \
  }                                                                            \
  static double name##_formula(double z, double y) {                           \
    return formula;                                                            \
  }                                                                            \
  static void name##_is_that_of_a_loop(void **state) {                         \
    (void)state;                                                               \
    test_need_double();                                                        \
    check_all(name##_built, name##_formula);                                   \
  }

LOSS(squared, gg_loss_squared(z, y, r), (z - y) * (z - y))
LOSS(hubers, gg_loss_huber(z, y, 0.7, r), huber(z - y, 0.7))
LOSS(hinge, gg_loss_hinge(z, y, r), fmax(0, 1 - z * y))
LOSS(kl, gg_loss_kl(z, y, r), y *(log(y) - z))
LOSS(binarys, gg_loss_binary(z, y, NULL, r), binary(z, y, 1))
LOSS(weighted, gg_loss_binary(z, y, gg_f64(g, 2.5), r), binary(z, y, 2.5))

/* Large logits overflow nowhere; 0 log 0 is 0. */
static void extremes_are_finite(void **state) {
  const double big[2] = {800, -800}, q[2] = {1, 0}, want[2] = {0, 0};
  gg_var *z = gg_input(g, "z", GA_DOUBLE, 1),
         *y = gg_input(g, "y", GA_DOUBLE, 1);
  double got[2];

  (void)state;
  test_need_double();
  test_array(&a, GA_DOUBLE, 1, (size_t[]){2}, big);
  test_array(&b, GA_DOUBLE, 1, (size_t[]){2}, q);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(z, y),
                         .outputs = GG_VARS(
                             gg_loss_binary(z, y, NULL, GG_LOSS_EACH),
                             gg_loss_kl(gg_log_softmax(z), y, GG_LOSS_EACH))});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  test_close(GA_DOUBLE, got, want, 2, 0, 1e-12);
  assert_ok(GpuArray_read(got, sizeof got, &out2));
  test_close(GA_DOUBLE, got, want, 2, 0, 1e-12);
  gg_func_free(f);
}

/* --- what is refused --- */

static void bad_arguments_are_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){-1, 3}),
         *v = gg_input(g, "v", GA_FLOAT, 1),
         *w = gg_input_sized(g, "w", GA_FLOAT, 2, (int64_t[]){-1, 1}),
         *i = gg_input(g, "i", GA_LONG, 2), *s = gg_f32(g, 1);

  (void)state;
  assert_null(gg_loss_squared(x, v, GG_LOSS_MEAN));
  graph_says(GA_VALUE_ERROR,
             "loss_squared(float32[?, 3]): the other operand is float32[?]");
  assert_null(gg_loss_binary(x, w, NULL, GG_LOSS_MEAN));
  graph_says(GA_VALUE_ERROR, "the other operand is float32[?, 1]");
  assert_null(gg_loss_hinge(x, x, (gg_loss_reduction)9));
  graph_says(GA_VALUE_ERROR, "the reduction is 9");
  assert_null(gg_loss_squared(s, s, GG_LOSS_BATCH_MEAN));
  graph_says(GA_VALUE_ERROR, "the reduction is 3");
  assert_null(gg_loss_huber(x, x, 0, GG_LOSS_MEAN));
  graph_says(GA_VALUE_ERROR, "delta is 0");
  assert_null(gg_loss_cross_entropy(x, i, NULL));
  graph_says(GA_VALUE_ERROR, "the other operand is int64[?, ?]");
  assert_null(gg_loss_cross_entropy(v, i, NULL));
  graph_says(GA_VALUE_ERROR, "expected logits");
  assert_null(gg_loss_cross_entropy(x, x, &(gg_cross_entropy){.smoothing = 2}));
  graph_says(GA_VALUE_ERROR, "the smoothing is 2");
  assert_null(gg_loss_cross_entropy(x, x, &(gg_cross_entropy){.weights = x}));
  graph_says(GA_VALUE_ERROR, "weights have 2 axes");
  assert_null(gg_loss_cross_entropy(
      x, x, &(gg_cross_entropy){.reduction = (gg_loss_reduction)8}));
  graph_says(GA_VALUE_ERROR, "the reduction is 8");
  assert_null(gg_loss_cross_entropy(NULL, i, NULL));
  assert_null(gg_loss_cross_entropy(x, NULL, NULL));
  assert_null(gg_loss_squared(NULL, x, GG_LOSS_MEAN));
  assert_null(gg_loss_kl(x, NULL, GG_LOSS_MEAN));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(by_index_is_that_of_a_loop),
                                     TEST(usual_cross_entropy_is_a_mean),
                                     TEST(by_distribution_is_that_of_a_loop),
                                     TEST(squared_is_that_of_a_loop),
                                     TEST(hubers_is_that_of_a_loop),
                                     TEST(hinge_is_that_of_a_loop),
                                     TEST(kl_is_that_of_a_loop),
                                     TEST(binarys_is_that_of_a_loop),
                                     TEST(weighted_is_that_of_a_loop),
                                     TEST(extremes_are_finite),
                                     TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
