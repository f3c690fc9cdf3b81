/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms in graphs: values against sums, and against the host in
 * debug mode; gradients against differences; texts and messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/graph_case.h"
#include "support/lcg.h"
#include "support/roundtrip.h"

/* Expect that building failed with `part` in the message; begin anew. */
static void expect(const gg_var *v, const char *part) {
  assert_null(v);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("%s: no '%s'", gg_graph_error(g), part);
  gg_graph_free(g);
  g = gg_graph_new(test_context());
}

/* --- values --- */

enum { ROWS = 2, SIZE = 12, STEP = 3 };

static const size_t dims[3] = {ROWS, SIZE, STEP};

static void fill(float *v, size_t n, uint32_t seed) {
  test_fill(v, GA_FLOAT, n, -1, 1, seed);
}

/* Result k of the line of x + i y from `at` on, for n elements: those beyond
 * SIZE are zeros. */
static void sum(const float *x, const float *y, size_t at, size_t n, size_t k,
                int is_inverse, double *re, double *im) {
  *re = *im = 0;
  for (size_t j = 0; j < n && j < SIZE; j++) {
    const double angle =
        (is_inverse ? 2 : -2) * acos(-1) * (double)(j * k % n) / (double)n;
    const double r = x[at + j * STEP], i = y != NULL ? y[at + j * STEP] : 0;

    *re += r * cos(angle) - i * sin(angle);
    *im += r * sin(angle) + i * cos(angle);
  }
}

static double factor(size_t n, gg_fft_norm norm, int is_inverse) {
  return norm == GG_FFT_ORTHO                      ? 1 / sqrt((double)n)
         : is_inverse == (norm == GG_FFT_BACKWARD) ? 1 / (double)n
                                                   : 1;
}

/* Parts of a result [ROWS, keep, STEP] against sums of n elements. */
static void check_sums(const float *x, const float *y, size_t n, size_t keep,
                       int is_inverse, double scale) {
  float *re = malloc(ROWS * keep * STEP * sizeof *re);
  float *im = malloc(ROWS * keep * STEP * sizeof *im);

  test_gather(&out, re);
  test_gather(&out2, im);
  for (size_t i = 0; i < ROWS * keep * STEP; i++) {
    const size_t row = i / STEP / keep, k = i / STEP % keep;
    double r, m;

    sum(x, y, row * SIZE * STEP + i % STEP, n, k, is_inverse, &r, &m);
    assert_true(fabs(re[i] - scale * r) < 1e-5);
    assert_true(fabs(im[i] - scale * m) < 1e-5);
  }
  free(re);
  free(im);
}

/* Lengths of 0 are those of x. In debug mode the host computes it, too. */
static void check_values(int is_real, int is_inverse, size_t length,
                         gg_fft_norm norm) {
  float x[ROWS * SIZE * STEP], y[ROWS * SIZE * STEP];
  gg_var *const p = gg_input(g, "p", GA_FLOAT, 3);
  gg_var *const q = gg_input(g, "q", GA_FLOAT, 3);
  const int axis = -2;
  const int64_t n = (int64_t)length, *lengths = length > 0 ? &n : NULL;
  gg_var *v = is_real      ? gg_rfft(p, 1, &axis, lengths, norm)
              : is_inverse ? gg_ifft(gg_complex(p, q), 1, &axis, lengths, norm)
                           : gg_fft(gg_complex(p, q), 1, &axis, lengths, norm);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(p, q),
                                   .outputs = GG_VARS(gg_real(v), gg_imag(v)),
                                   .flags = GG_ALLOW_UNUSED_INPUT,
                                   .mode = GG_DEBUG});
  const size_t real_n = length > 0 ? length : SIZE;

  fill(x, ROWS * SIZE * STEP, 3);
  fill(y, ROWS * SIZE * STEP, 4);
  float_array(&a, 3, dims, x);
  float_array(&b, 3, dims, y);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_int_equal(out.dimensions[1], is_real ? real_n / 2 + 1 : real_n);
  check_sums(x, is_real ? NULL : y, real_n, out.dimensions[1], is_inverse,
             factor(real_n, norm, is_inverse));
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
}

static void values_are_sums(void **state) {
  (void)state;
  check_values(0, 0, 0, GG_FFT_BACKWARD);
  check_values(0, 1, 17, GG_FFT_BACKWARD);
  check_values(0, 0, 7, GG_FFT_ORTHO);
  check_values(0, 1, 0, GG_FFT_FORWARD);
  check_values(1, 0, 0, GG_FFT_FORWARD);
  check_values(1, 0, 15, GG_FFT_BACKWARD);
}

/* There and back, over two axes, for lengths that are known and not. */
static void inverses_invert(void **state) {
  static const int axes[2] = {2, -2};
  const size_t odd[3] = {2, 5, 6};
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 3);
  const int64_t lengths[2] = {6, 5};
  gg_var *const half = gg_rfft(x, 2, axes, NULL, GG_FFT_ORTHO);
  gg_var *const back = gg_irfft(half, 2, axes, lengths, GG_FFT_ORTHO);
  gg_var *const whole = gg_fft(x, 2, axes, NULL, GG_FFT_BACKWARD);
  gg_var *const again = gg_real(gg_ifft(whole, 2, axes, NULL, GG_FFT_BACKWARD));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(back, again),
                                            .mode = GG_DEBUG});
  float v[60];

  (void)state;
  fill(v, 60, 5);
  float_array(&a, 3, odd, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  test_array_close(&out, v, 0, 1e-6);
  test_array_close(&out2, v, 0, 1e-6);
  gg_func_free(f);
}

/* Without lengths the result of an inverse has an even one. */
static void halves_have_even_lengths(void **state) {
  const int axis = 0;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const y = gg_irfft(gg_rfft(x, 1, &axis, NULL, GG_FFT_BACKWARD), 1,
                             &axis, NULL, GG_FFT_BACKWARD);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  float v[8];

  (void)state;
  fill(v, 8, 6);
  float_vector(&a, 8, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_array_close(&out, v, 0, 1e-6);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  float_vector(&a, 1, v);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "a transform of 0 elements"));
  gg_func_free(f);
}

/* --- derivatives --- */

/* A real variable that depends on all parts of v. */
static gg_var *cost_of(gg_var *v) {
  return gg_add(gg_sqr(gg_real(v)), gg_mul(gg_real(v), gg_imag(v)));
}

static void gradients_are_those_of_differences(void **state) {
  static const size_t sizes[2] = {3, 5};
  static const int both[2] = {0, 1}, last = 1;
  const int64_t longer[2] = {4, 7}, even = 8, odd = 7;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const z = gg_complex(x, gg_sqr(x));
  gg_var *y[6];
  unsigned int n = 0;
  float v[15];

  (void)state;
  fill(v, 15, 7);
  float_array(&a, 2, sizes, v);
  y[n++] = cost_of(gg_fft(z, 2, both, NULL, GG_FFT_BACKWARD));
  y[n++] = cost_of(gg_ifft(z, 2, both, longer, GG_FFT_BACKWARD));
  y[n++] = cost_of(gg_rfft(x, 2, both, NULL, GG_FFT_FORWARD));
  y[n++] = cost_of(gg_rfft(x, 1, &last, &even, GG_FFT_ORTHO));
  y[n++] = gg_sqr(gg_irfft(z, 2, both, NULL, GG_FFT_BACKWARD));
  y[n++] = gg_sqr(gg_irfft(z, 1, &last, &odd, GG_FFT_ORTHO));
  for (unsigned int i = 0; i < n; i++)
    y[i] = gg_sum(y[i]);
  assert_ok(
      gg_check_gradient(gg_stack(0, n, y), 1, &x, (GpuArray *[]){&a}, 0, 0));
}

/* Transforms are linear: the derivative is the transform of the direction. */
static void directions_are_transformed(void **state) {
  const int axis = 0;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const d = gg_input(g, "d", GA_FLOAT, 1);
  gg_var *const y = gg_rfft(x, 1, &axis, NULL, GG_FFT_BACKWARD);
  gg_var *back = gg_irfft(y, 1, &axis, NULL, GG_FFT_BACKWARD), *dy;

  (void)state;
  assert_ok(gg_rop(&dy, 1, &back, 1, &x, &d));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, d), .outputs = GG_VARS(dy)});
  float v[6];
  fill(v, 6, 8);
  float_vector(&a, 6, (float[]){1, 2, 3, 4, 5, 6});
  float_vector(&b, 6, v);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  test_array_close(&out, v, 0, 1e-6);
  gg_func_free(f);
}

/* --- texts and messages --- */

static void texts_keep_transforms(void **state) {
  (void)state;
  assert_same_text("x = input float32[?, 8]\n"
                   "y = rfft{axes=[1], ortho=true}(x)\n"
                   "z = fft{axes=[0, 1], inverse=true, forward=true}(y)\n"
                   "r = irfft{axes=[1], inverse=true}(z, int64 8)\n");
}

static void mistakes_are_named(void **state) {
  static const int axes[] = {0, -1};
  const int64_t none[] = {0};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  expect(gg_fft(x, 2, axes, NULL, GG_FFT_BACKWARD),
         "2 axes of an operand of 1 dimensions");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_fft(x, 2, (int[]){1, -1}, NULL, GG_FFT_BACKWARD),
         "axis 1 is in the list twice");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_ifft(x, 1, (int[]){2}, NULL, GG_FFT_BACKWARD), "axis 2");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_rfft(x, 1, axes, none, GG_FFT_BACKWARD),
         "axis 0: a transform of 0 elements");
  x = gg_input(g, "x", GA_FLOAT, 2);
  expect(gg_rfft(x, 1, axes, NULL, (gg_fft_norm)3), "norm 3");
  x = gg_input(g, "x", GA_CFLOAT, 2);
  expect(gg_rfft(x, 1, axes, NULL, GG_FFT_ORTHO), "expected real numbers");
  x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){0});
  expect(gg_fft(x, 1, axes, NULL, GG_FFT_ORTHO), "a transform of 0 elements");
  expect(gg_fft(NULL, 1, axes, NULL, GG_FFT_ORTHO), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_are_sums, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(inverses_invert, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(halves_have_even_lengths, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(directions_are_transformed, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(texts_keep_transforms, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(mistakes_are_named, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
