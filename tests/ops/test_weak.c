/* SPDX-License-Identifier: BSD-2-Clause */
/* Weak scalars: dtypes, values, what does not fit, gradients. NumPy judges more
 * (numpy/dtypes.c). */
#include <gpugraph/op.h>

#include "support/graph_case.h"

static int dtype_of(const gg_var *v) {
  return v != NULL ? gg_var_type(v)->dtype : -1;
}

static gg_var *vector(int dtype) {
  return gg_input(g, "x", dtype, 1);
}

static void they_take_the_dtype_beside_them(void **state) {
  gg_var *const half = gg_weak(g, 0.5), *const two = gg_weak_int(g, 2);

  (void)state;
  assert_int_equal(dtype_of(gg_mul(vector(GA_HALF), half)), GA_HALF);
  assert_int_equal(dtype_of(gg_mul(half, vector(GA_DOUBLE))), GA_DOUBLE);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BYTE), half)), GA_FLOAT);
  assert_int_equal(dtype_of(gg_mul(vector(GA_LONG), half)), GA_FLOAT);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BOOL), half)), GA_FLOAT);
  assert_int_equal(dtype_of(gg_mul(vector(GA_HALF), two)), GA_HALF);
  assert_int_equal(dtype_of(gg_mul(vector(GA_UBYTE), two)), GA_UBYTE);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BOOL), two)), GA_LONG);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BFLOAT), half)), GA_BFLOAT);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BFLOAT), vector(GA_HALF))),
                   GA_FLOAT);
  assert_int_equal(dtype_of(gg_mul(vector(GA_BFLOAT), vector(GA_LONG))),
                   GA_BFLOAT);
  assert_int_equal(dtype_of(gg_add(half, two)), GA_FLOAT);
  assert_int_equal(dtype_of(gg_add(two, two)), GA_LONG);
  assert_int_equal(dtype_of(gg_exp(half)), GA_FLOAT);
  assert_int_equal(dtype_of(gg_where(vector(GA_BOOL), half, vector(GA_HALF))),
                   GA_HALF);
  assert_int_equal(dtype_of(gg_pow(vector(GA_SHORT), two)), GA_SHORT);
  assert_int_equal(dtype_of(gg_left_shift(vector(GA_UBYTE), two)), GA_UBYTE);
  assert_int_equal(dtype_of(gg_div(vector(GA_INT), two)), GA_FLOAT);
}

/* In nodes they are constants like others. */
static void they_are_exact_in_every_dtype(void **state) {
  gg_var *const tenth = gg_weak(g, 0.1);

  (void)state;
  assert_ptr_equal(gg_cast(tenth, GA_FLOAT), gg_f32(g, 0.1f));
  assert_ptr_equal(gg_cast(tenth, GA_DOUBLE), gg_f64(g, 0.1));
  assert_ptr_equal(gg_cast(gg_weak_int(g, 3), GA_FLOAT), gg_f32(g, 3));
  assert_ptr_equal(tenth, gg_weak(g, 0.1));
  assert_ptr_not_equal(tenth, gg_f32(g, 0.1f));
  assert_ptr_not_equal(tenth, gg_weak(g, (double)0.1f));
  assert_ptr_not_equal(gg_weak_int(g, 1), gg_weak(g, 1));
}

static void large_whole_ones_keep_their_bits(void **state) {
  const int64_t large = INT64_MAX - 1;
  double value;

  (void)state;
  gg_var *const v = gg_weak_int(g, large);
  assert_ptr_equal(gg_cast(v, GA_LONG), gg_i64(g, large));
  assert_int_equal(gg_var_weak(v, &value), GG_WEAK_INT);
  assert_int_equal(gg_var_weak(gg_weak(g, 2), &value), GG_WEAK_REAL);
  assert_true(value == 2);
  assert_int_equal(gg_var_weak(gg_i64(g, large), &value), GG_STRONG);
  assert_int_equal(gg_var_weak(NULL, &value), GG_STRONG);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  graph_refused(gg_add(vector(GA_BYTE), gg_weak_int(g, 300)),
                "cast(int64): 300 does not fit int8");
  graph_refused(gg_add(vector(GA_UINT), gg_weak_int(g, -1)),
                "cast(int64): -1 does not fit uint32");
  graph_refused(gg_cast(gg_weak_int(g, 256), GA_UBYTE),
                "cast(int64): 256 does not fit uint8");
  assert_null(gg_weak(NULL, 1));
  assert_null(gg_weak_int(NULL, 1));
  assert_int_equal(dtype_of(gg_lt(vector(GA_BYTE), gg_weak_int(g, 300))),
                   GA_BOOL);
}

/* By itself in a function, and in a gradient. */
static void functions_take_them(void **state) {
  gg_var *const x = vector(GA_FLOAT), *const w = gg_weak(g, 0.25);
  gg_var *const y = gg_sum(gg_mul(gg_pow(x, gg_weak_int(g, 2)), w));
  gg_var *dx;

  (void)state;
  assert_ok(gg_grad(&dx, y, 1, &x));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(dx, w)});
  float_vector(&a, 3, (float[]){1, -2, 8});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, (float[]){0.5f, -1, 4}, 3);
  assert_floats(&out2, (float[]){0.25f}, 1);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(they_take_the_dtype_beside_them,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(they_are_exact_in_every_dtype,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(large_whole_ones_keep_their_bits,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(functions_take_them, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
