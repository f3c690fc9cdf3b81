/* SPDX-License-Identifier: BSD-2-Clause */
/* Connectionist temporal classification against the sum over all paths. */
#include "support/graph_case.h"

#include <gpugraph/nn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = 5, N = 4, C = 3, S = 3 };

/* Image 1 repeats a label, image 2 has none, and image 3 has too few steps.
 * Labels behind the lengths are of no account. */
static const int32_t labels[N][S] = {
    {1, 2, 7}, {1, 1, 2}, {2, 1, 1}, {2, 2, -1}};
static const int32_t lengths[N] = {2, 3, 0, 2}, steps[N] = {4, 5, 3, 2};
static double logits[T * N * C];

static int setup(void **state) {
  test_fill(logits, GA_DOUBLE, T * N * C, -2, 2, 3);
  return graph_setup(state);
}

static double log_p(size_t t, size_t i, size_t k) {
  const double *z = &logits[(t * N + i) * C];
  double sum = 0;

  for (size_t c = 0; c < C; c++)
    sum += exp(z[c]);
  return z[k] - log(sum);
}

/* Nonzero if a path of n steps is one of the labels, with any blank. */
static int spells(const size_t *path, size_t n, const int32_t *y, size_t most,
                  size_t blank) {
  size_t at = 0;

  for (size_t t = 0; t < n; t++) {
    if (path[t] == blank || (t > 0 && path[t] == path[t - 1]))
      continue;
    if (at == most || (size_t)y[at] != path[t])
      return 0;
    at++;
  }
  return at == most;
}

/* The loss of image i: over all paths of n steps. */
static double refer(size_t i, size_t n, const int32_t *y, size_t most,
                    size_t blank) {
  size_t paths = 1, path[T];
  double sum = 0;

  for (size_t t = 0; t < n; t++)
    paths *= C;
  for (size_t k = 0; k < paths; k++) {
    double p = 0;
    for (size_t t = 0, rest = k; t < n; t++, rest /= C) {
      path[t] = rest % C;
      p += log_p(t, i, path[t]);
    }
    if (spells(path, n, y, most, blank))
      sum += exp(p);
  }
  return -log(sum);
}

static void check(gg_var *loss, gg_var *z, const double *want, size_t n) {
  double got[N];

  assert_non_null(loss);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(z), .outputs = GG_VARS(loss)});
  test_array(&a, GA_DOUBLE, 3, (size_t[]){T, N, C}, logits);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(test_size(&out), n);
  assert_ok(GpuArray_read(got, n * sizeof *got, &out));
  for (size_t i = 0; i < n; i++)
    if (isinf(want[i]))
      assert_true(isinf(got[i]) && got[i] > 0);
    else
      test_close(GA_DOUBLE, &got[i], &want[i], 1, 1e-9, 1e-9);
  gg_func_free(f);
}

static gg_var *ints(const int32_t *values, unsigned int nd) {
  return gg_constant(g, GA_INT, nd, (size_t[]){N, S}, values);
}

/* Losses of images of several lengths; then their gradients. */
static void losses_are_sums_over_paths(void **state) {
  gg_var *z = gg_input(g, "z", GA_DOUBLE, 3);
  gg_ctc how = {.reduction = GG_LOSS_EACH};
  double want[N];

  (void)state;
  test_need_double();
  how.steps = ints(steps, 1);
  how.lengths = ints(lengths, 1);
  for (size_t i = 0; i < N; i++)
    want[i] = refer(i, (size_t)steps[i], labels[i], (size_t)lengths[i], 0);
  assert_true(isinf(want[3]));
  gg_var *y = ints(labels[0], 2), *p = gg_log_softmax(z);
  check(gg_loss_ctc(p, y, &how), z, want, N);
  if (getenv("GPUGRAPH_QUICK_TESTS") != NULL)
    return;
  how.zero_infinite = 1;
  gg_var *loss = gg_loss_ctc(p, y, &how);
  GpuArray_clear(&a);
  want[3] = 0;
  check(loss, z, want, N);
  assert_ok(gg_check_gradient(loss, 1, &z, (GpuArray *[]){&a}, 0, 0));
}

/* The mean over labels and images, with another blank. */
static void the_usual_loss_is_a_mean(void **state) {
  const int32_t all[N][S] = {{0, 1, 0}, {1, 1, 0}, {1, 0, 1}, {0, 0, 0}};
  gg_var *z = gg_input(g, "z", GA_DOUBLE, 3);
  double want = 0;

  (void)state;
  test_need_double();
  test_need_full();
  for (size_t i = 0; i < N; i++)
    want += refer(i, T, all[i], S, 2) / S / N;
  check(gg_loss_ctc(gg_log_softmax(z), ints(all[0], 2), &(gg_ctc){.blank = 2}),
        z, &want, 1);
}

static void bad_arguments_are_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){-1, -1, C}),
         *flat = gg_input(g, "f", GA_FLOAT, 2),
         *y = gg_input(g, "y", GA_INT, 2);

  (void)state;
  graph_refused(gg_loss_ctc(flat, y, NULL),
                "loss_ctc(float32[?, ?]): expected floats [steps, images, "
                "classes]");
  assert_null(gg_loss_ctc(x, flat, NULL));
  graph_says(GA_VALUE_ERROR, "expected integers [images, labels]");
  assert_null(gg_loss_ctc(x, y, &(gg_ctc){.blank = C}));
  graph_says(GA_VALUE_ERROR, "the blank is 3");
  assert_null(gg_loss_ctc(x, y, &(gg_ctc){.blank = -1}));
  graph_says(GA_VALUE_ERROR, "the blank is -1");
  assert_null(gg_loss_ctc(x, y, &(gg_ctc){.steps = y}));
  graph_says(GA_VALUE_ERROR, "expected a vector of integers as the steps");
  assert_null(gg_loss_ctc(x, y, &(gg_ctc){.lengths = flat}));
  graph_says(GA_VALUE_ERROR, "expected a vector of integers as the lengths");
  assert_null(gg_loss_ctc(x, y, &(gg_ctc){.reduction = (gg_loss_reduction)9}));
  graph_says(GA_VALUE_ERROR, "the reduction is 9");
  assert_null(gg_loss_ctc(NULL, y, NULL));
  graph_says(GA_VALUE_ERROR, "operand 0 is NULL");
  assert_null(gg_loss_ctc(x, NULL, NULL));
  graph_says(GA_VALUE_ERROR, "operand 1 is NULL");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(losses_are_sums_over_paths),
                                     TEST(the_usual_loss_is_a_mean),
                                     TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
