/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions by Fourier transforms, spectra of frames: values against sums in
 * double, for sizes that calls decide; gradients; what is refused. */
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
  test_need_full();
  test_fill(v, GA_FLOAT, 10, -1, 1, 4);
  test_fill(w, GA_FLOAT, 3, -1, 1, 5);
  float_array(&a, 2, (size_t[]){2, 5}, v);
  float_array(&b, 2, (size_t[]){1, 3}, w);
  assert_ok(gg_check_gradient(
      gg_sqr(gg_fft_convolve(in[0], in[1], 1, &axis, GG_CONVOLVE_SAME)), 2, in,
      (GpuArray *[]){&a, &b}, 0, 0));
}

/* --- windows --- */

static void windows_are_cosines(void **state) {
  gg_var *const all[] = {gg_window(g, GG_WINDOW_HANN, 4, 0, GA_FLOAT),
                         gg_window(g, GG_WINDOW_HANN, 5, 1, GA_FLOAT),
                         gg_window(g, GG_WINDOW_HAMMING, 3, 1, GA_FLOAT),
                         gg_window(g, GG_WINDOW_BLACKMAN, 4, 0, GA_FLOAT),
                         gg_window(g, GG_WINDOW_BLACKMAN, 1, 1, GA_FLOAT),
                         gg_window(g, GG_WINDOW_ONES, 2, 0, GA_FLOAT)};
  const float want[] = {0, 0.5f,  1, 0.5f,  0, 0.5f,  1, 0.5f, 0, 0.08f,
                        1, 0.08f, 0, 0.34f, 1, 0.34f, 1, 1,    1};
  gg_func *const f =
      func_make(g, &(gg_func_spec){.outputs = GG_VARS(gg_join(0, 6, all))});

  (void)state;
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_int_equal(test_size(&out), 19);
  test_array_close(&out, want, 1e-6, 1e-7);
  gg_func_free(f);
}

/* --- frames --- */

enum { TIME = 40, LENGTH = 8, STEP = 3, HALF = LENGTH / 2 + 1 };

/* Element i of a row of n elements that is mirrored at its ends. */
static double mirrored(const float *x, ptrdiff_t n, ptrdiff_t i) {
  if (i < 0)
    i = -i;
  return x[i < n ? i : 2 * (n - 1) - i];
}

/* The parts of frequency k of frame t. The window of 6 elements lies in its
 * middle. */
static void frequency(const float *x, size_t n, size_t k, size_t t, double *re,
                      double *im) {
  *re = *im = 0;
  for (size_t j = 1; j < 7; j++) {
    const double pi = acos(-1), turns = (double)(j * k) / LENGTH;
    const double w = 0.5 - 0.5 * cos(2 * pi * ((double)j - 1) / 6);
    const double v =
        w * mirrored(x, (ptrdiff_t)n, (ptrdiff_t)(t * STEP + j) - LENGTH / 2);

    *re += v * cos(2 * pi * turns);
    *im -= v * sin(2 * pi * turns);
  }
}

static gg_stft_spec frames(void) {
  return (gg_stft_spec){.length = LENGTH,
                        .step = STEP,
                        .window = gg_window(g, GG_WINDOW_HANN, 6, 0, GA_FLOAT),
                        .is_centred = 1,
                        .padding = GG_PAD_REFLECT};
}

static void check_spectra(const float *v, size_t n) {
  const size_t count = n / STEP + 1;
  float re[ROWS * HALF * (TIME / STEP + 1)],
      im[ROWS * HALF * (TIME / STEP + 1)];

  assert_int_equal(out.dimensions[2], count);
  for (size_t i = 0; i < ROWS * HALF * count; i++) {
    double r, m;

    frequency(v + i / (HALF * count) * n, n, i / count % HALF, i % count, &r,
              &m);
    re[i] = (float)r;
    im[i] = (float)m;
  }
  test_array_close(&out, re, 1e-6, 2e-6);
  test_array_close(&out2, im, 1e-6, 2e-6);
}

/* The signal is found again where windows are; `size` adds zeros. */
static void spectra_are_sums(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  const gg_stft_spec spec = frames();
  gg_var *const y = gg_stft(x, &spec);
  gg_var *const size = gg_add(gg_shape(x, 1), gg_i64(g, 4));
  gg_func *const f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_real(y), gg_imag(y),
                                            gg_istft(y, &spec, size))});
  uint64_t seed = 6;

  (void)state;
  for (int round = 0; round < 5; round++) {
    const size_t n = 8 + lcg_below(&seed, TIME - 8), kept = n / STEP * STEP;
    float v[ROWS * TIME], got[ROWS * (TIME + 4)];
    GpuArray back = {0};

    random_lines(&a, v, ROWS, n, &seed);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &back});
    check_spectra(v, n);
    assert_int_equal(back.dimensions[1], n + 4);
    test_gather(&back, got);
    for (size_t i = 0; i < ROWS * kept; i++)
      assert_true(fabsf(got[i / kept * (n + 4) + i % kept] -
                        v[i / kept * n + i % kept]) < 1e-5f);
    assert_true(got[n + 3] == 0);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
    GpuArray_clear(&out2);
    GpuArray_clear(&back);
  }
  gg_func_free(f);
}

/* Known sizes, complex numbers, all frequencies, no window: frames of 4, one
 * beside the other. */
static void frames_of_complex_signals(void **state) {
  const gg_stft_spec spec = {
      .length = 4, .step = 4, .is_two_sided = 1, .norm = GG_FFT_ORTHO};
  const float v[10] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0};
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){10});
  gg_var *const y = gg_stft(gg_complex(x, gg_neg(x)), &spec);
  gg_var *const back = gg_istft(y, &spec, NULL);

  (void)state;
  test_need_full();
  gg_func *const f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x),
                      .outputs = GG_VARS(gg_real(y), gg_neg(gg_imag(back)))});
  float_vector(&a, 10, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  /* Of 1 - i, 0, 2 - 2i, 0, and of 3 - 3i, 0, 4 - 4i, 0, by frequency. */
  test_array_close(
      &out, (float[]){1.5f, 3.5f, -0.5f, -0.5f, 1.5f, 3.5f, -0.5f, -0.5f}, 0,
      1e-6);
  test_array_close(&out2, v, 0, 1e-6);
  gg_func_free(f);
}

static void frames_have_gradients(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  const gg_stft_spec spec = frames();
  gg_var *const y = gg_stft(x, &spec);
  gg_var *const back = gg_istft(gg_mul(y, y), &spec, gg_shape(x, 1));
  float v[22];

  (void)state;
  test_need_full();
  test_fill(v, GA_FLOAT, 22, -1, 1, 7);
  float_array(&a, 2, (size_t[]){2, 11}, v);
  assert_ok(gg_check_gradient(gg_slice(back, 1, 0, 8, 1), 1, &x,
                              (GpuArray *[]){&a}, 0, 0));
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

static void wrong_frames_are_named(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const short_x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){3});
  gg_var *const y = gg_input_sized(g, "y", GA_CFLOAT, 2, (int64_t[]){4, 3});
  const gg_stft_spec good = {.length = 8};
  gg_stft_spec bad = {.length = 0};

  (void)state;
  SAYS(gg_window(g, GG_WINDOW_HANN, 0, 0, GA_FLOAT), "kind 1, 0 elements");
  SAYS(gg_window(g, (gg_window_kind)4, 3, 0, GA_FLOAT), "kind 4, 3 elements");
  SAYS(gg_window(g, GG_WINDOW_HANN, 3, 0, GA_INT), "got int32");
  assert_null(gg_window(g, GG_WINDOW_HANN, INT64_MAX, 0, GA_FLOAT));
  graph_says(GA_MEMORY_ERROR, "9223372036854775807 elements");
  SAYS(gg_stft(x, NULL), "frames of 0 elements, 0 apart");
  SAYS(gg_stft(x, &bad), "frames of 0 elements, 0 apart");
  bad = (gg_stft_spec){.length = 8, .step = -2};
  SAYS(gg_istft(y, &bad, NULL), "frames of 8 elements, -2 apart");
  bad = (gg_stft_spec){.length = 8, .padding = (gg_pad_mode)9};
  SAYS(gg_stft(x, &bad), "9 is not a mode");
  bad = (gg_stft_spec){.length = 8, .norm = (gg_fft_norm)3};
  SAYS(gg_stft(x, &bad), "norm 3");
  bad = (gg_stft_spec){.length = 8,
                       .window = gg_window(g, GG_WINDOW_HANN, 9, 0, GA_FLOAT)};
  SAYS(gg_stft(x, &bad), "the window has 9 elements, frames 8");
  bad.window = y;
  SAYS(gg_stft(x, &bad), "the window is no real vector");
  SAYS(gg_stft(short_x, &good), "a signal of 3 elements, frames of 8");
  SAYS(gg_stft(gg_scalar(g, GA_FLOAT, 1), &good), "0 dimensions");
  SAYS(gg_istft(x, &good, NULL), "1 dimensions");
  SAYS(gg_istft(y, &good, NULL), "4 frequencies, expected 5");
  SAYS(gg_istft(y, &good, x), "expected an integer scalar");
  assert_null(gg_stft(NULL, &good));
  assert_null(gg_window(NULL, GG_WINDOW_ONES, 1, 0, GA_FLOAT));
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {
      TEST(convolutions_are_sums),
      TEST(planes_are_convolved),
      TEST(convolutions_have_gradients),
      TEST(windows_are_cosines),
      TEST(spectra_are_sums),
      TEST(frames_of_complex_signals),
      TEST(frames_have_gradients),
      TEST(mistakes_are_named),
      TEST(wrong_frames_are_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
