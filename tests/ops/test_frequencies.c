/* SPDX-License-Identifier: BSD-2-Clause */
/* Frequencies, shifts and cosine transforms: values against sums in double, for
 * sizes that calls decide; gradients; what is refused. */
#include <math.h>

#include "support/graph_case.h"
#include "support/lcg.h"

static gg_func *function(gg_var *x, gg_var *y) {
  return func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
}

/* A matrix of random sizes below `most`, `least` at least along axis 0, with
 * strides, whose elements v are in C order. */
static void random_matrix(size_t *dims, float *v, size_t least, size_t most,
                          uint64_t *seed) {
  dims[0] = least + lcg_below(seed, most - least);
  dims[1] = 1 + lcg_below(seed, 4);
  const int is_turned = lcg_below(seed, 2) == 0;
  const ssize_t strides[2] = {is_turned ? 2 : -2 * (ssize_t)dims[1],
                              is_turned ? 2 * (ssize_t)dims[0] : 2};

  test_fill(v, GA_FLOAT, dims[0] * dims[1], -1, 1, lcg_next(seed));
  test_array_strided(&a, GA_FLOAT, 2, dims, strides, v);
}

/* --- shifts and frequencies --- */

enum { MOST = 16, COLUMNS = 4 };

static void shifts_are_rolls(void **state) {
  static const int rows = 0;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *const there = gg_fftshift(x, 0, NULL);
  gg_var *const y[2] = {there, gg_ifftshift(there, 1, &rows)};
  gg_func *const f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y[0], y[1])});
  uint64_t seed = 1;

  (void)state;
  for (int round = 0; round < 6; round++) {
    float v[MOST * COLUMNS], all[MOST * COLUMNS], columns[MOST * COLUMNS];
    size_t dims[2];

    random_matrix(dims, v, 1, MOST, &seed);
    for (size_t i = 0; i < dims[0]; i++)
      for (size_t k = 0; k < dims[1]; k++) {
        const size_t to = (i + dims[0] / 2) % dims[0];
        const size_t at = (k + dims[1] / 2) % dims[1];

        all[to * dims[1] + at] = v[i * dims[1] + k];
        columns[i * dims[1] + at] = v[i * dims[1] + k];
      }
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    test_array_equal(&out, all);
    test_array_equal(&out2, columns);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
    GpuArray_clear(&out2);
  }
  gg_func_free(f);
}

/* Sizes that are known, 0 among them. */
static void known_sizes_are_shifted(void **state) {
  gg_var *const x =
      gg_constant(g, GA_FLOAT, 1, (size_t[]){5}, (float[]){0, 1, 2, -2, -1});
  gg_var *const none = gg_constant(g, GA_FLOAT, 1, (size_t[]){0}, (float[]){0});
  gg_var *const y[3] = {gg_fftshift(x, 0, NULL), gg_ifftshift(x, 0, NULL),
                        gg_fftshift(none, 0, NULL)};
  gg_func *const f =
      func_make(g, &(gg_func_spec){.outputs = GG_VARS(gg_join(0, 3, y))});

  (void)state;
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){-2, -1, 0, 1, 2, 2, -2, -1, 0, 1}, 10);
  gg_func_free(f);
}

static void frequencies_are_those_of_transforms(void **state) {
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  gg_func *const f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(n),
                         .outputs = GG_VARS(gg_fftfreq(n, 0.25, GA_FLOAT),
                                            gg_rfftfreq(n, 0.25, GA_FLOAT))});

  (void)state;
  for (int64_t size = 1; size < 8; size++) {
    float whole[8], half[8];

    for (int64_t k = 0; k < size; k++) {
      whole[k] =
          (float)(k < (size + 1) / 2 ? k : k - size) / ((float)size * 0.25f);
      half[k] = (float)k / ((float)size * 0.25f);
    }
    test_array(&a, GA_LONG, 0, NULL, &size);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_floats(&out, whole, (size_t)size);
    assert_floats(&out2, half, (size_t)size / 2 + 1);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
    GpuArray_clear(&out2);
  }
  gg_func_free(f);
}

/* --- cosine transforms --- */

/* Weights of an orthogonal matrix, by type. */
static double end_weight(int type, size_t k, size_t n, int is_result) {
  const int is_end = k == 0 || (type == 1 && k + 1 == n);

  if (!is_end || type == (is_result ? 3 : 2))
    return 1;
  return is_result ? sqrt(0.5) : sqrt(2);
}

/* Result k of the column from v on. */
static double cosines(int type, const float *v, size_t n, size_t step, size_t k,
                      int is_ortho) {
  const double pi = acos(-1), m = (double)(type == 1 ? n - 1 : n);
  double sum = 0;

  for (size_t j = 0; j < n; j++) {
    const double at = (double)j + (type == 2 ? 0.5 : 0);
    const double turns = ((double)k + (type == 3 ? 0.5 : 0)) * at / m;
    const int is_once =
        (type == 1 && (j == 0 || j + 1 == n)) || (type == 3 && j == 0);

    sum += (is_once ? 1 : 2) * cos(pi * turns) * v[j * step] *
           (is_ortho ? end_weight(type, j, n, 0) : 1);
  }
  return is_ortho ? sum * end_weight(type, k, n, 1) / sqrt(2 * m) : sum;
}

/* Types 2, 3, 1: orthogonal, there and back, without a factor; in this order,
 * n of them. */
static gg_var *types(gg_var *x, unsigned int n) {
  static const int axis = 0;
  gg_var *y[9];

  for (unsigned int i = 0; i < n; i++) {
    const int type = 1 + (int)(i + 1) % 3;

    y[i] = i < 3   ? gg_dct(x, type, 1, &axis, GG_FFT_ORTHO)
           : i < 6 ? gg_idct(gg_dct(x, type, 1, &axis, GG_FFT_FORWARD), type, 1,
                             &axis, GG_FFT_FORWARD)
                   : gg_dct(x, type, 1, &axis, GG_FFT_BACKWARD);
  }
  return gg_stack(0, n, y);
}

static void check_cosines(unsigned int n) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *const f = function(x, types(x, n));
  uint64_t seed = 2;

  for (int round = 0; round < 8; round++) {
    float v[MOST * COLUMNS], want[9 * MOST * COLUMNS];
    size_t dims[2];

    random_matrix(dims, v, 2, MOST, &seed);
    const size_t all = dims[0] * dims[1];
    for (size_t i = 0; i < n * all; i++)
      want[i] = i / all / 3 == 1
                    ? v[i % all]
                    : (float)cosines(1 + (int)(i / all + 1) % 3,
                                     v + i % dims[1], dims[0], dims[1],
                                     i % all / dims[1], i / all < 3);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    test_array_close(&out, want, 1e-6, 4e-6);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
  }
  gg_func_free(f);
}

static void cosines_are_sums(void **state) {
  (void)state;
  check_cosines(2);
}

static void cosines_have_norms_and_inverses(void **state) {
  (void)state;
  test_need_full();
  check_cosines(9);
}

/* Both axes, one of them of one element; float64. */
static void several_axes_are_transformed(void **state) {
  static const int axes[] = {1, 0};
  const double v[2] = {1, 3}, want[2] = {2 * 2 * 4, -2 * 2 * M_SQRT2};
  gg_var *const x = gg_input_sized(g, "x", GA_DOUBLE, 2, (int64_t[]){2, 1});
  gg_func *const f = function(x, gg_dct(x, 2, 2, axes, GG_FFT_BACKWARD));

  (void)state;
  test_need_full();
  test_need_double();
  test_array(&a, GA_DOUBLE, 2, (size_t[]){2, 1}, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_array_close(&out, want, 1e-14, 0);
  gg_func_free(f);
}

static void check_gradient(gg_var *x, gg_var *y) {
  float v[10];

  test_fill(v, GA_FLOAT, 10, -1, 1, 9);
  float_array(&a, 2, (size_t[]){5, 2}, v);
  assert_ok(gg_check_gradient(gg_sqr(y), 1, &x, (GpuArray *[]){&a}, 0, 0));
}

static void gradients_are_those_of_differences(void **state) {
  static const int axis = 0;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  check_gradient(x, gg_dct(x, 2, 1, &axis, GG_FFT_BACKWARD));
}

static void all_have_gradients(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  test_need_full();
  check_gradient(x, gg_fftshift(types(x, 9), 0, NULL));
}

static void mistakes_are_named(void **state) {
  static const int axes[] = {0, -1};
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){1});
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  gg_var *const n = gg_i64(g, 0);

  (void)state;
#define SAYS(built, part)                                                      \
  do {                                                                         \
    assert_null(built);                                                        \
    graph_says(GA_VALUE_ERROR, part);                                          \
  } while (0)
  SAYS(gg_fftshift(x, 2, axes), "2 axes of an operand of 1 dimensions");
  SAYS(gg_ifftshift(z, 1, NULL), "1 axes of an operand of 1 dimensions");
  SAYS(gg_ifftshift(z, 1, (int[]){2}), "axis 2");
  SAYS(gg_fftfreq(n, 1, GA_FLOAT), "a transform of 0 elements");
  SAYS(gg_rfftfreq(gg_i64(g, 4), 0, GA_FLOAT), "elements 0 apart");
  SAYS(gg_rfftfreq(gg_i64(g, 4), 1, GA_HALF), "got float16");
  SAYS(gg_dct(x, 4, 1, axes, GG_FFT_ORTHO), "type 4, expected 1 to 3");
  SAYS(gg_dct(x, 1, 1, axes, GG_FFT_ORTHO), "a transform of 1 elements");
  SAYS(gg_idct(x, 2, 1, axes, (gg_fft_norm)3), "norm 3");
  SAYS(gg_idct(z, 2, 1, axes, GG_FFT_ORTHO), "expected real numbers");
  assert_null(gg_dct(NULL, 2, 1, axes, GG_FFT_ORTHO));
  assert_null(gg_fftfreq(NULL, 1, GA_FLOAT));
#undef SAYS
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {
      TEST(shifts_are_rolls),
      TEST(known_sizes_are_shifted),
      TEST(frequencies_are_those_of_transforms),
      TEST(cosines_are_sums),
      TEST(cosines_have_norms_and_inverses),
      TEST(several_axes_are_transformed),
      TEST(gradients_are_those_of_differences),
      TEST(all_have_gradients),
      TEST(mistakes_are_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
