/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops of integers and of parts of floats: what they refuse, and that constants
 * and debug mode give what kernels give. NumPy judges the values
 * (numpy/elements.c). */
#include <float.h>
#include <math.h>

#include "support/graph_case.h"

static const gg_mode modes[] = {GG_FAST_RUN, GG_NO_REWRITE, GG_DEBUG};

static void floats_are_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const n = gg_input(g, "n", GA_INT, 1);

  (void)state;
  graph_refused(gg_left_shift(n, x),
                "left_shift(int32[?], float32[?]): expected integers");
  graph_refused(gg_right_shift(x, n),
                "right_shift(float32[?], int32[?]): expected integers");
  graph_refused(gg_popcount(x), "popcount(float32[?]): expected integers");
  graph_refused(gg_gcd(x, x), "gcd(float32[?], float32[?]): expected integers");
  graph_refused(gg_lcm(n, NULL), "lcm(int32[?], NULL): operand 1 is NULL");
}

static void dtypes_are_those_of_numpy(void **state) {
  gg_var *const half = gg_input(g, "h", GA_HALF, 1);
  gg_var *const n = gg_input(g, "n", GA_INT, 1);
  gg_var *const truth = gg_input(g, "b", GA_BOOL, 1);
  gg_var *const u = gg_input(g, "u", GA_UBYTE, 1);

  (void)state;
  assert_int_equal(gg_var_type(gg_ldexp(half, n))->dtype, GA_HALF);
  assert_int_equal(gg_var_type(gg_mantissa(half))->dtype, GA_HALF);
  assert_int_equal(gg_var_type(gg_exponent(half))->dtype, GA_INT);
  assert_int_equal(gg_var_type(gg_nextafter(half, half))->dtype, GA_HALF);
  assert_int_equal(gg_var_type(gg_left_shift(truth, truth))->dtype, GA_BYTE);
  assert_int_equal(gg_var_type(gg_left_shift(u, n))->dtype, GA_INT);
  assert_int_equal(gg_var_type(gg_popcount(n))->dtype, GA_UBYTE);
  assert_int_equal(gg_var_type(gg_pow(u, u))->dtype, GA_UBYTE);
}

/* 5 operations of two integers, as floats: in one kernel with other maps. */
static gg_var *mixed(gg_var *x, gg_var *y) {
  gg_var *sum = gg_cast(gg_pow(x, y), GA_FLOAT);

  sum = gg_add(sum, gg_cast(gg_gcd(x, y), GA_FLOAT));
  sum = gg_add(sum, gg_cast(gg_lcm(x, y), GA_FLOAT));
  sum = gg_add(sum, gg_cast(gg_left_shift(x, y), GA_FLOAT));
  sum = gg_add(sum, gg_cast(gg_right_shift(x, y), GA_FLOAT));
  sum = gg_add(sum, gg_cast(gg_popcount(x), GA_FLOAT));
  return gg_sum(gg_mul(sum, gg_f32(g, 2)));
}

static void all_modes_agree(void **state) {
  static const int xs[5] = {-3, 0, 5, 12, 7}, ys[5] = {2, 3, -1, 40, 1};
  /* Of powers, divisors, multiples, shifts up and down, bits. */
  const float want = 2 * (9 + 1 + 6 - 12 - 1 + 2) +
                     2 * (0 + 3 + 0 + 0 + 0 + 0) + 2 * (0 + 1 + 5 + 0 + 0 + 2) +
                     2 * (0 + 4 + 120 + 0 + 0 + 2) +
                     2 * (7 + 1 + 7 + 14 + 3 + 3);
  gg_var *x = gg_input(g, "x", GA_INT, 1), *y = gg_input(g, "y", GA_INT, 1);
  const size_t n = 5;

  (void)state;
  gg_var *const known = mixed(gg_constant(g, GA_INT, 1, &n, xs),
                              gg_constant(g, GA_INT, 1, &n, ys));
  test_array(&a, GA_INT, 1, &n, xs);
  test_array(&b, GA_INT, 1, &n, ys);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    gg_func *f =
        func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                     .outputs = GG_VARS(mixed(x, y), known),
                                     .mode = modes[i]});
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
    assert_floats(&out, &want, 1);
    assert_floats(&out2, &want, 1);
    gg_func_free(f);
  }
}

/* As in Python: a quotient of 0 has the sign of a / b, a remainder of 0 that of
 * b. */
static void zeros_have_signs(void **state) {
  static const float xs[8] = {0, -0.f, 0, -0.f, 4, -4, 1, -1};
  static const float ys[8] = {3, 3, -3, -3, -2, 2, -INFINITY, -INFINITY};
  static const float quotients[8] = {1, -1, -1, 1, -1, -1, -1, 1};
  static const float remainders[8] = {1, 1, -1, -1, -1, 1, -1, -1};
  const size_t n = 8;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *const cx = gg_constant(g, GA_FLOAT, 1, &n, xs);
  gg_var *const cy = gg_constant(g, GA_FLOAT, 1, &n, ys);
  gg_var *const one = gg_f32(g, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x, y),
             .outputs = GG_VARS(
                 gg_join(0, 2,
                         (gg_var *[]){gg_copysign(one, gg_floordiv(x, y)),
                                      gg_copysign(one, gg_floordiv(cx, cy))}),
                 gg_join(0, 2,
                         (gg_var *[]){gg_copysign(one, gg_mod(x, y)),
                                      gg_copysign(one, gg_mod(cx, cy))}))});

  (void)state;
  float_vector(&a, n, xs);
  float_vector(&b, n, ys);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  for (size_t k = 0; k < 2; k++) {
    float got[16];
    assert_ok(GpuArray_read(got, sizeof got, k == 0 ? &out : &out2));
    for (size_t i = 0; i < 16; i++)
      assert_true(got[i] == (k == 0 ? quotients : remainders)[i % 8]);
  }
  gg_func_free(f);
}

/* NumPy has no bfloat16. */
static void neighbours_of_bfloats(void **state) {
  static const float xs[4] = {1, -1, 1, 3}, ys[4] = {2, 0, 1, -9};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *const next =
      gg_nextafter(gg_cast(x, GA_BFLOAT), gg_cast(y, GA_BFLOAT));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                         .outputs = GG_VARS(gg_cast(next, GA_FLOAT))});

  (void)state;
  assert_int_equal(gg_var_type(next)->dtype, GA_BFLOAT);
  float_vector(&a, 4, xs);
  float_vector(&b, 4, ys);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){1.0078125f, -0.99609375f, 1, 2.984375f}, 4);
  gg_func_free(f);
}

enum { N = 8 };

/* The host computes with doubles when constants are folded and in debug
 * mode. */
static void neighbours_of_constants(void **state) {
  static const float xs[N] = {1, 1, -1, FLT_MAX, -FLT_MAX, -INFINITY, 0, -0.f};
  static const float ys[N] = {2, 0, -2, INFINITY, -INFINITY, 1, -1, 1};
  const size_t n = N;
  float want[N];
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *const known = gg_nextafter(gg_constant(g, GA_FLOAT, 1, &n, xs),
                                     gg_constant(g, GA_FLOAT, 1, &n, ys));

  (void)state;
  for (size_t i = 0; i < n; i++)
    want[i] = nextafterf(xs[i], ys[i]);
  float_vector(&a, N, xs);
  float_vector(&b, N, ys);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    gg_func *f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                           .outputs = GG_VARS(gg_nextafter(x, y), known),
                           .mode = modes[i],
                           .flags = GG_KEEP_SUBNORMALS});
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
    assert_floats(&out, want, N);
    assert_floats(&out2, want, N);
    gg_func_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(floats_are_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(dtypes_are_those_of_numpy, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(all_modes_agree, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(zeros_have_signs, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(neighbours_of_bfloats, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(neighbours_of_constants, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
