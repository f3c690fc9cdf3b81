/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of images as matrices and back, by padding and by rules for borders,
 * against plain loops. */
#include "support/graph_case.h"

#include <gpugraph/images.h>
#include <stdlib.h>

enum { N = 2, C = 3, H = 5, W = 7 };

static float x_data[N * C * H * W];

static void fill(void) {
  test_fill(x_data, GA_FLOAT, N * C * H * W, -1, 1, 4);
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, C, H, W}, x_data);
}

static const GpuPooling geometry = {.nd = 2,
                                    .size = {2, 3},
                                    .stride = {1, 2},
                                    .dilation = {2, 1},
                                    .before = {1, 0},
                                    .after = {0, 1}};

/* Element k of window o of a plane. */
static float window_element(size_t plane, size_t o, size_t k, size_t columns) {
  const size_t i = o / columns + k / 3 * 2, j = o % columns * 2 + k % 3;

  return i < 1 || i - 1 >= H || j >= W ? 0
                                       : x_data[(plane * H + i - 1) * W + j];
}

static void windows_are_those_of_a_loop(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_var *y = gg_windows(x, &geometry), *z = gg_neighbours(x, &geometry);
  gg_var *const sizes[2] = {gg_shape(x, 2), gg_shape(x, 3)};
  gg_var *back = gg_windows_back(y, &geometry, sizes);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(
                             y, z, back, gg_neighbours_back(z, &geometry, x))});
  const size_t rows = H + 1 - 2, columns = (W + 1 - 3) / 2 + 1;
  const size_t windows = rows * columns, n = N * C * 6 * windows;
  float *want = malloc(n * sizeof *want), twice[N * C * H * W];
  GpuArray got[4] = {{NULL}, {NULL}, {NULL}, {NULL}};

  (void)state;
  fill();
  func_run(f, (GpuArray *[]){&a},
           (GpuArray *[]){&got[0], &got[1], &got[2], &got[3]});
  for (size_t i = 0; i < n; i++)
    want[i] = window_element(i / (6 * windows), i % windows, i / windows % 6,
                             columns);
  test_array_equal(&got[0], want);
  for (size_t i = 0; i < n; i++)
    want[i] =
        window_element(i / (6 * windows), i / 6 % windows, i % 6, columns);
  test_array_equal(&got[1], want);
  /* Each element comes back as often as it is in a window. */
  for (size_t i = 0; i < N * C * H * W; i++) {
    const size_t r = i / W % H + 1, c = i % W;
    int count = 0;
    for (size_t o = 0; o < windows; o++)
      for (size_t k = 0; k < 6; k++)
        count += o / columns + k / 3 * 2 == r && o % columns * 2 + k % 3 == c;
    twice[i] = (float)count * x_data[i];
  }
  test_array_close(&got[2], twice, 1e-6, 1e-6);
  test_array_close(&got[3], twice, 1e-6, 1e-6);
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&got[i]);
  free(want);
  gg_func_free(f);
}

/* --- borders --- */

/* Element k of window (i, j) of a plane as Theano defines it. */
static float bordered(size_t plane, int i, int j, int k, const size_t *size,
                      const size_t *step, gg_borders how) {
  const int before[2] = {how == GG_BORDERS_FULL  ? (int)size[0] - 1
                         : how < GG_BORDERS_WRAP ? 0
                                                 : (int)size[0] / 2,
                         how == GG_BORDERS_FULL  ? (int)size[1] - 1
                         : how < GG_BORDERS_WRAP ? 0
                                                 : (int)size[1] / 2};
  int row = i * (int)step[0] + k / (int)size[1] - before[0];
  int column = j * (int)step[1] + k % (int)size[1] - before[1];

  if (how == GG_BORDERS_WRAP) {
    row = (row + H) % H;
    column = (column + W) % W;
  }
  return row < 0 || row >= H || column < 0 || column >= W
             ? 0
             : x_data[(plane * H + (size_t)row) * W + (size_t)column];
}

/* Windows by a rule, of which there are rows x columns, and their sum. */
static void check_borders(gg_borders how, const GpuPooling *p, size_t rows,
                          size_t columns) {
  enum { LARGE = N * C * H * W * 32 };
  static float want[LARGE], sum[N * C * H * W];
  const size_t each = p->size[0] * p->size[1], windows = rows * columns;
  const size_t total = windows * (N * C);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_var *y = gg_neighbours_bordered(x, p, how), *first;
  gg_var *back = gg_neighbours_bordered_back(y, p, how, x);
  GpuArray got[3] = {{NULL}, {NULL}, {NULL}};

  /* The way back is the gradient of half the sum of squares. */
  assert_ok(gg_grad(&first, gg_mul(gg_sum(gg_sqr(y)), gg_f32(g, 0.5f)), 1, &x));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(y, back, first)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1], &got[2]});
  assert_true(total * each <= LARGE);
  assert_int_equal(got[0].dimensions[0], total);
  for (size_t i = 0; i < total * each; i++) {
    const size_t o = i / each % windows;
    want[i] =
        bordered(i / each / windows, (int)(o / columns), (int)(o % columns),
                 (int)(i % each), p->size, p->stride, how);
  }
  test_array_equal(&got[0], want);
  test_gather(&got[2], sum);
  test_array_close(&got[1], sum, 1e-5, 1e-5);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&got[i]);
  gg_func_free(f);
}

static void borders_follow_rules(void **state) {
  const GpuPooling odd = {
      .nd = 2, .size = {3, 5}, .stride = {2, 1}, .dilation = {1, 1}};
  const GpuPooling even = {
      .nd = 2, .size = {2, 4}, .stride = {1, 1}, .dilation = {1, 1}};

  (void)state;
  fill();
  check_borders(GG_BORDERS_VALID, &odd, 2, 3);
  check_borders(GG_BORDERS_WRAP, &odd, 3, 7);
  check_borders(GG_BORDERS_HALF, &even, 6, 8);
  check_borders(GG_BORDERS_FULL, &odd, 4, 11);
}

static void borders_are_checked(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){1, 1, 8});
  GpuPooling p = {.nd = 1, .size = {3}, .stride = {2}, .dilation = {1}};

  (void)state;
  graph_refused(gg_neighbours_bordered(x, &p, GG_BORDERS_VALID),
                "neighbours_bordered(float32[1, 1, 8]): dim 0: windows of 3 "
                "elements, 2 apart, leave 1 of the 8 elements with padding; "
                "GG_BORDERS_IGNORE allows that");
  assert_non_null(gg_neighbours_bordered(x, &p, GG_BORDERS_IGNORE));
  p.size[0] = 2;
  graph_refused(gg_neighbours_bordered(x, &p, GG_BORDERS_WRAP),
                "neighbours_bordered(float32[1, 1, 8]): windows about elements "
                "have odd sizes");
  p.size[0] = 9;
  graph_refused(gg_neighbours_bordered(x, &p, GG_BORDERS_FULL),
                "neighbours_bordered(float32[1, 1, 8]): dim 0: windows of 9 "
                "elements, x has 8");
  p.dilation[0] = 2;
  graph_refused(gg_neighbours_bordered(x, &p, GG_BORDERS_FULL),
                "neighbours_bordered(float32[1, 1, 8]): expected windows of at "
                "least 1 element, strides of at least 1, dilation 1");
  graph_refused(gg_neighbours_bordered(x, &p, (gg_borders)7),
                "neighbours_bordered(float32[1, 1, 8]): expected [images, "
                "channels, 1 to 3 sizes], and one of the rules for borders");
  graph_refused(gg_neighbours_bordered_back(x, NULL, GG_BORDERS_WRAP, x),
                "neighbours_bordered_back(float32[1, 1, 8]): no geometry");
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4);
  GpuPooling p = geometry;

  (void)state;
  assert_null(gg_windows(x, NULL));
  gg_graph_reset_error(g);
  gg_var *sized = gg_input_sized(g, "s", GA_FLOAT, 4, (int64_t[]){1, 1, 1, 7});
  p.before[0] = 0;
  assert_null(gg_windows(sized, &p));
  gg_graph_reset_error(g);
  p = (GpuPooling){.nd = 2,
                   .size = {2, 2},
                   .stride = {1, 1},
                   .dilation = {1, 1},
                   .before = {1, 1},
                   .after = {1, 1}};
  assert_non_null(gg_windows(x, &p));
  p.size[0] = SIZE_MAX;
  assert_null(gg_windows(x, &p));
  gg_graph_reset_error(g);
  assert_null(gg_windows_back(x, &geometry, NULL));
  gg_graph_reset_error(g);
  assert_null(gg_neighbours_back(x, &geometry, x));
  gg_graph_reset_error(g);
  p = (GpuPooling){.nd = 1, .size = {3}, .stride = {1}, .dilation = {1}};
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 3, (int64_t[]){1, 6, 4});
  graph_refused(gg_windows_back(y, &p, (gg_var *[]){gg_i64(g, 5)}),
                "windows_back(float32[1, 6, 4]): dim 2 has 4 elements, "
                "expected 3: a column for each window, and a row for each of "
                "its elements in each channel");
}

/* Open sizes: the message has the builder. */
static void calls_check_windows(void **state) {
  const GpuPooling p = {.nd = 1, .size = {3}, .stride = {1}, .dilation = {1}};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_windows(x, &p))});

  (void)state;
  test_array(&a, GA_FLOAT, 3, (size_t[]){1, 1, 2}, (float[]){1, 2});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_message(
      GA_VALUE_ERROR,
      "windows(float32[1, 1, 2]): a window spans at most the padded source; "
      "computed as ");
  assert_message(GA_VALUE_ERROR, "dim 2: expected 3, got 2");
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(windows_are_those_of_a_loop), TEST(borders_follow_rules),
      TEST(borders_are_checked), TEST(calls_check_windows),
      TEST(what_does_not_fit_is_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
