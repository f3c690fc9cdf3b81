/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling and rearranging images against plain loops in double, and their
 * gradients against differences. */
#include "support/graph_case.h"

#include <gpugraph/images.h>
#include <math.h>

enum { N = 2, C = 3, H = 5, W = 7, HO = 4, WO = 3 };

static float x_data[N * C * H * W], grid_data[N * HO * WO * 2];

static void fill(void) {
  test_fill(x_data, GA_FLOAT, N * C * H * W, -1, 1, 4);
  test_fill(grid_data, GA_FLOAT, N * HO * WO * 2, -1.4, 1.4, 5);
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, C, H, W}, x_data);
  test_array(&b, GA_FLOAT, 4, (size_t[]){N, HO, WO, 2}, grid_data);
}

/* --- sampling on the host --- */

static double reflect(double p, double n, int align) {
  const double low = align ? 0 : -0.5, high = align ? n - 1 : n - 0.5;

  while (p < low || p > high)
    p = p < low ? 2 * low - p : 2 * high - p;
  return p;
}

static double inside(double p, double n, gg_outside outside, int align) {
  if (outside == GG_OUTSIDE_ZERO)
    return p;
  if (outside == GG_OUTSIDE_REFLECT)
    p = reflect(p, n, align);
  return fmin(fmax(p, 0), n - 1);
}

static double weight(double t) {
  const double c = -0.75;

  t = fabs(t);
  return t <= 1  ? ((c + 2) * t - (c + 3)) * t * t + 1
         : t < 2 ? ((c * t - 5 * c) * t + 8 * c) * t - 4 * c
                 : 0;
}

static double element(size_t plane, double i, double j) {
  return i < 0 || j < 0 || i > H - 1 || j > W - 1
             ? 0
             : x_data[(plane * H + (size_t)i) * W + (size_t)j];
}

static double sample(size_t plane, double py, double px, ga_resize_mode mode,
                     gg_outside outside, int align) {
  double y = align ? (py + 1) / 2 * (H - 1) : ((py + 1) * H - 1) / 2;
  double x = align ? (px + 1) / 2 * (W - 1) : ((px + 1) * W - 1) / 2;
  double sum = 0;

  if (mode != GA_RESIZE_CUBIC) {
    y = inside(y, H, outside, align);
    x = inside(x, W, outside, align);
  }
  if (mode == GA_RESIZE_NEAREST)
    return element(plane, rint(y), rint(x));
  for (double i = floor(y) - 1; i < floor(y) + 3; i++)
    for (double j = floor(x) - 1; j < floor(x) + 3; j++) {
      const double w = mode == GA_RESIZE_CUBIC ? weight(y - i) * weight(x - j)
                                               : fmax(0, 1 - fabs(y - i)) *
                                                     fmax(0, 1 - fabs(x - j));
      const int is_cubic = mode == GA_RESIZE_CUBIC;
      sum += w * element(plane, is_cubic ? inside(i, H, outside, align) : i,
                         is_cubic ? inside(j, W, outside, align) : j);
    }
  return sum;
}

static void check_samples(ga_resize_mode mode, gg_outside outside, int align) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4);
  gg_var *grid = gg_input_sized(g, "grid", GA_FLOAT, 4,
                                (int64_t[]){GG_ANY, GG_ANY, GG_ANY, 2});
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, grid),
                                   .outputs = GG_VARS(gg_grid_sample(
                                       x, grid, mode, outside, align))});
  float want[N * C * HO * WO];
  GpuArray got = {NULL};

  for (size_t i = 0; i < N * C * HO * WO; i++) {
    const float *p =
        grid_data + 2 * (i / (C * HO * WO) * HO * WO + i % (HO * WO));
    want[i] = (float)sample(i / (HO * WO), (double)p[1], (double)p[0], mode,
                            outside, align);
  }
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&got});
  test_array_close(&got, want, 1e-4, 1e-4);
  GpuArray_clear(&got);
  gg_func_free(f);
}

static void samples_are_those_of_a_loop(void **state) {
  (void)state;
  fill();
  /* Cubic interpolation has 16 neighbours, which take long to compile. */
  const int most = test_is_quick() ? 1 : 2;
  for (int mode = 0; mode <= most; mode++)
    check_samples((ga_resize_mode)mode, (gg_outside)mode, mode % 2);
  check_samples(GA_RESIZE_LINEAR, GG_OUTSIDE_REFLECT, 0);
}

/* --- signals and volumes --- */

/* Interpolation along each axis of nd sizes; `p` is a position of the grid, the
 * last axis first. */
static double sample_nd(const float *x, unsigned int nd, const size_t *size,
                        const float *p, gg_outside outside, int align) {
  double sum = 0;

  for (unsigned int corner = 0; corner < 1u << nd; corner++) {
    double w = 1;
    size_t at = 0;

    for (unsigned int d = 0; d < nd; d++) {
      const double n = (double)size[d], q = (double)p[nd - 1 - d] + 1;
      const double t =
          inside(align ? q / 2 * (n - 1) : (q * n - 1) / 2, n, outside, align);
      const double i = floor(t) + (corner >> d & 1u);
      w *= i < 0 || i > n - 1 ? 0 : 1 - fabs(t - i);
      at = at * size[d] + (size_t)fmin(fmax(i, 0), n - 1);
    }
    sum += w * (double)x[at];
  }
  return sum;
}

/* x [N, C, sizes...], sampled at [N, 4, 1, ...] positions. */
static void check_nd(unsigned int nd, const size_t *size, gg_outside outside,
                     int align) {
  enum { POINTS = 4 };
  size_t dims[2][5] = {{N, C}, {N, POINTS}}, each = 1;
  int64_t types[5];
  float want[N * C * POINTS];
  GpuArray got = {NULL};

  for (unsigned int d = 0; d < nd; d++) {
    dims[0][d + 2] = size[d];
    each *= size[d];
    dims[1][d + 2] = d + 1 < nd ? 1 : nd;
    types[d + 1] = GG_ANY;
  }
  types[0] = GG_ANY;
  types[nd + 1] = nd;
  gg_var *x = gg_input(g, "x", GA_FLOAT, nd + 2);
  gg_var *grid = gg_input_sized(g, "grid", GA_FLOAT, nd + 2, types);
  gg_var *y = gg_grid_sample(x, grid, GA_RESIZE_LINEAR, outside, align);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, grid), .outputs = GG_VARS(y)});
  test_fill(x_data, GA_FLOAT, N * C * each, -1, 1, 4);
  test_fill(grid_data, GA_FLOAT, N * POINTS * nd, -1.4, 1.4, 5);
  test_array(&a, GA_FLOAT, nd + 2, dims[0], x_data);
  test_array(&b, GA_FLOAT, nd + 2, dims[1], grid_data);
  for (size_t i = 0; i < N * C * POINTS; i++)
    want[i] = (float)sample_nd(
        x_data + i / POINTS * each, nd, size,
        grid_data + (i / (C * POINTS) * POINTS + i % POINTS) * nd, outside,
        align);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&got});
  assert_int_equal(got.nd, nd + 2);
  test_array_close(&got, want, 1e-4, 1e-4);
  GpuArray_clear(&got);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_func_free(f);
}

static void signals_and_volumes_are_sampled(void **state) {
  (void)state;
  check_nd(1, (size_t[]){9}, GG_OUTSIDE_REFLECT, 1);
  check_nd(3, (size_t[]){3, 2, 4}, GG_OUTSIDE_ZERO, 0);
}

static void samples_have_gradients(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_var *grid =
      gg_input_sized(g, "grid", GA_FLOAT, 4, (int64_t[]){N, HO, WO, 2});
  gg_var *y = gg_grid_sample(x, grid, GA_RESIZE_LINEAR, GG_OUTSIDE_ZERO, 0);
  gg_var *const wrt[2] = {x, grid};

  (void)state;
  test_need_full();
  fill();
  assert_ok(gg_check_gradient(gg_mean(gg_sqr(y)), 2, wrt,
                              (GpuArray *[]){&a, &b}, 1e-2, 5e-2));
}

/* --- regions --- */

static double region_sample(size_t plane, double y, double x) {
  double sum = 0;

  if (y < -1 || y > H || x < -1 || x > W)
    return 0;
  y = fmin(fmax(y, 0), H - 1);
  x = fmin(fmax(x, 0), W - 1);
  for (double i = floor(y); i < floor(y) + 2; i++)
    for (double j = floor(x); j < floor(x) + 2; j++)
      sum += fmax(0, 1 - fabs(y - i)) * fmax(0, 1 - fabs(x - j)) *
             element(plane, i, j);
  return sum;
}

enum { REGIONS = 3, RATIO = 2 };

static double region_mean(const float *r, size_t plane, size_t i, size_t j,
                          int is_aligned) {
  const double shift = is_aligned ? -0.5 : 0, scale = 0.5;
  const double y = (double)r[1] * scale + shift;
  const double x = (double)r[0] * scale + shift;
  double height = ((double)r[3] - (double)r[1]) * scale;
  double width = ((double)r[2] - (double)r[0]) * scale, sum = 0;

  if (!is_aligned) {
    height = fmax(height, 1);
    width = fmax(width, 1);
  }
  for (size_t k = 0; k < RATIO * RATIO; k++)
    sum += region_sample(
        plane,
        y + ((double)i + ((double)(k / RATIO) + 0.5) / RATIO) * height / HO,
        x + ((double)j + ((double)(k % RATIO) + 0.5) / RATIO) * width / WO);
  return sum / (RATIO * RATIO);
}

static void check_regions(int is_aligned) {
  static const float corners[REGIONS * 4] = {1,  0, 9,   7.5f, -6, 2,
                                             20, 9, 3.f, 3,    3,  3.5f};
  static const int images[REGIONS] = {1, 0, 1};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4);
  gg_var *r = gg_input(g, "r", GA_FLOAT, 2), *n = gg_input(g, "n", GA_INT, 1);
  const gg_regions how = {.rows = HO,
                          .columns = WO,
                          .ratio = RATIO,
                          .scale = 0.5,
                          .is_aligned = is_aligned};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, r, n),
                         .outputs = GG_VARS(gg_roi_align(x, r, n, &how))});
  float want[REGIONS * C * HO * WO];
  GpuArray got = {NULL}, where, which;

  for (size_t i = 0; i < REGIONS * C * HO * WO; i++) {
    const size_t k = i / (C * HO * WO), c = i / (HO * WO) % C;
    want[i] = (float)region_mean(corners + 4 * k, (size_t)images[k] * C + c,
                                 i / WO % HO, i % WO, is_aligned);
  }
  test_array(&where, GA_FLOAT, 2, (size_t[]){REGIONS, 4}, corners);
  test_array(&which, GA_INT, 1, (size_t[]){REGIONS}, images);
  func_run(f, (GpuArray *[]){&a, &where, &which}, (GpuArray *[]){&got});
  test_array_close(&got, want, 1e-4, 1e-4);
  GpuArray_clear(&got);
  GpuArray_clear(&where);
  GpuArray_clear(&which);
  gg_func_free(f);
}

static void regions_are_those_of_a_loop(void **state) {
  (void)state;
  fill();
  check_regions(0);
  check_regions(1);
}

/* Samples outside are 0 though an element at the border is infinite. */
static void what_lies_outside_is_zero(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4), *r = gg_input(g, "r", GA_FLOAT, 2);
  gg_var *grid = gg_input(g, "grid", GA_FLOAT, 4);
  gg_var *n = gg_input(g, "n", GA_INT, 1);
  const gg_regions how = {.rows = 1, .columns = 1, .ratio = 1, .scale = 1};
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, grid, r, n),
                                   .outputs = GG_VARS(
                                       gg_grid_sample(x, grid, GA_RESIZE_LINEAR,
                                                      GG_OUTSIDE_ZERO, 1),
                                       gg_roi_align(x, r, n, &how))});
  static const float v[4] = {INFINITY, 1, 2, 3}, at[4] = {-5, -5, -1, -1};
  static const float corners[4] = {-50, -50, -40, -40};
  static const float want[2] = {0, INFINITY};

  (void)state;
  GpuArray in[2], got[2] = {{NULL}, {NULL}};
  test_array(&a, GA_FLOAT, 4, (size_t[]){1, 1, 2, 2}, v);
  test_array(&b, GA_FLOAT, 4, (size_t[]){1, 1, 2, 2}, at);
  test_array(&in[0], GA_FLOAT, 2, (size_t[]){1, 4}, corners);
  test_array(&in[1], GA_INT, 1, (size_t[]){1}, (int[]){0});
  func_run(f, (GpuArray *[]){&a, &b, &in[0], &in[1]},
           (GpuArray *[]){&got[0], &got[1]});
  test_array_equal(&got[0], want);
  test_array_equal(&got[1], want);
  for (int i = 0; i < 2; i++) {
    GpuArray_clear(&in[i]);
    GpuArray_clear(&got[i]);
  }
  gg_func_free(f);
}

/* The identity map gives the centres of elements. */
static void grids_follow_maps(void **state) {
  gg_var *theta = gg_input_sized(g, "theta", GA_FLOAT, 3, (int64_t[]){1, 2, 3});
  gg_var *const sizes[2] = {gg_i64(g, 2), gg_i64(g, 3)};
  static const float map[6] = {1, 0, 0.25f, 0, 2, 0};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(theta),
                         .outputs = GG_VARS(gg_affine_grid(theta, sizes, 0),
                                            gg_affine_grid(theta, sizes, 1))});
  static const float centres[12] = {-5.f / 12, -1, .25f, -1, 11.f / 12, -1,
                                    -5.f / 12, 1,  .25f, 1,  11.f / 12, 1};
  static const float corners[12] = {-.75f, -2, .25f, -2, 1.25f, -2,
                                    -.75f, 2,  .25f, 2,  1.25f, 2};
  GpuArray got[2] = {{NULL}, {NULL}};

  (void)state;
  test_array(&a, GA_FLOAT, 3, (size_t[]){1, 2, 3}, map);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1]});
  test_array_close(&got[0], centres, 1e-6, 1e-6);
  test_array_close(&got[1], corners, 1e-6, 1e-6);
  GpuArray_clear(&got[0]);
  GpuArray_clear(&got[1]);
  gg_func_free(f);
}

/* Positions that float16 cannot count. */
static void grids_of_narrow_floats_are_large(void **state) {
  gg_var *theta = gg_input_sized(g, "theta", GA_HALF, 3, (int64_t[]){1, 1, 2});
  gg_var *const size[1] = {gg_i64(g, 8192)};
  gg_var *y = gg_cast(gg_affine_grid(theta, size, 0), GA_FLOAT);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(theta), .outputs = GG_VARS(y)});
  static float got[8192];

  (void)state;
  test_array(&a, GA_HALF, 3, (size_t[]){1, 1, 2}, (uint16_t[]){0x3c00, 0});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_gather(&out, got);
  for (int i = 0; i < 8192; i++)
    assert_true(fabsf(got[i] - ((float)(2 * i + 1) / 8192 - 1)) < 1e-3f);
  gg_func_free(f);
}

static void blocks_become_channels_and_back(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){1, 4, 1, 2});
  gg_var *y = gg_pixel_shuffle(x, 2);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(y, gg_pixel_unshuffle(y, 2))});
  static const float v[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const float want[8] = {0, 2, 1, 3, 4, 6, 5, 7};
  GpuArray got[2] = {{NULL}, {NULL}};

  (void)state;
  test_array(&a, GA_FLOAT, 4, (size_t[]){1, 4, 1, 2}, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1]});
  test_array_equal(&got[0], want);
  test_array_equal(&got[1], v);
  GpuArray_clear(&got[0]);
  GpuArray_clear(&got[1]);
  gg_func_free(f);
}

/* --- errors --- */

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4), *v = gg_input(g, "v", GA_FLOAT, 1);

  (void)state;
  assert_null(gg_grid_sample(x, v, GA_RESIZE_LINEAR, GG_OUTSIDE_ZERO, 0));
  gg_graph_reset_error(g);
  assert_null(gg_affine_grid(x, NULL, 0));
  gg_graph_reset_error(g);
  assert_null(gg_roi_align(x, x, v, &(gg_regions){1, 1, 1, 1, 0}));
  gg_graph_reset_error(g);
  assert_null(gg_roi_align(x, x, v, NULL));
  gg_graph_reset_error(g);
  assert_null(gg_pixel_shuffle(x, 0));
  gg_graph_reset_error(g);
  assert_null(gg_pixel_unshuffle(v, 2));
  gg_graph_reset_error(g);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(samples_are_those_of_a_loop),
                                     TEST(signals_and_volumes_are_sampled),
                                     TEST(samples_have_gradients),
                                     TEST(regions_are_those_of_a_loop),
                                     TEST(what_lies_outside_is_zero),
                                     TEST(grids_follow_maps),
                                     TEST(grids_of_narrow_floats_are_large),
                                     TEST(blocks_become_channels_and_back),
                                     TEST(what_does_not_fit_is_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
