/* SPDX-License-Identifier: BSD-2-Clause */
/* An op whose kernels and whose code are in a file, test_op_file.kernels. */
#include "test_op_file.h"

#include <string.h>

#include "support/funcs.h"

extern unsigned int test_op_file_steps;

static gg_graph *g;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  test_op_file_steps = 0;
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static int infer(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *host, gg_dims *dims) {
  (void)a;
  (void)host;
  *dims = in[0];
  return GA_NO_ERROR;
}

static const gg_op affine_op = {.name = "affine",
                                .kind = GG_OP_KERNEL,
                                .props_bytes = sizeof(float),
                                .n_out = 1,
                                .c_order = 1,
                                .half_ok = 1,
                                .infer = infer,
                                .shape = shape,
                                .prepare = test_op_file_prepare};

/* The op on 1, 2 of a dtype; returns the code of the call. */
static int apply(int dtype, float factor, double got[2]) {
  const size_t n = 2;
  unsigned char raw[16];
  gg_var *x = gg_input(g, "x", dtype, 1);
  GpuArray in, out;
  gg_func *f;
  int err;

  memset(&out, 0, sizeof out);
  test_set(raw, dtype, 0, 1);
  test_set(raw, dtype, 1, 2);
  test_array(&in, dtype, 1, &n, raw);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_op_apply(
                                       NULL, &affine_op, &factor, 1, &x))});
  err = gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  if (err == GA_NO_ERROR) {
    test_gather(&out, raw);
    got[0] = test_get(raw, dtype, 0);
    got[1] = test_get(raw, dtype, 1);
  }
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
  return err;
}

/* One op, several dtypes: each has the macros of its own arrays. */
static void dtypes_do_not_stick(void **state) {
  static const int dtypes[] = {GA_FLOAT, GA_HALF,  GA_BFLOAT,
                               GA_INT,   GA_FLOAT, GA_BYTE};
  double got[2];
  size_t i;

  (void)state;
  for (i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    assert_ok(apply(dtypes[i], 3, got));
    assert_true(got[0] == 2 && got[1] == 5);
  }
}

static void every_type_of_argument(void **state) {
  double got[2];

  (void)state;
  assert_ok(apply(GA_FLOAT, 100, got));
  assert_true(got[0] == 1 + 2 - 3 + 40000 - 50000 + 6 - 7 + 8 - 9);
  assert_true(got[1] == 199);
}

static void sections_run_in_their_turn(void **state) {
  double got[2];

  (void)state;
  assert_ok(test_op_file_init(test_context()));
  assert_ok(apply(GA_FLOAT, 2, got));
  test_op_file_cleanup();
  assert_int_equal(test_op_file_steps, 1342);
}

static void code_may_fail(void **state) {
  double got[2];

  (void)state;
  assert_code(GA_MISC_ERROR, apply(GA_FLOAT, 13, got));
  assert_int_equal(test_op_file_steps, 4); /* cleaned up all the same */
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(dtypes_do_not_stick),
      TEST(every_type_of_argument),
      TEST(sections_run_in_their_turn),
      TEST(code_may_fail),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
