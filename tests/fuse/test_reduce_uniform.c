/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions of values that no array goes into: constants of one value, filled
 * shapes, and what is made of them. The same in every mode. */
#include <gpugraph/op.h>

#include "support/graph_case.h"

/* An op without a form for the host, so that nobody knows its result before a
 * kernel has computed it. */
static const gg_code opaque_code = {"(%0 + (%T)(1))", NULL, 1, 1};
static const gg_op opaque_op = {
    .name = "opaque", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &opaque_code};

static gg_var *opaque(gg_var *v) {
  return gg_op_apply(NULL, &opaque_op, NULL, 1, &v);
}

static gg_var *threes(gg_var *x) {
  return gg_fill(x, gg_f32(g, 3));
}

static gg_var *by_axis(gg_reduction op, gg_var *x, int axis) {
  return gg_reduce(op, x, 1, &axis, 0);
}

static gg_var *of_constant(gg_var *x) {
  (void)x;
  return gg_sum(gg_constant(g, GA_FLOAT, 1, (size_t[]){3}, (float[]){1, 1, 1}));
}

static gg_var *of_ones(gg_var *x) {
  return gg_sum(gg_ones_like(x));
}

static gg_var *of_products(gg_var *x) {
  return gg_prod(gg_mul(threes(x), gg_ones_like(x)));
}

static gg_var *of_columns(gg_var *x) {
  return gg_sum(gg_sqr(by_axis(GG_SUM, threes(x), 0)));
}

static gg_var *greatest(gg_var *x) {
  return gg_cast(gg_sum(gg_argmax_axis(threes(x), 1)), GA_FLOAT);
}

static gg_var *all_equal(gg_var *x) {
  gg_var *one = gg_f32(g, 1);

  return gg_cast(
      by_axis(GG_ALL_OF, by_axis(GG_ALL_OF, gg_eq(gg_ones_like(x), one), 0), 0),
      GA_FLOAT);
}

static gg_var *of_bias(gg_var *x) {
  gg_var *bias = gg_fill(by_axis(GG_MAX, x, 0), gg_f32(g, 0)), *slope;

  gg_grad(&slope, gg_sum(gg_add(x, bias)), 1, &bias);
  return gg_sum(slope);
}

static gg_var *of_softmax(gg_var *x) {
  return gg_sum(gg_softmax(threes(x)));
}

static gg_var *variance(gg_var *x) {
  return gg_sum(gg_add(by_axis(GG_VARIANCE, threes(x), 0),
                       by_axis(GG_SUM, threes(x), 0)));
}

/* No shape is asked for, as a filled one does, so nothing moves past the op. */
static gg_var *constant(void) {
  return gg_constant(g, GA_FLOAT, 2, (size_t[]){2, 3},
                     (float[]){3, 3, 3, 3, 3, 3});
}

static gg_var *of_opaque(gg_var *x) {
  (void)x;
  return gg_sum(gg_sqr(opaque(constant())));
}

static gg_var *rows_of_opaque(gg_var *x) {
  (void)x;
  return gg_sum(gg_sqr(gg_softmax(opaque(gg_sqrt(opaque(constant()))))));
}

static const struct {
  gg_var *(*build)(gg_var *x);
  float want;
} cases[] = {
    {of_constant, 3},
    {of_ones, 6},
    {of_products, 729},
    {of_columns, 108},
    {greatest, 0},
    {all_equal, 1},
    {of_bias, 6},
    {of_softmax, 2},
    {variance, 18},
    {of_opaque, 96},
    {rows_of_opaque, 2.f / 3},
};

static void run_case(gg_var *x, size_t i, gg_mode mode) {
  gg_var *y = cases[i].build(x);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(y),
                                            .mode = mode,
                                            .flags = GG_ALLOW_UNUSED_INPUT});

  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, &cases[i].want, 1);
  gg_func_free(f);
}

static void test_modes(void **state) {
  static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE,
                                  GG_DEBUG};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++)
      run_case(x, i, modes[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_modes, graph_setup, graph_teardown)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
