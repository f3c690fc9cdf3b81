/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices and indices with bounds that calls decide. */
#include "support/graph_case.h"

enum { N = 5 };

static const float five[N] = {1, 2, 3, 4, 5};

static gg_var *x, *bound[3];
static gg_func *f;

static int setup(void **state) {
  static const char *const names[] = {"start", "stop", "step"};

  if (graph_setup(state) != 0)
    return 1;
  x = gg_input(g, "x", GA_FLOAT, 1);
  for (int i = 0; i < 3; i++)
    bound[i] = gg_input(g, names[i], GA_LONG, 0);
  f = NULL;
  return 0;
}

static int teardown(void **state) {
  gg_func_free(f);
  return graph_teardown(state);
}

static void make(gg_var *v) {
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, bound[0], bound[1], bound[2]),
                         .outputs = GG_VARS(v),
                         .flags = GG_ALLOW_UNUSED_INPUT});
}

static int call(int64_t start, int64_t stop, int64_t step) {
  const int64_t value[3] = {start, stop, step};
  GpuArray v[3];

  float_vector(&a, N, five);
  for (int i = 0; i < 3; i++)
    test_array(&v[i], GA_LONG, 0, NULL, &value[i]);
  int err = gg_func_call(f, (GpuArray *[]){&a, &v[0], &v[1], &v[2]},
                         (GpuArray *[]){&out});
  GpuArray_clear(&a);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&v[i]);
  return err;
}

/* Which elements Python takes: those between the bounds, one by one. */
static size_t expect(int64_t start, int64_t stop, int64_t step, float *want) {
  const int64_t lo = step > 0 ? 0 : -1, hi = step > 0 ? N : N - 1;
  size_t n = 0;

  start = start == GG_END ? (step > 0 ? lo : hi)
          : start < 0     ? start + N
                          : start;
  stop = stop == GG_END ? (step > 0 ? hi : lo) : stop < 0 ? stop + N : stop;
  start = start < lo ? lo : start > hi ? hi : start;
  stop = stop < lo ? lo : stop > hi ? hi : stop;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
    want[n++] = five[i];
  return n;
}

static void bounds_are_those_of_python(void **state) {
  static const int64_t bounds[] = {GG_END, -7, -5, -2, -1, 0, 1, 4, 5, 9};
  static const int64_t steps[] = {1, 2, -1, -3, 7};
  const size_t n = sizeof bounds / sizeof *bounds;
  float want[N];

  (void)state;
  make(gg_slice_at(x, 0, bound[0], bound[1], bound[2]));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        assert_ok(call(bounds[i], bounds[k], steps[s]));
        assert_floats(&out, want, expect(bounds[i], bounds[k], steps[s], want));
        GpuArray_clear(&out);
      }
}

static void open_bounds_may_be_left_out(void **state) {
  (void)state;
  make(gg_slice_at(x, -1, NULL, bound[1], NULL));
  assert_ok(call(0, -2, 0));
  assert_floats(&out, five, 3);
}

static void constants_give_a_plain_slice(void **state) {
  (void)state;
  assert_ptr_equal(gg_slice_at(x, 0, gg_i64(g, 1), gg_i64(g, -1), NULL),
                   gg_slice(x, 0, 1, -1, 1));
  assert_ptr_equal(gg_slice_at(x, 0, NULL, NULL, NULL), x);
  /* A double cannot tell this one from GG_END. */
  assert_ptr_equal(gg_slice_at(x, 0, NULL, gg_i64(g, INT64_MIN + 1), NULL),
                   gg_slice(x, 0, GG_END, INT64_MIN + 1, 1));
  assert_ptr_equal(gg_index_at(x, 0, gg_i64(g, -2)), gg_index(x, 0, -2));
  assert_ptr_equal(gg_slice_set_at(x, 0, gg_i64(g, 1), NULL, NULL, x),
                   gg_slice_set(x, 0, 1, GG_END, 1, x));
  assert_ptr_equal(gg_slice_at(x, 0, gg_scalar(g, GA_BYTE, -2), NULL, NULL),
                   gg_slice(x, 0, -2, GG_END, 1));
  /* Numbers beyond int64 are beyond any axis. */
  gg_var *const most = gg_scalar(g, GA_ULONG, 9223372036854775808.0);
  assert_ptr_equal(gg_slice_at(x, 0, most, NULL, NULL),
                   gg_slice(x, 0, INT64_MAX, GG_END, 1));
  assert_string_equal(gg_var_owner(gg_index_at(x, 0, most))->op->name,
                      "index_at");
}

/* The last element has the gradient, also where it is counted from the end. */
static void indices_from_the_end_have_gradients(void **state) {
  (void)state;
  for (int64_t at = -2; at < 0; at++) {
    gg_var *d;

    assert_ok(gg_grad(&d, gg_sqr(gg_index(x, 0, at)), 1, &x));
    make(d);
    assert_ok(call(0, 0, 0));
    assert_floats(
        &out, at == -1 ? (float[]){0, 0, 0, 0, 10} : (float[]){0, 0, 0, 8, 0},
        N);
    GpuArray_clear(&out);
    gg_func_free(f);
    f = NULL;
  }
}

static void refuses(int64_t start, int64_t step, const char *message) {
  assert_code(GA_VALUE_ERROR, call(start, 2, step));
  assert_string_equal(gg_func_error(f), message);
}

static void a_step_of_0_is_refused(void **state) {
  (void)state;
  make(gg_slice_at(x, 0, bound[0], bound[1], bound[2]));
  refuses(0, 0,
          "function: slice_at(float32[5], int64, int64, int64): the step is 0");
  assert_ok(call(0, 2, 1));
}

static void an_index_counts_from_either_end(void **state) {
  (void)state;
  make(gg_index_at(x, 0, bound[0]));
  assert_ok(call(3, 0, 0));
  assert_floats(&out, (float[]){4}, 1);
  assert_ok(call(-5, 0, 0));
  assert_floats(&out, (float[]){1}, 1);
  refuses(
      5, 0,
      "function: index_at(float32[5], int64): index 5 is outside of size 5");
  refuses(-6, 0,
          "function: index_at(float32[5], int64): index -6 is outside "
          "of size 5");
}

static void only_integers_are_bounds(void **state) {
  const int64_t two = 2;
  gg_var *s = gg_shared_host(g, "s", GA_LONG, 0, NULL, &two);

  (void)state;
  assert_null(gg_index_at(x, 0, x));
  assert_string_equal(gg_graph_error(g), "index_at(float32[?]): expected an "
                                         "integer scalar, got float32[?]");
  gg_graph_reset_error(g);
  make(gg_slice_at(x, 0, s, NULL, NULL));
  assert_ok(call(0, 0, 0));
  assert_floats(&out, five + 2, 3);
}

/* A cache of rows that grows in place: one kernel, and nothing else moves. */
static void an_update_writes_to_its_place_alone(void **state) {
  gg_var *s = gg_shared_host(g, "s", GA_FLOAT, 1, (size_t[]){N}, five);
  gg_var *const one = gg_i64(g, 1);
  gg_var *next =
      gg_slice_set_at(s, 0, bound[0], gg_add(bound[0], one), NULL, gg_sum(x));

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, bound[0], bound[1], bound[2]),
                         .updates = GG_UPDATES({s, next}),
                         .flags = GG_ALLOW_UNUSED_INPUT});
  assert_ok(call(1, 0, 0));
  assert_ok(call(3, 0, 0));
  assert_ok(gg_shared_get(s, &out));
  assert_floats(&out, (float[]){1, 15, 3, 15, 5}, N);
  assert_int_equal(func_stats(f).steps, 3);            /* sum, fill, set */
  assert_true(func_stats(f).temp_bytes < sizeof five); /* no copy of s */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(bounds_are_those_of_python, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(open_bounds_may_be_left_out, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(constants_give_a_plain_slice, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(indices_from_the_end_have_gradients,
                                      setup, teardown),
      cmocka_unit_test_setup_teardown(a_step_of_0_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(an_index_counts_from_either_end, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(only_integers_are_bounds, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(an_update_writes_to_its_place_alone,
                                      setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
