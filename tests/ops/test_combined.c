/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations by any rule beside plain loops, their gradients, texts and
 * messages. */
#include "support/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/roundtrip.h"

enum { EXCLUSIVE = GA_CUMULATE_EXCLUSIVE, REVERSED = GA_CUMULATE_REVERSED };

/* --- rules --- */

/* A flag so far, and the sum since the last flag. */
static void restart(void *arg, gg_var *const *x, gg_var *const *y,
                    gg_var **to) {
  (void)arg;
  to[0] = gg_or(x[0], y[0]);
  to[1] = gg_where(y[0], y[1], gg_add(x[1], y[1]));
}

/* y[i] = f[i] y[i - 1] + x[i]. */
static void affine(void *arg, gg_var *const *x, gg_var *const *y, gg_var **to) {
  (void)arg;
  to[0] = gg_mul(x[0], y[0]);
  to[1] = gg_add(gg_mul(x[1], y[0]), y[1]);
}

/* Sums, and sums of products of different elements. */
static void pairs(void *arg, gg_var *const *x, gg_var *const *y, gg_var **to) {
  (void)arg;
  to[0] = gg_add(x[0], y[0]);
  to[1] = gg_add(gg_add(x[1], y[1]), gg_mul(x[0], y[0]));
}

/* The same with the values exchanged, which has no gradient. */
static void pairs_turned(void *arg, gg_var *const *x, gg_var *const *y,
                         gg_var **to) {
  gg_var *const in[2] = {x[1], x[0]}, *const by[2] = {y[1], y[0]};
  gg_var *turned[2];

  pairs(arg, in, by, turned);
  to[0] = turned[1];
  to[1] = turned[0];
}

/* sqrt(x^2 + y^2), of a special form to have a macro or two. */
static void length(void *arg, gg_var *const *x, gg_var *const *y, gg_var **to) {
  (void)arg;
  to[0] = gg_sqrt(gg_add(gg_sqr(x[0]), gg_sqr(y[0])));
}

/* --- values --- */

/* Sums since the last flag along one axis, by loops: rows of n elements with
 * `step` between neighbours. */
static void restart_on_host(const unsigned char *flag, const float *x,
                            float *to, size_t first, size_t n, size_t step,
                            int flags) {
  float sum = 0;

  for (size_t j = 0; j < n; j++) {
    const size_t i = first + (flags & REVERSED ? n - 1 - j : j) * step;
    const float before = sum;

    sum = flag[i] ? x[i] : sum + x[i];
    to[i] = flags & EXCLUSIVE ? before : sum;
  }
}

/* Whole numbers: every order of additions gives the same. */
static void check_restarts(size_t n_rows, size_t n, int axis, int flags) {
  gg_var *const flag = gg_input(g, "flag", GA_BOOL, 2);
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2), *y[2];
  const size_t dims[2] = {n_rows, n}, size = n_rows * n;
  unsigned char *const marks = calloc(size + 1, 1);
  float *const v = calloc(size + 1, 4), *const want = calloc(size + 1, 4);

  for (size_t i = 0; i < size; i++) {
    marks[i] = i % 37 == 5;
    v[i] = (float)(i * 7 % 11) - 4;
  }
  const size_t count = axis == 0 ? n : n_rows;
  for (size_t r = 0; r < count; r++)
    restart_on_host(marks, v, want, axis == 0 ? r : r * n,
                    axis == 0 ? n_rows : n, axis == 0 ? n : 1, flags);
  assert_ok(gg_cumulate_by(y, 2, (gg_var *[]){flag, x}, (double[]){0, 0},
                           restart, NULL, axis, flags));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(flag, x), .outputs = GG_VARS(y[1])});
  test_array(&a, GA_BOOL, 2, dims, marks);
  float_array(&b, 2, dims, v);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, want, size);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_func_free(f);
  free(marks);
  free(v);
  free(want);
}

static void sums_start_again_at_flags(void **state) {
  (void)state;
  check_restarts(3, 5000, 1, 0);
  check_restarts(3, 500, 1, EXCLUSIVE | REVERSED);
  check_restarts(300, 40, 0, REVERSED);
  check_restarts(0, 4, 1, 0);
}

/* One value: what follows is computed in the same kernel; half is combined as
 * float. */
static void a_map_follows_in_the_same_kernel(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1), *y;

  (void)state;
  assert_ok(gg_cumulate_by(&y, 1, &x, (double[]){0}, length, NULL, 0, 0));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_mul(y, gg_f32(g, 2)))});
  float_vector(&a, 4, (float[]){3, 4, 12, 84});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(func_stats(f).steps, 1);
  assert_floats(&out, (float[]){6, 10, 26, 170}, 4);
  gg_func_free(f);
}

/* Call a function of the recurrence in a mode. */
static void check_affine(const gg_func_spec *spec, gg_graph *from,
                         gg_mode mode) {
  gg_func_spec own = *spec;

  own.mode = mode;
  gg_func *f = func_make(from, &own);
  float_vector(&a, 4, (float[]){2, 0.5f, -1, 3});
  float_vector(&b, 4, (float[]){1, 2, 3, 4});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){0, 1, 2.5f, 0.5f}, 4);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* The host computes the same, else debug mode fails; texts have the rule. */
static void debug_mode_and_texts_have_the_rule(void **state) {
  gg_var *const in[2] = {gg_input(g, "f", GA_FLOAT, 1),
                         gg_input(g, "x", GA_FLOAT, 1)};
  gg_var *y[2];

  (void)state;
  assert_ok(
      gg_cumulate_by(y, 2, in, (double[]){1, 0}, affine, NULL, 0, EXCLUSIVE));
  const gg_func_spec spec = {
      .name = "run", .inputs = GG_VARS(in[0], in[1]), .outputs = GG_VARS(y[1])};
  check_affine(&spec, g, GG_DEBUG);
  check_affine(&spec, g, GG_NO_REWRITE);
  assert_ok(gg_graph_add_func(g, &spec));
  char *text = graph_text(g, 0);
  gg_graph *read = graph_of_text(test_context(), text);
  check_affine(gg_graph_func(read, "run"), read, GG_FAST_RUN);
  assert_same_text(text);
  gg_graph_free(read);
  free(text);
}

/* --- derivatives --- */

static void derivatives_are_recurrences(void **state) {
  static const double values[8] = {0.5, -1, 0, 2, 1.5, -0.5, 0.25, 1};
  const size_t dims[2] = {2, 4};
  gg_var *const x = gg_input(g, "x", GA_DOUBLE, 2);
  gg_var *const f = gg_input(g, "f", GA_DOUBLE, 2), *y[2];

  (void)state;
  test_array(&a, GA_DOUBLE, 2, dims, values);
  test_array(&b, GA_DOUBLE, 2, dims, &values[0]);
  assert_ok(gg_cumulate_by(y, 2, (gg_var *[]){f, x}, (double[]){1, 0}, affine,
                           NULL, 1, 0));
  assert_ok(gg_check_gradient(gg_add(y[1], gg_sqr(y[0])), 2, (gg_var *[]){x, f},
                              (GpuArray *[]){&a, &b}, 1e-5, 1e-6));
  assert_ok(gg_cumulate_by(y, 2, (gg_var *[]){x, gg_zeros_like(x)},
                           (double[]){0, 0}, pairs, NULL, 0,
                           EXCLUSIVE | REVERSED));
  check_derivatives(gg_add(y[1], gg_sqr(y[0])), 1, &x);
}

static void what_has_no_gradient_says_so(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1), *y[2], *d;

  (void)state;
  assert_ok(gg_cumulate_by(y, 2, (gg_var *[]){x, x}, (double[]){0, 0},
                           pairs_turned, NULL, 0, 0));
  assert_true(gg_grad(&d, gg_sum(y[0]), 1, &x) != GA_NO_ERROR);
  graph_says(GA_UNSUPPORTED_ERROR, "a value depends on one of a higher number");
}

/* --- mistakes --- */

static void sums_rows(void *arg, gg_var *const *x, gg_var *const *y,
                      gg_var **to) {
  (void)arg;
  (void)y;
  to[0] = gg_cumsum(x[0], 0);
}

static void reads_another(void *arg, gg_var *const *x, gg_var *const *y,
                          gg_var **to) {
  (void)y;
  to[0] = gg_add(x[0], arg);
}

static void says_nothing(void *arg, gg_var *const *x, gg_var *const *y,
                         gg_var **to) {
  (void)arg;
  (void)x;
  (void)y;
  (void)to;
}

static void refused(unsigned int n, gg_var *const *x, gg_combine rule, int axis,
                    int flags, const char *message) {
  gg_var *y[GG_MAX_RUN_VALUES + 1];

  assert_code(GA_VALUE_ERROR, gg_cumulate_by(y, n, x, (double[]){0, 0}, rule,
                                             x[0], axis, flags));
  for (unsigned int i = 0; i < n; i++)
    assert_null(y[i]);
  graph_says(GA_VALUE_ERROR, message);
}

static void mistakes_are_named(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  gg_var *const in[5] = {x, x, x, x, x};

  (void)state;
  refused(1, &x, sums_rows, 0, 0, "has cumulate, which is not elementwise");
  refused(1, &x, reads_another, 0, 0, "reads a variable other than its runs");
  refused(1, &x, says_nothing, 0, 0, "the rule gives no value 0");
  refused(1, &x, NULL, 0, 0, "a rule");
  refused(5, in, affine, 0, 0, "5 values, expected 1 to 4");
  refused(1, &z, length, 0, 0, "expected real values, got complex64");
  refused(1, &x, length, 1, 0, "axis 1");
  refused(1, &x, length, 0, 8, "flags 0x8");
  gg_func *f = NULL;
  gg_var *y;
  assert_ok(gg_cumulate_by(&y, 1, &x, (double[]){0}, length, NULL, 0, 0));
  gg_var *const part = gg_var_owner(gg_var_owner(y)->in[1])->in[0];
  assert_ok(gg_func_new(
      &f, g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(part)}));
  float_vector(&a, 2, (float[]){1, 2});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "stands for a run"));
  gg_func_free(f);
}

/* In the body of a loop, beside arrays that do not change. */
static void loops_may_have_them(void **state) {
  gg_var *const rows = gg_input(g, "rows", GA_FLOAT, 2);
  gg_var *const f = gg_input(g, "f", GA_FLOAT, 1), *y[2];
  gg_scan *const s = gg_scan_open(g);
  gg_var *const row = gg_scan_sequence(s, rows, 0);

  (void)state;
  assert_ok(gg_cumulate_by(y, 2, (gg_var *[]){f, row}, (double[]){1, 0}, affine,
                           NULL, 0, 0));
  gg_var *const last = gg_scan_output(s, y[1]);
  assert_ok(gg_scan_close(s));
  gg_func *run =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(rows, f),
                                   .outputs = GG_VARS(gg_scan_all(s, last))});
  gg_scan_free(s);
  float_array(&a, 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
  float_vector(&b, 3, (float[]){2, 3, -1});
  func_run(run, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){1, 5, -2, 4, 17, -11}, 6);
  gg_func_free(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, graph_setup, graph_teardown)
      TEST(sums_start_again_at_flags),
      TEST(a_map_follows_in_the_same_kernel),
      TEST(debug_mode_and_texts_have_the_rule),
      TEST(derivatives_are_recurrences),
      TEST(what_has_no_gradient_says_so),
      TEST(mistakes_are_named),
      TEST(loops_may_have_them),
#undef TEST
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
