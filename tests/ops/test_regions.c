/* SPDX-License-Identifier: BSD-2-Clause */
/* Largest elements of regions and of whole images, against plain loops in
 * double, and their gradients. */
#include "support/graph_case.h"

#include <gpugraph/images.h>
#include <gpugraph/pooling.h>
#include <math.h>

enum { N = 2, C = 3, H = 5, W = 7, REGIONS = 5, ROWS = 3, COLUMNS = 2 };
enum { X = N * C * H * W, Y = REGIONS * C * ROWS * COLUMNS };

static float x_data[X], want[Y], want_grad[X];
/* Inside; beyond the borders; of one element; outside; turned around. Some
 * corners are halves after scaling. */
static const float corners[REGIONS * 4] = {1, 0, 9,  8,  -6, 5,  20, 19, 7, 5,
                                           7, 5, 40, 40, 50, 60, 9,  3,  2, 1};
static const int images[REGIONS] = {1, 0, 1, 0, 1};
static const gg_regions how = {.rows = ROWS, .columns = COLUMNS, .scale = 0.5};

/* The bounds of bin i of n between two corners, cut to `size` elements. */
static void bound(int *from, int *to, float low, float high, int i, int n,
                  int size) {
  const int first = (int)round((double)low * how.scale);
  const int last = (int)round((double)high * how.scale);
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
    const float *r = corners + 4 * k, *p = x_data + (images[k] * C + c) * H * W;
    int r0, r1, c0, c1, at = -1;

    bound(&r0, &r1, r[1], r[3], i / COLUMNS % ROWS, ROWS, H);
    bound(&c0, &c1, r[0], r[2], i % COLUMNS, COLUMNS, W);
    for (int y = r0; y < r1; y++)
      for (int x = c0; x < c1; x++)
        if (at < 0 || p[y * W + x] > p[at])
          at = y * W + x;
    want[i] = at < 0 ? 0 : p[at];
    if (at >= 0)
      want_grad[(images[k] * C + c) * H * W + at] += 1;
  }
}

static void check_regions(void) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_var *r = gg_input(g, "r", GA_FLOAT, 2), *n = gg_input(g, "n", GA_INT, 1);
  gg_var *y = gg_roi_pool(x, r, n, &how), *dx = NULL;
  GpuArray got[2] = {{NULL}, {NULL}}, which;

  assert_ok(gg_grad(&dx, gg_sum(y), 1, &x));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, r, n),
                                            .outputs = GG_VARS(y, dx)});
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, C, H, W}, x_data);
  test_array(&b, GA_FLOAT, 2, (size_t[]){REGIONS, 4}, corners);
  test_array(&which, GA_INT, 1, (size_t[]){REGIONS}, images);
  func_run(f, (GpuArray *[]){&a, &b, &which}, (GpuArray *[]){&got[0], &got[1]});
  fill_want();
  test_array_equal(&got[0], want);
  test_array_equal(&got[1], want_grad);
  GpuArray_clear(&got[0]);
  GpuArray_clear(&got[1]);
  GpuArray_clear(&which);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_func_free(f);
}

static void regions_are_those_of_a_loop(void **state) {
  (void)state;
  test_fill(x_data, GA_FLOAT, X, -1, 1, 4);
  check_regions();
  /* Of equal elements, the first one gets the gradient. */
  for (int i = 0; i < X; i++)
    x_data[i] = i % 3 == 0 ? 0 : fmaxf(0, x_data[i] - 0.5f);
  x_data[C * H * W] = -INFINITY;
  check_regions();
}

static void images_are_pooled_whole(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 4, (int64_t[]){N, C, H, W});
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(
                                       gg_pool_global(x, GG_POOL_MAX, 2, 0),
                                       gg_pool_global(x, GG_POOL_MEAN, 2, 0),
                                       gg_pool_global(x, GG_POOL_NORM, 2, 3))});
  float most[N * C], mean[N * C], norm[N * C];
  GpuArray got[3] = {{NULL}, {NULL}, {NULL}};

  (void)state;
  test_fill(x_data, GA_FLOAT, X, -1, 1, 7);
  for (int k = 0; k < N * C; k++) {
    double sum = 0, cubes = 0;
    most[k] = -2;
    for (int i = k * H * W; i < (k + 1) * H * W; i++) {
      most[k] = fmaxf(most[k], x_data[i]);
      sum += (double)x_data[i];
      cubes += pow(fabs((double)x_data[i]), 3);
    }
    mean[k] = (float)(sum / (H * W));
    norm[k] = (float)cbrt(cubes);
  }
  test_array(&a, GA_FLOAT, 4, (size_t[]){N, C, H, W}, x_data);
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
                                     TEST(images_are_pooled_whole),
                                     TEST(what_does_not_fit_is_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
