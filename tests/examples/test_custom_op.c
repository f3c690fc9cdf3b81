/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/custom_op.c: values and a gradient, in one function. */
#include "support/funcs.h"

/* The example's own functions, without its main. */
int example_main(void);
#define main example_main
#include "../../docs/examples/custom_op.c"
#undef main

static void test_values(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *v[4] = {NULL};
  GpuArray out[3] = {0};
  float got[3][N];

  (void)state;
  build(g, &v[0], &v[1], &v[2]);
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = v});
  func_run(f, NULL, (GpuArray *[]){&out[0], &out[1], &out[2]});
  for (int k = 0; k < 3; k++) {
    assert_ok(GpuArray_read(got[k], sizeof got[k], &out[k]));
    GpuArray_clear(&out[k]);
  }
  for (int i = 0; i < N; i++) {
    const double x = (double[]){-3, -1, 0, 1, 2, 5}[i], y = i + 1;
    const double s = x + y, q = 1 / (1 + exp(-s));
    assert_true(fabs((double)got[0][i] - (x - y)) < 1e-5);
    assert_true(fabs((double)got[1][i] - s * q) < 1e-5);
    assert_true(fabs((double)got[2][i] - (q + s * q * (1 - q))) < 1e-5);
  }
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_refused(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *k = gg_input(g, "k", GA_INT, 1);
  gg_var *plus, *minus;

  (void)state;
  plus_minus(x, k, &plus, &minus);
  assert_null(plus);
  assert_string_equal(gg_graph_error(g),
                      "plus_minus(float32[?], int32[?]): expected float32");
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
