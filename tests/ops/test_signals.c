/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions by Fourier transforms: values against sums in double, for sizes
 * that calls decide; gradients; what is refused. */
#include <math.h>
#include <stdlib.h>

#include "support/graph_case.h"
#include "support/lcg.h"

/* --- convolutions --- */

enum { MOST = 20, ROWS = 3 };

/* Element i of the convolution of n and m elements. */
static double term_sum(const float *x, size_t n, const float *y, size_t m,
                       size_t i) {
  double sum = 0;

  for (size_t j = 0; j < n; j++)
    if (i >= j && i - j < m)
      sum += (double)x[j] * y[i - j];
  return sum;
}

/* Compare one part: `size` elements of each row from `start` on. */
static void check_part(const GpuArray *got, const float *x, size_t n,
                       const float *y, size_t m, size_t start, size_t size) {
  float want[ROWS * 2 * MOST];

  assert_int_equal(test_size(got), ROWS * size);
  for (size_t i = 0; i < ROWS * size; i++)
    want[i] = (float)term_sum(x + i / size * n, n, y, m, start + i % size);
  test_array_close(got, want, 1e-6, 3e-6);
}

/* An array of lines of n elements, whose elements v are in C order. */
static void random_lines(GpuArray *into, float *v, size_t rows, size_t n,
                         uint64_t *seed) {
  const ssize_t strides[2] = {1, -(ssize_t)rows - 1};

  test_fill(v, GA_FLOAT, rows * n, -1, 1, lcg_next(seed));
  test_array_strided(into, GA_FLOAT, 2, (size_t[]){rows, n}, strides, v);
}

static void convolutions_are_sums(void **state) {
  static const int axis = -1;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){1, GG_ANY});
  gg_var *out_of[4] = {NULL};
  GpuArray got[3] = {{0}};
  uint64_t seed = 3;

  (void)state;
  for (int part = 0; part < 3; part++)
    out_of[part] = gg_fft_convolve(x, y, 1, &axis, (gg_fft_convolve_part)part);
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = out_of});
  for (int round = 0; round < 8; round++) {
    const size_t n = 1 + lcg_below(&seed, MOST), m = 1 + lcg_below(&seed, MOST);
    const size_t less = n < m ? n : m, more = n < m ? m : n;
    float v[ROWS * MOST], w[MOST];

    random_lines(&a, v, ROWS, n, &seed);
    random_lines(&b, w, 1, m, &seed);
    func_run(f, (GpuArray *[]){&a, &b},
             (GpuArray *[]){&got[0], &got[1], &got[2]});
    check_part(&got[0], v, n, w, m, 0, n + m - 1);
    check_part(&got[1], v, n, w, m, (m - 1) / 2, n);
    check_part(&got[2], v, n, w, m, less - 1, more - less + 1);
    GpuArray_clear(&a);
    GpuArray_clear(&b);
    for (int part = 0; part < 3; part++)
      GpuArray_clear(&got[part]);
  }
  gg_func_free(f);
}

/* Over two axes, one of which broadcasts, of complex numbers and integers. */
static void planes_are_convolved(void **state) {
  const float z[8] = {1, 2, 0, -1, 3, 1, -2, 0}; /* 1 + 2i, -i, 3 + i, -2 */
  const int32_t w[2] = {1, 2};
  gg_var *const x = gg_constant(g, GA_CFLOAT, 2, (size_t[]){2, 2}, z);
  gg_var *const y = gg_constant(g, GA_INT, 2, (size_t[]){1, 2}, w);
  gg_var *const sum = gg_fft_convolve(x, y, 0, NULL, GG_CONVOLVE_FULL);
  const float re[6] = {1, 2, 0, 3, 4, -4}, im[6] = {2, 3, -2, 1, 2, 0};

  (void)state;
  test_need_full();
  gg_func *const f = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(gg_real(sum), gg_imag(sum))});
  func_run(f, NULL, (GpuArray *[]){&out, &out2});
  assert_int_equal(out.dimensions[0], 2);
  test_array_close(&out, re, 0, 2e-6);
  test_array_close(&out2, im, 0, 2e-6);
  gg_func_free(f);
}

static void convolutions_have_gradients(void **state) {
  static const int axis = 1;
  gg_var *const in[2] = {
      gg_input(g, "x", GA_FLOAT, 2),
      gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){1, GG_ANY})};
  float v[10], w[3];

  (void)state;
  test_fill(v, GA_FLOAT, 10, -1, 1, 4);
  test_fill(w, GA_FLOAT, 3, -1, 1, 5);
  float_array(&a, 2, (size_t[]){2, 5}, v);
  float_array(&b, 2, (size_t[]){1, 3}, w);
  assert_ok(gg_check_gradient(
      gg_sqr(gg_fft_convolve(in[0], in[1], 1, &axis, GG_CONVOLVE_SAME)), 2, in,
      (GpuArray *[]){&a, &b}, 0, 0));
}

/* --- what is refused --- */

#define SAYS(built, part)                                                      \
  do {                                                                         \
    assert_null(built);                                                        \
    graph_says(GA_VALUE_ERROR, part);                                          \
  } while (0)

static void mistakes_are_named(void **state) {
  static const int axes[] = {0, -1};
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const line = gg_input(g, "v", GA_FLOAT, 1);
  gg_var *const none = gg_input_sized(g, "z", GA_FLOAT, 1, (int64_t[]){0});

  (void)state;
  SAYS(gg_fft_convolve(x, line, 1, axes, GG_CONVOLVE_FULL),
       "operands of ranks 2 and 1");
  SAYS(gg_fft_convolve(x, x, 3, axes, GG_CONVOLVE_FULL),
       "3 axes of an operand of 2 dimensions");
  SAYS(gg_fft_convolve(line, line, 2, axes, GG_CONVOLVE_FULL), "2 axes");
  SAYS(gg_fft_convolve(line, none, 0, NULL, GG_CONVOLVE_FULL),
       "axis 0: an operand has no elements");
  SAYS(gg_fft_convolve(x, x, 2, axes, (gg_fft_convolve_part)3),
       "part 3, expected 0 to 2");
  assert_null(gg_fft_convolve(NULL, NULL, 0, NULL, GG_CONVOLVE_FULL));
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {
      TEST(convolutions_are_sums),
      TEST(planes_are_convolved),
      TEST(convolutions_have_gradients),
      TEST(mistakes_are_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
