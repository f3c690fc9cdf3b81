/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans: buffers of intermediate values, views, copies where an op needs them,
 * tables; alternating shapes; freed memory that is filled with rubbish. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "support/child.h"
#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const size_t two_three[2] = {2, 3};

static gg_var *matrix(const char *name) {
  return gg_input(g, name, GA_FLOAT, 2);
}

/* --- intermediate buffers --- */

/* x <- exp(x - max(x)) several times: whatever the length of the chain, two
 * matrices and two columns are enough. */
static void test_reuse(void **state) {
  enum { STEPS = 6 };
  gg_var *x = matrix("x"), *y = x;
  float want[6], m;
  gg_func *f;

  (void)state;
  memcpy(want, six, sizeof want);
  for (int k = 0; k < STEPS; k++) {
    y = gg_exp(gg_sub(y, gg_reduce(GG_MAX, y, 1, (int[]){1}, 1)));
    for (int i = 0; i < 2; i++) {
      float *row = want + 3 * i;

      m = fmaxf(row[0], fmaxf(row[1], row[2]));
      row[0] = expf(row[0] - m);
      row[1] = expf(row[1] - m);
      row[2] = expf(row[2] - m);
    }
  }
  f = func_make(g,
                &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  assert_true(func_stats(f).temp_bytes <= (2 * 6 + 2 * 2) * sizeof(float));
  gg_func_free(f);
}

/* The buffers of a function grow with its largest plan; smaller ones go on. */
static void test_alternate(void **state) {
  enum { MOST = 3000 };
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *e = gg_exp(gg_neg(x));
  gg_var *y = gg_div(e, gg_sum(e));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  static float v[MOST], want[MOST];
  const size_t sizes[6] = {10, MOST, 10, 500, MOST, 10};

  (void)state;
  for (size_t i = 0; i < MOST; i++)
    v[i] = (float)(i % 10) / 10;
  for (int k = 0; k < 6; k++) {
    size_t n = sizes[k];
    double sum = 0;
    for (size_t i = 0; i < n; i++)
      sum += exp(-v[i]);
    for (size_t i = 0; i < n; i++)
      want[i] = (float)(exp(-v[i]) / sum);
    float_vector(&a, n, v);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_floats(&out, want, n);
    GpuArray_clear(&a);
  }
  assert_int_equal(func_stats(f).plans, 3);
  gg_func_free(f);
}

/* --- views --- */

/* A view that strides cannot express is made of a copy. */
static void test_view_of_copy(void **state) {
  gg_var *x = matrix("x");
  gg_var *flat = gg_flatten(gg_transpose(x));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(flat, gg_neg(flat))});
  const float want[6] = {1, 4, 2, 5, 3, 6};
  const float neg[6] = {-1, -4, -2, -5, -3, -6};

  (void)state;
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, want, 6);
  assert_floats(&out2, neg, 6);
  gg_func_free(f);
}

/* Views of views of an intermediate value keep it alive. */
static void test_view_of_view(void **state) {
  gg_var *x = matrix("x"), *e = gg_exp(x);
  gg_var *t = gg_transpose(e), *last = gg_index(t, 0, -1);
  gg_var *back = gg_slice(last, 0, GG_END, GG_END, -1);
  gg_var *m = gg_dot(e, gg_dot(t, back));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_tanh(back), gg_log(m))});
  double e_x[6], c[3], r[2];
  float want[2], want_log[2];

  (void)state;
  for (int i = 0; i < 6; i++)
    e_x[i] = exp(six[i]);
  r[0] = e_x[5];
  r[1] = e_x[2];
  for (int k = 0; k < 3; k++)
    c[k] = e_x[k] * r[0] + e_x[3 + k] * r[1];
  for (int i = 0; i < 2; i++) {
    want[i] = (float)tanh(r[i]);
    want_log[i] = (float)log(e_x[3 * i] * c[0] + e_x[3 * i + 1] * c[1] +
                             e_x[3 * i + 2] * c[2]);
  }
  float_array(&a, 2, two_three, six);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, want, 2);
  assert_floats(&out2, want_log, 2);
  gg_func_free(f);
}

/* A result that is a view in C order of what is computed needs no copy; one
 * that turns it does. */
static void test_viewed_results(void **state) {
  gg_var *x = matrix("x");
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *twice = gg_flatten(gg_mul(x, gg_f32(g, 2)));
  gg_var *reversed = gg_slice(twice, 0, GG_END, GG_END, -1);
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs = GG_VARS(
                 gg_dimshuffle(gg_flatten(gg_exp(x)), 2, (int[]){-1, 0}),
                 gg_transpose(gg_sqr(x))),
             .updates = GG_UPDATES({w, gg_flatten(gg_neg(x))}, {v, reversed})});
  const float neg[6] = {-1, -2, -3, -4, -5, -6};
  const float sqr[6] = {1, 16, 4, 25, 9, 36};
  const float back[6] = {12, 10, 8, 6, 4, 2};
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = expf(six[i]);
  float_array(&a, 2, two_three, six);
  for (int k = 0; k < 2; k++) {
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_int_equal(out.dimensions[0], 1);
    assert_floats(&out, want, 6);
    assert_floats(&out2, sqr, 6);
    assert_shared(w, neg, 6);
    assert_shared(v, back, 6);
  }
  /* The map and two copies. */
  assert_int_equal(func_stats(f).steps, 3);
  assert_int_equal(func_stats(f).temp_bytes, 2 * sizeof six);
  gg_func_free(f);
}

/* --- ops with launches of their own --- */

/* Operands that a matrix product cannot describe are copied. */
static void test_operand_copies(void **state) {
  const ssize_t apart[2] = {12, 2}, back[2] = {-3, -1};
  gg_var *x = matrix("x"), *y = matrix("y");
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = GG_VARS(gg_dot(x, y))});
  const size_t three_two[2] = {3, 2};
  const float want[4] = {22, 28, 49, 64};

  (void)state;
  test_array_strided(&a, GA_FLOAT, 2, two_three, apart, six);
  test_array_strided(&b, GA_FLOAT, 2, three_two, back, six);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, want, 4);
  gg_func_free(f);
}

/* A product that is added to an intermediate value, in its buffer. */
static void test_destroyed_temporary(void **state) {
  gg_var *x = matrix("x"), *y = matrix("y");
  const gg__gemm_props plus = {1, 1};
  gg_var *const in[3] = {gg_tanh(x), x, y};
  gg_var *z = gg_op_apply(g, &gg__op_gemm, &plus, 3, in);
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, y),
                      .outputs = GG_VARS(gg_sum(gg_sqr(z)), gg_transpose(z))});
  const size_t square[2] = {2, 2};
  const float unit[4] = {1, 0, 0, 1};
  float want[4], turned[4], sum = 0;

  (void)state;
  for (int i = 0; i < 4; i++) {
    want[i] = tanhf(six[i]) + six[i];
    sum += want[i] * want[i];
    turned[i / 2 + i % 2 * 2] = want[i];
  }
  float_array(&a, 2, square, six);
  float_array(&b, 2, square, unit);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, &sum, 1);
  assert_floats(&out2, turned, 4);
  /* tanh, the product in place, the sum, the copy. */
  assert_int_equal(func_stats(f).steps, 4);
  assert_int_equal(func_stats(f).temp_bytes, sizeof want);
  gg_func_free(f);
}

/* Rows by an index that is computed, and parts that are joined. */
static void test_take_and_join(void **state) {
  gg_var *x = matrix("x"), *i = gg_input(g, "i", GA_LONG, 1);
  gg_var *rows = gg_take(gg_exp(x), gg_sub(i, gg_i64(g, 1)));
  gg_var *both[2] = {gg_log(rows), gg_neg(x)};
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, i),
                                   .outputs = GG_VARS(gg_join(0, 2, both))});
  const int64_t index[3] = {2, 1, 0};
  const float want[15] = {4, 5, 6, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6};
  const size_t n = 3;

  (void)state;
  float_array(&a, 2, two_three, six);
  test_array(&b, GA_LONG, 1, &n, index);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_int_equal(out.dimensions[0], 5);
  assert_floats(&out, want, 15);
  gg_func_free(f);
}

/* --- tables --- */

/* Positions come from the host, once per plan. */
static void test_positions(void **state) {
  gg_var *x = matrix("x");
  gg_var *at = gg_cast(gg_positions(x, 1), GA_FLOAT);
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x),
                      .outputs = GG_VARS(gg_mul(x, at), gg_positions(x, 0))});
  const float want[6] = {0, 2, 6, 0, 5, 12};
  const int64_t rows[6] = {0, 0, 0, 1, 1, 1};

  (void)state;
  float_array(&a, 2, two_three, six);
  for (int k = 0; k < 2; k++) {
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_floats(&out, want, 6);
    test_array_equal(&out2, rows);
  }
  gg_func_free(f);
}

/* --- all of it in memory that is full of rubbish --- */

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_reuse, graph_setup, graph_teardown),
    cmocka_unit_test_setup_teardown(test_alternate, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_view_of_copy, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_view_of_view, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_viewed_results, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_operand_copies, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_destroyed_temporary, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_take_and_join, graph_setup,
                                    graph_teardown),
    cmocka_unit_test_setup_teardown(test_positions, graph_setup,
                                    graph_teardown),
};

static void test_poison(void **state) {
  const char *env[] = {"GPUARRAY_POISON=1", NULL};

  (void)state;
  test_context(); /* skips when there is no device */
  assert_int_equal(test_child("poisoned", env), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest poison[] = {cmocka_unit_test(test_poison)};

  (void)argv;
  if (argc > 1)
    return cmocka_run_group_tests_name("poisoned", tests, NULL,
                                       test_context_drop);
  return cmocka_run_group_tests(tests, NULL, NULL) +
         cmocka_run_group_tests(poison, NULL, test_context_drop);
}
