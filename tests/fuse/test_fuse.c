/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes one kernel and what does not. test_fuse_random has the values of
 * random graphs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpugraph/op.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const float ten[6] = {10, 20, 30, 40, 50, 60};
static const size_t two_three[2] = {2, 3};

static gg_var *matrix(const char *name) {
  return gg_input(g, name, GA_FLOAT, 2);
}

/* --- maps --- */

/* x + y and x - y: one kernel with two outputs. */
static void test_two_outputs(void **state) {
  gg_var *x = matrix("x"), *y = matrix("y");
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                         .outputs = GG_VARS(gg_add(x, y), gg_sub(x, y))});
  float plus[6], minus[6];

  (void)state;
  for (int i = 0; i < 6; i++) {
    plus[i] = six[i] + ten[i];
    minus[i] = six[i] - ten[i];
  }
  float_array(&a, 2, two_three, six);
  float_array(&b, 2, two_three, ten);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, plus, 6);
  assert_floats(&out2, minus, 6);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
}

/* Two results that only share a shape are two kernels; a few elements are
 * worth one. */
static void test_unconnected(void **state) {
  gg_var *x = matrix("x"), *y = matrix("y");
  gg_var *s = gg_input(g, "s", GA_FLOAT, 0), *t = gg_input(g, "t", GA_FLOAT, 0);
  gg_func *apart =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_exp(x), gg_log(y))});
  gg_func *joined =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(s, t),
                                   .outputs = GG_VARS(gg_exp(s), gg_log(t))});

  (void)state;
  float_array(&a, 2, two_three, six);
  func_run(apart, (GpuArray *[]){&a, &a}, (GpuArray *[]){&out, &out2});
  assert_int_equal(func_stats(apart).steps, 2);
  GpuArray_clear(&a);
  float_array(&a, 0, NULL, six);
  func_run(joined, (GpuArray *[]){&a, &a}, (GpuArray *[]){&out, &out2});
  assert_int_equal(func_stats(joined).steps, 1);
  gg_func_free(apart);
  gg_func_free(joined);
}

/* A row that is stretched is read where it is needed. */
static void test_broadcast(void **state) {
  gg_var *x = matrix("x"), *r = gg_input(g, "r", GA_FLOAT, 1);
  gg_var *twice = gg_mul(r, gg_f32(g, 2));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, r),
                         .outputs = GG_VARS(gg_exp(gg_add(x, twice)))});
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = expf(six[i] + 2 * six[i % 3]);
  float_array(&a, 2, two_three, six);
  float_vector(&b, 3, six);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  test_array_close(&out, want, 1e-4, 0);
  gg_func_free(f);
}

/* What only lends its shape is not computed. */
static void test_shape_only(void **state) {
  gg_var *x = matrix("x");
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_ones_like(gg_exp(x)))});
  const float ones[6] = {1, 1, 1, 1, 1, 1};

  (void)state;
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, ones, 6);
  char *text = func_text(f);
  assert_null(strstr(text, "exp"));
  free(text);
  gg_func_free(f);
}

/* --- reductions --- */

/* What feeds a reduction, and what follows at its shape, is in its kernel. */
static void test_map_and_post(void **state) {
  gg_var *x = matrix("x"), *s = gg_input(g, "s", GA_FLOAT, 1);
  gg_var *norm = gg_sqrt(gg_sum_axis(gg_sqr(gg_tanh(x)), 0));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, s),
                                   .outputs = GG_VARS(gg_add(norm, s), norm)});
  float want[3], sum;

  (void)state;
  for (int i = 0; i < 3; i++) {
    sum = tanhf(six[i]) * tanhf(six[i]) + tanhf(six[i + 3]) * tanhf(six[i + 3]);
    want[i] = sqrtf(sum) + ten[i];
  }
  float_array(&a, 2, two_three, six);
  float_vector(&b, 3, ten);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, want, 3);
  for (int i = 0; i < 3; i++)
    want[i] -= ten[i];
  test_array_close(&out2, want, 1e-4, 1e-5);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
}

/* x - mean(x): the mean comes first. Nothing waits for itself. */
static void test_through_reduction(void **state) {
  gg_var *x = matrix("x"), *e = gg_exp(x);
  gg_var *y = gg_sub(e, gg_mean(e));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  float want[6], mean = 0;

  (void)state;
  for (int i = 0; i < 6; i++)
    mean += expf(six[i]) / 6;
  for (int i = 0; i < 6; i++)
    want[i] = expf(six[i]) - mean;
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_array_close(&out, want, 1e-5, 1e-4);
  assert_in_range(func_stats(f).steps, 2, 3);
  gg_func_free(f);
}

/* A cheap value that two kernels need is computed in both, not stored. */
static void test_copies_of_cheap_nodes(void **state) {
  gg_var *x = matrix("x"), *y = gg_add(x, gg_f32(g, 1));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_max(y), gg_exp(y))});
  float want[6], seven = 7;

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = expf(six[i] + 1);
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, &seven, 1);
  test_array_close(&out2, want, 1e-4, 0);
  assert_int_equal(func_stats(f).steps, 2);
  assert_int_equal(func_stats(f).temp_bytes, 0);
  gg_func_free(f);
}

/* A cheap node behind a reduction, in its post and in a later kernel: both
 * have the reduction's result. */
static void test_shared_post(void **state) {
  gg_var *x = matrix("x"), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *d = gg_sub(gg_sum_axis(x, 1), y);
  gg_var *e = gg_tanh(d), *late = gg_mul(gg_dot(e, x), d);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = GG_VARS(e, late)});
  const size_t square[2] = {2, 2};
  float e_x[2], want[2];

  (void)state;
  e_x[0] = tanhf(2);
  e_x[1] = tanhf(5);
  want[0] = (e_x[0] * 1 + e_x[1] * 3) * 2;
  want[1] = (e_x[0] * 2 + e_x[1] * 4) * 5;
  float_array(&a, 2, square, six);
  float_vector(&b, 2, six);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, e_x, 2);
  assert_floats(&out2, want, 2);
  gg_func_free(f);
}

/* --- limits --- */

/* A chain that is too long for a kernel is cut. */
static void test_long_chain(void **state) {
  enum { N = 1500 };
  gg_var *x = matrix("x"), *y = x;
  float want[6];
  gg_func *f;

  (void)state;
  for (int k = 0; k < N; k++)
    y = k % 2 == 0 ? gg_sqrt(y) : gg_add(y, x);
  memcpy(want, six, sizeof want);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < N; k++)
      want[i] = k % 2 == 0 ? sqrtf(want[i]) : want[i] + six[i];
  f = func_make(g,
                &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  assert_in_range(func_stats(f).steps, (N + 255) / 256, (N + 255) / 256 + 1);
  /* Each kernel writes over what the one before it wrote. */
  assert_int_equal(func_stats(f).temp_bytes, 6 * sizeof(float));
  gg_func_free(f);
}

/* More arrays than a kernel can have as arguments, on most devices: 2 N arrays
 * of two dimensions take at least 32 bytes each. */
static void test_many_arrays(void **state) {
  enum { N = 120 };
  gg_var *in[N + 1], *o[N + 1], *sum = NULL;
  GpuArray x[N], y[N], *px[N], *py[N];
  float v[6], want[6];
  gg_func *f;

  (void)state;
  for (int k = 0; k < N; k++) {
    in[k] = matrix("x");
    sum = sum == NULL ? gg_exp(in[k]) : gg_add(sum, gg_exp(in[k]));
    o[k] = sum;
    for (int i = 0; i < 6; i++)
      v[i] = (float)(i + k) / 100;
    float_array(&x[k], 2, two_three, v);
    memset(&y[k], 0, sizeof y[k]);
    px[k] = &x[k];
    py[k] = &y[k];
  }
  in[N] = o[N] = NULL;
  f = func_make(g, &(gg_func_spec){.inputs = in, .outputs = o});
  func_run(f, px, py);
  memset(want, 0, sizeof want);
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < 6; i++)
      want[i] += expf((float)(i + k) / 100);
    test_array_close(&y[k], want, 1e-4, 0);
    GpuArray_clear(&x[k]);
    GpuArray_clear(&y[k]);
  }
  if (gpucontext_caps(test_context())->param_bytes < 2 * N * 32)
    assert_true(func_stats(f).steps > 1);
  gg_func_free(f);
}

/* --- code that names no operand --- */

static void test_wrong_code(void **state) {
  static const char *const texts[] = {"%0 % 2", "(%0 + %1)", "-%0%", "%x"};
  static const char *const says[] = {"\"% \"", "\"%1\"", "\"%\"", "\"%x\""};
  gg_var *x = matrix("x");

  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const gg_code code = {texts[i], NULL, 1, 1};
    const gg_op op = {
        .name = "wrong", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &code};
    gg_var *y = gg_op_apply(NULL, &op, NULL, 1, &x);
    gg_func *f = NULL;
    char want[64];

    snprintf(want, sizeof want, "): its code has %s in \"%s\"", says[i],
             texts[i]);
    assert_code(GA_VALUE_ERROR,
                gg_func_new(&f, g,
                            &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(y)}));
    if (strstr(gg_graph_error(g), want) == NULL)
      fail_msg("\"%s\" lacks %s", gg_graph_error(g), want);
    assert_null(f);
    gg_graph_reset_error(g);
    gg_graph_free(g); /* before the op */
    g = gg_graph_new(test_context());
    x = matrix("x");
  }
}

/* --- the logistic regression of the examples --- */

static void test_logistic(void **state) {
  enum { N = 40, FEATS = 30 };
  static float zeros[FEATS], rows[N * FEATS], labels[N], probs[N];
  gg_var *x = matrix("x"), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){FEATS}, zeros);
  gg_var *bias = gg_shared_host(g, "b", GA_FLOAT, 0, NULL, zeros);
  gg_var *one = gg_f32(g, 1), *rate = gg_f32(g, 0.1f);
  gg_var *p =
      gg_div(one, gg_add(one, gg_exp(gg_sub(gg_neg(gg_dot(x, w)), bias))));
  gg_var *xent = gg_sub(gg_mul(gg_neg(y), gg_log(p)),
                        gg_mul(gg_sub(one, y), gg_log(gg_sub(one, p))));
  gg_var *cost =
      gg_add(gg_mean(xent), gg_mul(gg_f32(g, 0.01f), gg_sum(gg_sqr(w))));
  gg_var *grad[2];
  size_t dims[2] = {N, FEATS};
  gg_func *f;

  (void)state;
  assert_ok(gg_grad(grad, cost, 2, (gg_var *[]){w, bias}));
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                         .outputs = GG_VARS(gg_gt(p, gg_f32(g, 0.5f)), xent),
                         .updates = GG_UPDATES(
                             {w, gg_sub(w, gg_mul(rate, grad[0]))},
                             {bias, gg_sub(bias, gg_mul(rate, grad[1]))})});
  test_fill(rows, GA_FLOAT, N * FEATS, -1, 1, 5);
  for (int i = 0; i < N; i++) {
    labels[i] = rows[i * FEATS] > 0;
    probs[i] = logf(2);
  }
  float_array(&a, 2, dims, rows);
  float_vector(&b, N, labels);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out2, probs, N);
  char *text = func_text(f);
  assert_non_null(strstr(text, "= new w (in place)"));
  assert_non_null(strstr(text, "= new b (in place)"));
  free(text);
  assert_int_equal(func_stats(f).steps, 2);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_two_outputs, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_unconnected, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_broadcast, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_shape_only, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_map_and_post, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_through_reduction, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_copies_of_cheap_nodes, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_shared_post, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_long_chain, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_many_arrays, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_wrong_code, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_logistic, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
