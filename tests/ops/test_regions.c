/* SPDX-License-Identifier: BSD-2-Clause */
/* Largest elements of regions and of whole images, against plain loops in
 * double, and their gradients. */
#include "support/graph_case.h"

#include <gpugraph/images.h>
#include <gpugraph/pooling.h>
#include <gpugraph/rop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

enum { N = 2, C = 3, H = 5, W = 7, REGIONS = 6, ROWS = 3, COLUMNS = 2 };
enum { X = N * C * H * W, Y = REGIONS * C * ROWS * COLUMNS };

static double x_data[X], want[Y], want_grad[X];
/* Inside; beyond the borders; of one element; outside; turned around; without a
 * number. Some are halves after scaling, and some are just below. */
static const double corners[REGIONS * 4] = {1,
                                            0,
                                            9,
                                            8,
                                            -6,
                                            5,
                                            20,
                                            19,
                                            7,
                                            5,
                                            7,
                                            5,
                                            40,
                                            40,
                                            50,
                                            60,
                                            8.9999999999,
                                            3,
                                            2,
                                            1,
                                            0x0.ffffffp0,
                                            NAN,
                                            1e30,
                                            6};
static const int64_t images[REGIONS] = {1, 0, -1, 0, 1, -2};
static const gg_regions how = {.rows = ROWS, .columns = COLUMNS, .scale = 0.5};

static int corner_dtype;

/* A corner in elements. NaN is 0. */
static int element(double v) {
  char bytes[8];

  ga__dtype_from_double(corner_dtype, bytes, v);
  v = round(ga__dtype_to_double(corner_dtype, bytes) * how.scale);
  return isnan(v) ? 0 : v > 100 ? 100 : (int)v;
}

/* The bounds of bin i of n between two corners, cut to `size` elements. */
static void bound(int *from, int *to, double low, double high, int i, int n,
                  int size) {
  const int first = element(low), last = element(high);
  const int span = last - first + 1 > 1 ? last - first + 1 : 1;

  *from = first + (int)floor((double)(i * span) / n);
  *to = first + (int)ceil((double)((i + 1) * span) / n);
  *from = *from < 0 ? 0 : *from > size ? size : *from;
  *to = *to < 0 ? 0 : *to > size ? size : *to;
}

/* Compute `want`, and in `want_grad` how often each element is a result. */
static void fill_want(void) {
  for (int i = 0; i < X; i++)
    want_grad[i] = 0;
  for (int i = 0; i < Y; i++) {
    const int k = i / (C * ROWS * COLUMNS), c = i / (ROWS * COLUMNS) % C;
    const int plane = ((int)((images[k] + N) % N) * C + c) * H * W;
    const double *r = corners + 4 * k, *p = x_data + plane;
    int r0, r1, c0, c1, at = -1;

    bound(&r0, &r1, r[1], r[3], i / COLUMNS % ROWS, ROWS, H);
    bound(&c0, &c1, r[0], r[2], i % COLUMNS, COLUMNS, W);
    for (int y = r0; y < r1; y++)
      for (int x = c0; x < c1; x++)
        if (at < 0 || p[y * W + x] > p[at] ||
            (isnan(p[y * W + x]) && !isnan(p[at])))
          at = y * W + x;
    want[i] = at < 0 ? 0 : p[at];
    if (at >= 0)
      want_grad[plane + at] += 1;
  }
}

/* An array of `dtype` with these values. */
static void array_of(GpuArray *x, int dtype, unsigned int nd,
                     const size_t *dims, const double *v) {
  const size_t item = ga__dtype_size(dtype);
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  char *bytes = malloc(n * item + 1);
  assert_non_null(bytes);
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(dtype, bytes + i * item, v[i]);
  test_array(x, dtype, nd, dims, bytes);
  free(bytes);
}

static void assert_values(const GpuArray *x, const double *v, size_t n) {
  const size_t item = GpuArray_ITEMSIZE(x);
  char *got = malloc(n * item + 1);

  assert_non_null(got);
  test_gather(x, got);
  for (size_t i = 0; i < n; i++) {
    const double y = test_get(got, x->typecode, i);
    if (y != v[i] && !(isnan(y) && isnan(v[i])))
      fail_msg("element %zu: got %.9g, expected %.9g", i, y, v[i]);
  }
  free(got);
}

/* What regions of x give, and the gradient of their sum. */
typedef struct pooled {
  gg_var *x, *r, *n, *y, *dx;
} pooled;

static pooled build(int dtype) {
  pooled p = {.x = gg_input(g, "x", dtype, 4),
              .r = gg_input(g, "r", corner_dtype, 2),
              .n = gg_input(g, "n", GA_LONG, 1)};

  p.y = gg_roi_pool(p.x, p.r, p.n, &how);
  assert_ok(gg_grad(&p.dx, gg_sum(p.y), 1, &p.x));
  return p;
}

static void make_arguments(GpuArray *in, int dtype, size_t regions) {
  array_of(&in[0], dtype, 4, (size_t[]){N, C, H, W}, x_data);
  array_of(&in[1], corner_dtype, 2, (size_t[]){regions, 4}, corners);
  test_array(&in[2], GA_LONG, 1, (size_t[]){regions}, images);
}

static void run(gg_func *f, int dtype, size_t regions, GpuArray *got) {
  GpuArray in[3];

  make_arguments(in, dtype, regions);
  func_run(f, (GpuArray *[]){&in[0], &in[1], &in[2]},
           (GpuArray *[]){&got[0], &got[1], &got[2], &got[3]});
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&in[i]);
}

static void clear(GpuArray *x, int n) {
  for (int i = 0; i < n; i++)
    GpuArray_clear(&x[i]);
}

static void check_dtypes(int dtype, int corner, gg_mode mode) {
  GpuArray got[4] = {{NULL}, {NULL}, {NULL}, {NULL}};

  corner_dtype = corner;
  const pooled p = build(dtype);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(p.x, p.r, p.n),
                                            .outputs = GG_VARS(p.y, p.dx),
                                            .mode = mode});
  run(f, dtype, REGIONS, got);
  fill_want();
  assert_values(&got[0], want, Y);
  assert_values(&got[1], want_grad, X);
  clear(got, 4);
  gg_func_free(f);
}

/* Values that float16 has. */
static void fill_x(void) {
  for (int i = 0; i < X; i++)
    x_data[i] = (i * 37 % 101 - 50) / 32.0;
}

static void regions_are_those_of_a_loop(void **state) {
  (void)state;
  fill_x();
  check_dtypes(GA_FLOAT, GA_FLOAT, GG_FAST_RUN);
  check_dtypes(GA_FLOAT, GA_FLOAT, GG_DEBUG);
  /* Of equal elements, the first one gets the gradient. NaN is the largest. */
  for (int i = 0; i < X; i++)
    x_data[i] = i % 3 == 0 ? 0 : i % 11 == 0 ? -INFINITY : fmin(0, x_data[i]);
  x_data[W + 3] = NAN;
  x_data[2 * W + 2] = NAN;
  for (int i = 0; i < H * W; i++)
    x_data[C * H * W + i] = -INFINITY;
  check_dtypes(GA_FLOAT, GA_FLOAT, GG_FAST_RUN);
}

static void dtypes_may_differ(void **state) {
  (void)state;
  fill_x();
  if (!gpucontext_caps(test_context())->fp64) {
    check_dtypes(GA_HALF, GA_FLOAT, GG_FAST_RUN);
    return;
  }
  check_dtypes(GA_HALF, GA_DOUBLE, GG_FAST_RUN);
  check_dtypes(GA_DOUBLE, GA_HALF, GG_FAST_RUN);
}

/* 4 x where each of the results of an element gives twice x to its gradient. */
static void derivatives_follow_the_places(void **state) {
  GpuArray got[4] = {{NULL}, {NULL}, {NULL}, {NULL}};
  gg_var *along, *dx, *second;

  (void)state;
  fill_x();
  corner_dtype = GA_FLOAT;
  const pooled p = build(GA_FLOAT);
  assert_ok(gg_rop(&along, 1, &p.y, 1, &p.x, &p.x));
  assert_ok(gg_grad(&dx, gg_sum(gg_sqr(p.y)), 1, &p.x));
  assert_ok(gg_grad(&second, gg_sum(gg_mul(dx, p.x)), 1, &p.x));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(p.x, p.r, p.n),
                         .outputs = GG_VARS(p.y, p.dx, along, second)});
  run(f, GA_FLOAT, REGIONS, got);
  fill_want();
  assert_values(&got[2], want, Y);
  for (int i = 0; i < X; i++)
    want_grad[i] *= 4 * x_data[i];
  assert_values(&got[3], want_grad, X);
  /* No regions */
  run(f, GA_FLOAT, 0, got);
  assert_int_equal(got[0].dimensions[0], 0);
  assert_int_equal(got[0].dimensions[3], COLUMNS);
  memset(want_grad, 0, sizeof want_grad);
  assert_values(&got[1], want_grad, X);
  assert_values(&got[3], want_grad, X);
  clear(got, 4);
  gg_func_free(f);
}

/* Call with an image that is not there. */
static int call_beyond(int flags, GpuArray *in, GpuArray *got) {
  const pooled p = build(GA_FLOAT);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(p.x, p.r, p.n),
                                            .outputs = GG_VARS(p.y),
                                            .flags = flags});
  int err = gg_func_call(f, (GpuArray *[]){&in[0], &in[1], &in[2]},
                         (GpuArray *[]){got});

  gg_func_free(f);
  return err != GA_NO_ERROR ? err : gpudata_sync(in[0].data);
}

static void images_that_are_not_there_are_found(void **state) {
  static const char message[] = "roi_pool: index -3 at position 1 is out of "
                                "range for axis 0 of size 2";
  static const int64_t beyond[] = {1, -3}, clamped[] = {1, 0};
  static const int flags[] = {GG_BOUNDS_GUARD, GG_INDEX_GUARD,
                              GG_NO_INDEX_GUARD, GG_NO_INDEX_GUARD};
  GpuArray in[3], got[4] = {{NULL}, {NULL}, {NULL}, {NULL}};

  (void)state;
  fill_x();
  corner_dtype = GA_FLOAT;
  make_arguments(in, GA_FLOAT, 2);
  for (int k = 0; k < 4; k++) {
    assert_ok(GpuArray_write(&in[2], k < 3 ? beyond : clamped, sizeof beyond));
    const int err = call_beyond(flags[k], in, &got[k]);
    assert_int_equal(err, k < 2 ? GA_VALUE_ERROR : GA_NO_ERROR);
    if (k < 2)
      assert_non_null(strstr(gpuarray_error_text(err), message));
  }
  float values[2 * C * ROWS * COLUMNS];
  test_gather(&got[3], values);
  test_array_equal(&got[2], values);
  clear(got, 4);
  clear(in, 3);
}

static void images_are_pooled_whole(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(
                                       gg_pool_global(x, GG_POOL_MAX, 2, 0),
                                       gg_pool_global(x, GG_POOL_MEAN, 2, 0),
                                       gg_pool_global(x, GG_POOL_NORM, 2, 3))});
  float data[X], most[N * C], mean[N * C], norm[N * C];
  GpuArray got[3] = {{NULL}, {NULL}, {NULL}};

  (void)state;
  test_fill(data, GA_FLOAT, X, -1, 1, 7);
  for (int k = 0; k < N * C; k++) {
    double sum = 0, cubes = 0;
    most[k] = -2;
    for (int i = k * H * W; i < (k + 1) * H * W; i++) {
      most[k] = fmaxf(most[k], data[i]);
      sum += (double)data[i];
      cubes += pow(fabs((double)data[i]), 3);
    }
    mean[k] = (float)(sum / (H * W));
    norm[k] = (float)cbrt(cubes);
  }
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, C, H, W}, data);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1], &got[2]});
  test_array_equal(&got[0], most);
  test_array_close(&got[1], mean, 1e-5, 1e-6);
  test_array_close(&got[2], norm, 1e-5, 1e-6);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(got[i].nd, 4);
    assert_int_equal(got[i].dimensions[3], 1);
    GpuArray_clear(&got[i]);
  }
  gg_func_free(f);
  gg_var *y = gg_sum(gg_pool_global(x, GG_POOL_NORM, 2, 3));
  assert_ok(gg_check_gradient(y, 1, &x, (GpuArray *[]){&a}, 1e-3, 2e-2));
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4), *v = gg_input(g, "v", GA_FLOAT, 1);
  gg_var *r = gg_input(g, "r", GA_FLOAT, 2), *n = gg_input(g, "n", GA_INT, 1);

  (void)state;
  graph_refused(gg_roi_pool(x, r, n, NULL),
                "roi_pool(float32[?, ?, ?, ?], float32[?, ?], int32[?]): "
                "no sizes of regions");
  graph_refused(
      gg_roi_pool(x, gg_specify_shape(r, (int64_t[]){4, GG_ANY}),
                  gg_specify_shape(n, (int64_t[]){3}), &how),
      "roi_pool(float32[?, ?, ?, ?], float32[4, ?], int32[3]): dim 0 has 3 "
      "elements, expected 4: an image for each region");
  graph_refused(gg_roi_pool(x, r, v, &how),
                "roi_pool(float32[?, ?, ?, ?], float32[?, ?], float32[?]): "
                "expected floats, floats, integers");
  graph_refused(gg_roi_pool(x, v, n, &how),
                "roi_pool(float32[?, ?, ?, ?], float32[?], int32[?]): expected "
                "[images, channels, rows, columns], [regions, 4], [regions]");
  graph_refused(gg_pool_global(v, GG_POOL_MAX, 2, 0),
                "pool_global(float32[?]): kind 0, 2 axes of 1, expected 1 or "
                "more");
  graph_refused(gg_pool_global(v, GG_POOL_NORM, 1, 0),
                "pool_global(float32[?]): the exponent is 0, expected a finite "
                "one above 0");
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(regions_are_those_of_a_loop),
                                     TEST(dtypes_may_differ),
                                     TEST(derivatives_follow_the_places),
                                     TEST(images_that_are_not_there_are_found),
                                     TEST(images_are_pooled_whole),
                                     TEST(what_does_not_fit_is_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
