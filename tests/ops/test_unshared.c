/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with filters of their own for each position: values against a
 * loop in double, gradients against differences, and what is refused. */
#include "support/graph_case.h"

#include <gpugraph/conv.h>

enum { MOST = 4096 };

static float x_data[MOST], w_data[MOST], want[MOST];

/* Sizes of x, w and y; unused spatial dimensions have size 1, so that loops go
 * over three. */
typedef struct problem {
  GpuConv c;
  size_t n, channels, filters;
  size_t x[3], w[3], y[3];
} problem;

static const problem planes = {{2, {2, 1}, {1, 2}, {1, 0}, {0, 1}, 2, 1},
                               2,
                               4,
                               6,
                               {6, 5, 1},
                               {3, 2, 1},
                               {3, 4, 1}};
static const problem lines = {
    {1, {2}, {1}, {0}, {1}, 1, 0}, 3, 2, 2, {6, 1, 1}, {3, 1, 1}, {3, 1, 1}};
static const problem volumes = {
    {3, {1, 2, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, 1, 0},
    1,
    2,
    3,
    {3, 4, 2},
    {2, 2, 3},
    {2, 2, 2}};

/* Element `tap` of a window at position o along dimension d, or -1. */
static ptrdiff_t find(const problem *p, unsigned int d, size_t o, size_t tap) {
  if (d >= p->c.nd)
    return 0;
  const size_t k = p->c.flip ? p->w[d] - 1 - tap : tap;
  const size_t at = o * p->c.stride[d] + k * p->c.dilation[d];

  return at < p->c.before[d] || at - p->c.before[d] >= p->x[d]
             ? -1
             : (ptrdiff_t)(at - p->c.before[d]);
}

/* Element (n, f, o) of the result. */
static double sum_at(const problem *p, size_t n, size_t f, const size_t *o) {
  const size_t each = p->channels / p->c.groups;
  const size_t first = f / (p->filters / p->c.groups) * each;
  const size_t row = ((f * p->y[0] + o[0]) * p->y[1] + o[1]) * p->y[2] + o[2];
  const size_t taps = p->w[0] * p->w[1] * p->w[2];
  double sum = 0;

  for (size_t c = 0; c < each; c++)
    for (size_t k = 0; k < taps; k++) {
      const ptrdiff_t i = find(p, 0, o[0], k / (p->w[1] * p->w[2]));
      const ptrdiff_t j = find(p, 1, o[1], k / p->w[2] % p->w[1]);
      const ptrdiff_t m = find(p, 2, o[2], k % p->w[2]);
      if (i < 0 || j < 0 || m < 0)
        continue;
      const size_t at =
          (((n * p->channels + first + c) * p->x[0] + (size_t)i) * p->x[1] +
           (size_t)j) *
              p->x[2] +
          (size_t)m;
      sum += (double)w_data[(row * each + c) * taps + k] * (double)x_data[at];
    }
  return sum;
}

static size_t volume(const size_t *n) {
  return n[0] * n[1] * n[2];
}

static void fill_want(const problem *p) {
  size_t at = 0, o[3];

  for (size_t n = 0; n < p->n; n++)
    for (size_t f = 0; f < p->filters; f++)
      for (o[0] = 0; o[0] < p->y[0]; o[0]++)
        for (o[1] = 0; o[1] < p->y[1]; o[1]++)
          for (o[2] = 0; o[2] < p->y[2]; o[2]++)
            want[at++] = (float)sum_at(p, n, f, o);
}

/* Fill a and b, and make inputs of their sizes, or of open ones. */
static void make_inputs(const problem *p, int is_open, gg_var **in) {
  const unsigned int nd = p->c.nd;
  const size_t each = p->channels / p->c.groups;
  size_t dims[2][GG_MAX_ND] = {{p->n, p->channels}, {p->filters}};
  int64_t types[2][GG_MAX_ND];

  for (unsigned int d = 0; d < nd; d++) {
    dims[0][2 + d] = p->x[d];
    dims[1][1 + d] = p->y[d];
    dims[1][2 + nd + d] = p->w[d];
  }
  dims[1][1 + nd] = each;
  for (unsigned int i = 0; i < 2; i++)
    for (unsigned int d = 0; d < GG_MAX_ND; d++)
      types[i][d] = is_open ? GG_ANY : (int64_t)dims[i][d];
  test_fill(x_data, GA_FLOAT, p->n * p->channels * volume(p->x), -1, 1, 4);
  test_fill(w_data, GA_FLOAT, p->filters * volume(p->y) * each * volume(p->w),
            -1, 1, 5);
  test_array(&a, GA_FLOAT, nd + 2, dims[0], x_data);
  test_array(&b, GA_FLOAT, 2 * nd + 2, dims[1], w_data);
  in[0] = gg_input_sized(g, "x", GA_FLOAT, nd + 2, types[0]);
  in[1] = gg_input_sized(g, "w", GA_FLOAT, 2 * nd + 2, types[1]);
}

static void check_values(const problem *p, int is_open) {
  gg_var *in[2];

  make_inputs(p, is_open, in);
  gg_var *y = gg_conv_unshared(in[0], in[1], &p->c);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(in[0], in[1]),
                                            .outputs = GG_VARS(y)});
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  fill_want(p);
  assert_int_equal(out.nd, p->c.nd + 2);
  for (unsigned int d = 0; d < p->c.nd; d++)
    assert_int_equal(out.dimensions[d + 2], p->y[d]);
  test_array_close(&out, want, 1e-5, 1e-5);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_func_free(f);
}

static void values_are_those_of_a_loop(void **state) {
  (void)state;
  check_values(&planes, 1);
  check_values(&lines, 0);
  check_values(&volumes, 0);
}

static void gradients_agree_with_differences(void **state) {
  gg_var *in[2];

  (void)state;
  make_inputs(&planes, 0, in);
  gg_var *y = gg_conv_unshared(in[0], in[1], &planes.c);
  assert_ok(gg_check_gradient(gg_mean(gg_sqr(y)), 2, in, (GpuArray *[]){&a, &b},
                              1e-2, 2e-2));
}

/* The counts of positions agree in their product alone. */
static void calls_check_positions(void **state) {
  problem p = planes;
  gg_var *in[2];

  (void)state;
  p.y[0] = 4;
  p.y[1] = 3;
  make_inputs(&p, 1, in);
  gg_var *y = gg_conv_unshared(in[0], in[1], &p.c);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(in[0], in[1]),
                                            .outputs = GG_VARS(y)});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  gg_func_free(f);
}

static gg_var *sized(int dtype, unsigned int nd, const int64_t *dims) {
  return gg_input_sized(g, NULL, dtype, nd, dims);
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = sized(GA_FLOAT, 3, (int64_t[]){1, 4, 9});
  gg_var *w = sized(GA_FLOAT, 4, (int64_t[]){2, 7, 4, 3});
  gg_var *whole = sized(GA_INT, 4, (int64_t[]){2, 7, 4, 3});
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};

  (void)state;
  assert_non_null(gg_conv_unshared(x, w, NULL));
  graph_refused(gg_conv_unshared(whole, whole, NULL),
                "conv_unshared(int32[2, 7, 4, 3], int32[2, 7, 4, 3]): expected "
                "a float dtype");
  graph_refused(
      gg_conv_unshared(w, w, &c),
      "conv_unshared(float32[2, 7, 4, 3], float32[2, 7, 4, 3]): 1 spatial "
      "dimensions of 4 and 4, expected 1 to 3, of [images, channels, "
      "sizes...] and [filters, positions..., channels of a group, sizes...]");
  c.groups = 3;
  graph_refused(
      gg_conv_unshared(x, w, &c),
      "conv_unshared(float32[1, 4, 9], float32[2, 7, 4, 3]): 3 groups; "
      "these divide channels and filters, and a filter has the channels of a "
      "group");
  c.groups = 1;
  c.after[0] = 1;
  graph_refused(
      gg_conv_unshared(x, w, &c),
      "conv_unshared(float32[1, 4, 9], float32[2, 7, 4, 3]): dim 0: input 9 "
      "and filters 3 give 8 positions, there are filters for 7");
  c.stride[0] = 0;
  graph_refused(gg_conv_unshared(x, w, &c),
                "conv_unshared(float32[1, 4, 9], float32[2, 7, 4, 3]): dim 0: "
                "stride is 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_are_those_of_a_loop, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_agree_with_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(calls_check_positions, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, graph_setup,
                                      graph_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
