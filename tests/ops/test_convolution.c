/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions in graphs: gradients of first and second order against
 * differences, results against the host's in debug mode, text, and what is
 * refused. */
#include "support/graph_case.h"

#include "support/roundtrip.h"

static const GpuConv geometry = {.nd = 2,
                                 .stride = {2, 1},
                                 .dilation = {1, 2},
                                 .before = {1, 0},
                                 .after = {0, 1},
                                 .groups = 2,
                                 .flip = 1};
static const size_t x_dims[4] = {2, 4, 6, 5}, w_dims[4] = {6, 2, 3, 2},
                    y_dims[4] = {2, 6, 3, 4};

static gg_var *input(const char *name, const size_t *dims) {
  int64_t sizes[4];

  for (int i = 0; i < 4; i++)
    sizes[i] = (int64_t)dims[i];
  return gg_input_sized(g, name, GA_FLOAT, 4, sizes);
}

static void fill(GpuArray *to, const size_t *dims, uint32_t seed) {
  float v[512];

  test_fill(v, GA_FLOAT, dims[0] * dims[1] * dims[2] * dims[3], -1, 1, seed);
  test_array(to, GA_FLOAT, 4, dims, v);
}

/* Check gradients of the sum of squares of y, and of the sum of squares of its
 * gradients. */
static void check_gradients(gg_var *y, gg_var *u, gg_var *v) {
  gg_var *const wrt[2] = {u, v};
  gg_var *cost = gg_sum(gg_sqr(y)), *first[2];
  GpuArray *const at[2] = {&a, &b};

  assert_ok(gg_check_gradient(cost, 2, wrt, at, 1e-2, 2e-2));
  assert_ok(gg_grad(first, cost, 2, wrt));
  cost = gg_add(gg_mean(gg_sin(first[0])), gg_mean(gg_sin(first[1])));
  assert_ok(gg_check_gradient(cost, 2, wrt, at, 1e-2, 5e-2));
}

static void gradients_agree_with_differences(void **state) {
  gg_var *x = input("x", x_dims), *w = input("w", w_dims),
         *y = input("y", y_dims);

  (void)state;
  fill(&a, x_dims, 1);
  fill(&b, w_dims, 2);
  check_gradients(gg_conv(x, w, &geometry), x, w);
  GpuArray_clear(&a);
  fill(&a, y_dims, 3);
  check_gradients(gg_conv_transposed(y, w, &geometry, (const size_t[]){1, 0}),
                  y, w);
}

/* In debug mode each result is compared with the host's. */
static void results_are_those_of_the_host(void **state) {
  gg_var *x = input("x", x_dims), *w = input("w", w_dims), *first[2];
  gg_var *y = gg_conv(x, w, &geometry);

  (void)state;
  assert_ok(gg_grad(first, gg_sum(gg_sqr(y)), 2, (gg_var *[]){x, w}));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, w),
                                   .outputs = GG_VARS(y, first[0], first[1]),
                                   .mode = GG_DEBUG});
  GpuArray got[3] = {{NULL}, {NULL}, {NULL}};
  fill(&a, x_dims, 1);
  fill(&b, w_dims, 2);
  func_run(f, (GpuArray *[]){&a, &b},
           (GpuArray *[]){&got[0], &got[1], &got[2]});
  for (int i = 0; i < 4; i++)
    assert_int_equal(got[0].dimensions[i], y_dims[i]);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&got[i]);
  gg_func_free(f);
}

/* Bias and activation are computed in the kernel, and an update of filters in
 * that of their gradient. */
static void maps_that_follow_cost_no_kernel(void **state) {
  gg_var *x = input("x", x_dims), *w = input("w", w_dims);
  GpuConv forward = geometry;
  forward.flip = 0; /* filters that are read backwards are copied */
  const size_t six[4] = {1, 6, 1, 1};
  gg_var *b_in = input("b", six);
  gg_var *y = gg_relu(gg_add(gg_conv(x, w, &forward), b_in)), *got;
  GpuArray z = {NULL}, first = {NULL}, plain = {NULL}, plain_first = {NULL};
  GpuArray bias_in;
  float v[6];

  (void)state;
  assert_ok(gg_grad(&got, gg_sum(gg_sqr(y)), 1, &w));
  got = gg_sub(w, gg_mul(gg_f32(g, 0.5f), got));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, w, b_in), .outputs = GG_VARS(y)});
  fill(&a, x_dims, 1);
  fill(&b, w_dims, 2);
  test_fill(v, GA_FLOAT, 6, -1, 1, 9);
  test_array(&bias_in, GA_FLOAT, 4, six, v);
  func_run(f, (GpuArray *[]){&a, &b, &bias_in}, (GpuArray *[]){&z});
  assert_int_equal(func_stats(f).steps, 1);
  GpuArray_clear(&z);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, w, b_in),
                                   .outputs = GG_VARS(y, got)});
  gg_func *h = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, w, b_in),
                                            .outputs = GG_VARS(y, got),
                                            .mode = GG_NO_REWRITE});
  func_run(f, (GpuArray *[]){&a, &b, &bias_in}, (GpuArray *[]){&z, &first});
  func_run(h, (GpuArray *[]){&a, &b, &bias_in},
           (GpuArray *[]){&plain, &plain_first});
  float want[144];
  test_gather(&plain, want);
  test_array_close(&z, want, 1e-5, 1e-5);
  test_gather(&plain_first, want);
  test_array_close(&first, want, 1e-4, 1e-4);
  GpuArray_clear(&z);
  GpuArray_clear(&first);
  GpuArray_clear(&plain);
  GpuArray_clear(&plain_first);
  GpuArray_clear(&bias_in);
  gg_func_free(f);
  gg_func_free(h);
}

static void the_geometry_is_saved(void **state) {
  (void)state;
  assert_same_text("x = input float32[2, 4, 6, 5]\n"
                   "w = input float32[6, 2, 3, 2]\n"
                   "y = conv{stride=[2, 1], dilation=[1, 2], before=[1, 0], "
                   "after=[0, 1], groups=2, flip=1}(x, w)\n"
                   "function f(x, w) -> (y)\n");
  assert_texts_refused(
      3, (refused_text[]){
             {"x = input float32[2, 4, 6]\nw = input float32[6, 4, 3]\n"
              "y = conv{stride=[0], dilation=[1], before=[0], "
              "after=[0]}(x, w)\n",
              "stride 0"},
             {"x = input float32[2, 4, 6]\nw = input float32[6, 4, 3]\n"
              "y = conv{stride=[1], dilation=[1], before=[0], "
              "after=[0], groups=0}(x, w)\n",
              "groups is 0"},
             {"x = input float32[2, 4, 6]\nw = input float32[6, 4, 3]\n"
              "y = conv{stride=[1], dilation=[1], before=[0], "
              "after=[0], flip=4294967296}(x, w)\n",
              "flip is 4294967296, expected 0 or 1"}});
}

static gg_var *sized(int64_t n, int64_t c, int64_t size) {
  return gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){n, c, size});
}

static void sizes_that_do_not_fit_are_refused(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {2}, .groups = 1};

  (void)state;
  graph_refused(
      gg_conv(sized(1, 3, 4), sized(2, 3, 3), &c),
      "conv(float32[1, 3, 4], float32[2, 3, 3]): dim 0: filters of 3 with "
      "dilation 2 span 5, the input of 4 with padding 0 and 0 has 4");
  graph_refused(
      gg_conv(sized(1, 3, 9), sized(2, 2, 3), &c),
      "conv(float32[1, 3, 9], float32[2, 2, 3]): 3 channels in 1 groups "
      "are 3 in each, filters have 2");
  c.groups = 2;
  graph_refused(gg_conv(sized(1, 3, 9), sized(2, 1, 3), &c),
                "conv(float32[1, 3, 9], float32[2, 1, 3]): 3 channels are no "
                "multiple of 2 groups");
  graph_refused(
      gg_conv(sized(1, 4, 9), sized(3, GG_ANY, 3), &c),
      "conv(float32[1, 4, 9], float32[3, ?, 3]): 3 filters are no multiple "
      "of 2 groups");
  graph_refused(
      gg_conv_transposed(sized(1, 4, 9), sized(2, 2, 3), &c,
                         (const size_t[]){0}),
      "conv_transposed(float32[1, 4, 9], float32[2, 2, 3]): y has a channel "
      "for each filter, and groups divide them; computed as "
      "conv_input(float32[1, 4, 9], float32[2, 2, 3], "
      "float32[1, 4, 13]): 2 and 4 filters of w and channels of y");
  c.stride[0] = 0;
  graph_refused(
      gg_conv(sized(1, 4, 9), sized(2, 2, 3), &c),
      "conv(float32[1, 4, 9], float32[2, 2, 3]): dim 0: stride 0, dilation "
      "2, padding 0 and 0; stride and dilation are at least 1, each is at "
      "most 536870911");
}

static void transposed_sizes_are_checked_first(void **state) {
  GpuConv c = {.nd = 1, .stride = {SIZE_MAX / 2}, .dilation = {1}, .groups = 1};

  (void)state;
  graph_refused(
      gg_conv_transposed(sized(1, 2, 4), sized(2, 3, 3), &c, NULL),
      "conv_transposed(float32[1, 2, 4], float32[2, 3, 3]): dim 0: "
      "stride 9223372036854775807, dilation 1, padding 0 and 0; stride and "
      "dilation are at least 1, each is at most 536870911");
  c.stride[0] = 2;
  graph_refused(
      gg_conv_transposed(sized(1, 2, 4), sized(2, 3, 3), &c,
                         (const size_t[]){2}),
      "conv_transposed(float32[1, 2, 4], float32[2, 3, 3]): dim 0: 2 more, "
      "expected less than the stride 2");
  c.nd = 2;
  graph_refused(
      gg_conv_transposed(sized(1, 2, 4), sized(2, 3, 3), &c, NULL),
      "conv_transposed(float32[1, 2, 4], float32[2, 3, 3]): operand 0 has 3 "
      "dimensions, expected 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(gradients_agree_with_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(results_are_those_of_the_host,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(maps_that_follow_cost_no_kernel,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(the_geometry_is_saved, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(sizes_that_do_not_fit_are_refused,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(transposed_sizes_are_checked_first,
                                      graph_setup, graph_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
