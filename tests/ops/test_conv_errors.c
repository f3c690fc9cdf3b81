/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions in graphs whose operands do not fit: refused when they are built
 * if sizes are known, and by calls if not. */
#include "support/graph_case.h"

#include <gpugraph/conv.h>

static gg_var *sized(int dtype, unsigned int nd, const int64_t *dims) {
  return gg_input_sized(g, NULL, dtype, nd, dims);
}

#define SIZED(...)                                                             \
  sized(GA_FLOAT, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),          \
        (int64_t[]){__VA_ARGS__})

#define CONV(a, b) gg_conv(a, b, &c)
#define BACK(a, b) gg_conv_transposed(a, b, &c, NULL)

static void ranks_and_dtypes_are_checked(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};
  const int64_t three[3] = {1, 3, 4};

  (void)state;
  graph_refused(CONV(sized(GA_INT, 3, three), sized(GA_INT, 3, three)),
                "conv(int32[1, 3, 4], int32[1, 3, 4]): expected a float dtype");
  graph_refused(CONV(SIZED(1, 3, 4, 5), SIZED(2, 3, 3, 3)),
                "conv(float32[1, 3, 4, 5], float32[2, 3, 3, 3]): operand 0 has "
                "4 dimensions, expected 3");
  graph_refused(gg_conv(SIZED(1, 3), SIZED(2, 3), NULL),
                "conv(float32[1, 3], float32[2, 3]): 0 spatial dimensions, "
                "expected 1 to 3");
  c.groups = 0;
  graph_refused(CONV(SIZED(1, 3, 4), SIZED(2, 3, 3)),
                "conv(float32[1, 3, 4], float32[2, 3, 3]): groups is 0, "
                "expected 1 or more");
}

static void builders_check_sizes(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};

  (void)state;
  graph_refused(CONV(SIZED(1, 3, 4), SIZED(2, 3, 0)),
                "conv(float32[1, 3, 4], float32[2, 3, 0]): dim 0: filters have "
                "size 0");
  graph_refused(CONV(SIZED(1, 3, 600000000), SIZED(2, 3, 3)),
                "conv(float32[1, 3, 600000000], float32[2, 3, 3]): dim 0: "
                "input 600000000, filters 3 with dilation 1: at most 536870911 "
                "elements");
  c.dilation[0] = 0;
  graph_refused(CONV(SIZED(1, 3, 4), SIZED(2, 3, 3)),
                "conv(float32[1, 3, 4], float32[2, 3, 3]): dim 0: stride 1, "
                "dilation 0, padding 0 and 0; stride and dilation are at least "
                "1, each is at most 536870911");
}

/* Without elements, and with too many. */
static void transposed_results_have_elements(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};

  (void)state;
  c.before[0] = 2;
  c.after[0] = 1;
  graph_refused(BACK(SIZED(1, 3, 1), SIZED(3, 2, 3)),
                "conv_transposed(float32[1, 3, 1], float32[3, 2, 3]): dim 0: 1 "
                "positions with stride 1, filters of 3 with dilation 1, "
                "padding 2 and 1 and 0 more give 0 elements, expected 1 to "
                "536870911");
  c.stride[0] = 536870911;
  graph_refused(
      BACK(SIZED(1, 3, 536870911), SIZED(3, 2, 3)),
      "conv_transposed(float32[1, 3, 536870911], float32[3, 2, 3]): "
      "dim 0: 536870911 positions with stride 536870911, filters of 3 "
      "with dilation 1, padding 2 and 1 and 0 more give "
      "288230374541099010 elements, expected 1 to 536870911");
}

/* Call f with an x [1, 3, 4] and filters of other sizes. */
static void check_call(gg_func *f, const size_t *w, const char *message) {
  static const float v[64] = {0};

  test_array(&a, GA_FLOAT, 3, (size_t[]){1, 3, 4}, v);
  test_array(&b, GA_FLOAT, 3, w, v);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_message(GA_VALUE_ERROR, message);
  assert_null(out.data);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void calls_check_sizes(void **state) {
  const GpuConv c = {
      .nd = 1, .stride = {1}, .dilation = {1}, .before = {1}, .groups = 1};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3), *w = gg_input(g, "w", GA_FLOAT, 3);
  gg_var *y = CONV(x, w);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, w), .outputs = GG_VARS(y)});

  (void)state;
  check_call(f, (size_t[]){2, 2, 3},
             "conv(float32[1, 3, 4], float32[2, 2, 3]): 3 channels in 1 groups "
             "are 3 in each, filters have 2");
  check_call(
      f, (size_t[]){2, 3, 6},
      "conv(float32[1, 3, 4], float32[2, 3, 6]): dim 0: filters of 6 with "
      "dilation 1 span 6, the input of 4 with padding 1 and 0 has 5");
  check_call(
      f, (size_t[]){2, 3, 0},
      "conv(float32[1, 3, 4], float32[2, 3, 0]): dim 0: filters have size "
      "0");
  gg_func_free(f);
}

static void transposed_calls_check_sizes(void **state) {
  const GpuConv c = {.nd = 1,
                     .stride = {1},
                     .dilation = {1},
                     .before = {2},
                     .after = {2},
                     .groups = 1};
  gg_var *y = gg_input(g, "y", GA_FLOAT, 3), *w = gg_input(g, "w", GA_FLOAT, 3);
  gg_var *x = BACK(y, w);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(y, w), .outputs = GG_VARS(x)});

  (void)state;
  check_call(f, (size_t[]){3, 2, 1}, "dim 2: expected 5, got 4");
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(ranks_and_dtypes_are_checked), TEST(builders_check_sizes),
      TEST(transposed_results_have_elements), TEST(calls_check_sizes),
      TEST(transposed_calls_check_sizes)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
