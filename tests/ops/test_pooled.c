/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing in graphs: gradients of first and second order against
 * differences, results against the host's in debug mode, text, and what is
 * refused. */
#include "support/compared.h"

#include <gpugraph/normalise.h>
#include <gpugraph/pooling.h>
#include <math.h>
#include <stdlib.h>

#include "support/roundtrip.h"

static const GpuPooling geometry = {.nd = 2,
                                    .size = {3, 2},
                                    .stride = {2, 1},
                                    .dilation = {1, 2},
                                    .before = {1, 0},
                                    .after = {0, 1},
                                    .flags = GA_POOLING_CEIL};
static const GpuPooling adaptive = {
    .nd = 2, .size = {3, 4}, .flags = GA_POOLING_ADAPTIVE};
static const size_t dims[4] = {2, 3, 6, 7};
enum { ELEMENTS = 2 * 3 * 6 * 7 };

static gg_var *input(const char *name, int is_sized) {
  return gg_input_sized(g, name, GA_FLOAT, 4,
                        is_sized ? (int64_t[]){2, 3, 6, 7}
                                 : (int64_t[]){GG_ANY, GG_ANY, GG_ANY, GG_ANY});
}

/* Elements that differ by more than the steps of differences. */
static void fill(GpuArray *to) {
  float v[ELEMENTS];

  for (int i = 0; i < ELEMENTS; i++)
    v[i] = (float)((i * 97) % ELEMENTS) / 100 - 1.2f;
  test_array(to, GA_FLOAT, 4, dims, v);
}

static void check_gradients(gg_var *y, gg_var *x) {
  gg_var *cost = gg_sum(gg_sqr(y)), *first;
  GpuArray *const at[1] = {&a};

  assert_ok(gg_check_gradient(cost, 1, &x, at, 1e-2, 3e-2));
  assert_ok(gg_grad(&first, cost, 1, &x));
  cost = gg_mean(gg_sin(first));
  assert_ok(gg_check_gradient(cost, 1, &x, at, 1e-2, 5e-2));
}

static gg_var *resized(gg_var *x, ga_resize_mode mode, int antialias) {
  const GpuResize how[2] = {
      {.mode = mode, .cubic = -0.75, .antialias = antialias},
      {.mode = mode, .cubic = -0.75, .antialias = antialias}};

  return gg_resize(x, 2, how,
                   (gg_var *[]){gg_i64(g, antialias ? 3 : 9), gg_i64(g, 5)});
}

static void gradients_agree_with_differences(void **state) {
  gg_var *x = input("x", 0);

  (void)state;
  fill(&a);
  check_gradients(gg_pool_max(x, &geometry), x);
  check_gradients(gg_pool_max(x, &adaptive), x);
  check_gradients(gg_pool_mean(x, &geometry), x);
  check_gradients(gg_pool_mean(x, &adaptive), x);
  if (test_is_quick())
    return;
  check_gradients(gg_pool_norm(x, 2, &geometry), x);
  check_gradients(resized(x, GA_RESIZE_LINEAR, 0), x);
  check_gradients(resized(x, GA_RESIZE_CUBIC, 1), x);
  check_gradients(resized(x, GA_RESIZE_NEAREST, 0), x);
}

static void clear(GpuArray *v, int n) {
  for (int i = 0; i < n; i++)
    GpuArray_clear(&v[i]);
}

/* In debug mode each result is compared with the host's. */
static void results_are_those_of_the_host(void **state) {
  gg_var *x = input("x", 0), *first[4], *d = input("d", 0), *forward;
  gg_var *y[4] = {gg_pool_max(x, &geometry), gg_pool_mean(x, &geometry),
                  resized(x, GA_RESIZE_LINEAR, 0),
                  resized(x, GA_RESIZE_CUBIC, 1)};
  gg_var *index = gg_pool_indices(x, &geometry);
  GpuArray got[10] = {{NULL}};
  GpuArray *to[10];

  (void)state;
  for (int i = 0; i < 4; i++)
    assert_ok(gg_grad(&first[i], gg_sum(gg_sqr(y[i])), 1, &x));
  assert_ok(gg_rop(&forward, 1, &y[0], 1, &x, &d));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, d),
                         .outputs =
                             GG_VARS(y[0], y[1], y[2], y[3], first[0], first[1],
                                     first[2], first[3], index, forward),
                         .mode = GG_DEBUG});
  fill(&a);
  for (int i = 0; i < 10; i++)
    to[i] = &got[i];
  func_run(f, (GpuArray *[]){&a, &a}, to);
  /* The derivative in the direction of x itself. */
  float want[ELEMENTS];
  test_gather(&got[0], want);
  test_array_equal(&got[9], want);
  clear(got, 10);
  gg_func_free(f);
}

/* --- maps in front and behind --- */

static const GpuPooling halves = {
    .nd = 2, .size = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};

/* In front of windows: several arrays, one of them repeated. Behind: arrays of
 * the result's shape. */
static void maps_around_windows_share_their_kernels(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4), *r = gg_input(g, "r", GA_FLOAT, 4),
         *s = gg_input_sized(g, "s", GA_FLOAT, 4, (int64_t[]){1, GG_ANY, 1, 1});
  gg_var *mean = gg_pool_mean(gg_mul(gg_mul(x, x), s), &halves);
  gg_var *largest = gg_pool_max(gg_sub(x, s), &halves);
  gg_var *y[5] = {gg_add(gg_mul(mean, gg_f32(g, 3)), r),
                  gg_relu(gg_mul(largest, r)),
                  gg_relu(resized(x, GA_RESIZE_LINEAR, 0)),
                  gg_local_response_norm(x, 3, 0.3, 0.75, 2)};
  compared c;

  (void)state;
  compare_make(&c, (gg_var *[]){x, r, s, NULL}, y);
  compare_give(&c, 0, 4, (size_t[]){2, 3, 6, 8});
  compare_give(&c, 1, 4, (size_t[]){2, 3, 3, 4});
  compare_give(&c, 2, 4, (size_t[]){1, 3, 1, 1});
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 4);
  compare_clear(&c);
}

/* Also the gradients: of maxima behind the sums of what is picked, and of a
 * response in two kernels. */
static void gradients_take_maps(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4), *w = gg_input(g, "w", GA_FLOAT, 4);
  gg_var *largest = gg_pool_max(gg_tanh(x), &halves), *y[3] = {NULL};
  gg_var *response = gg_local_response_norm(x, 5, 0.3, 0.75, 2);
  compared c;

  (void)state;
  assert_ok(gg_grad(&y[0], gg_sum(gg_sqr(largest)), 1, &x));
  assert_ok(gg_grad(&y[1], gg_sum(gg_mul(response, w)), 1, &x));
  compare_make(&c, (gg_var *[]){x, w, NULL}, y);
  compare_give(&c, 0, 4, (size_t[]){2, 7, 4, 6});
  compare_give(&c, 1, 4, (size_t[]){2, 7, 4, 6});
  compare_run(&c);
  compare_clear(&c);
}

/* What is costly is not computed for each window anew. */
static void costly_maps_keep_their_kernel(void **state) {
  const GpuPooling wide = {
      .nd = 2, .size = {9, 9}, .stride = {1, 1}, .dilation = {1, 1}};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 4);
  compared c;
  gg_var *y[3] = {gg_pool_mean(gg_exp(x), &wide),
                  gg_relu(gg_pool_mean(x, &halves))};

  (void)state;
  compare_make(&c, (gg_var *[]){x, NULL}, y);
  compare_give(&c, 0, 4, (size_t[]){1, 1, 10, 12});
  compare_run(&c);
  assert_int_equal(func_stats(c.fused).steps, 3);
  compare_clear(&c);
}

static void unpooling_puts_maxima_back(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){2, 4});
  const GpuPooling two = {.nd = 1, .size = {2}, .stride = {2}, .dilation = {1}};
  gg_var *y = gg_unpool(gg_pool_max(x, &two), gg_pool_indices(x, &two), 1, x);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  static const float v[8] = {1, 3, 2, -1, 5, 5, -7, -6};
  static const float want[8] = {0, 3, 2, 0, 5, 0, 0, -6};
  GpuArray got = {NULL};

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 4}, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got});
  test_array_equal(&got, want);
  GpuArray_clear(&got);
  gg_func_free(f);
}

/* The last window lies in the padding and puts nothing. */
static void unpooling_leaves_padding_out(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  const GpuPooling p = {
      .nd = 1, .size = {2}, .stride = {2}, .dilation = {1}, .after = {2}};
  gg_var *y = gg_unpool(gg_pool_max(x, &p), gg_pool_indices(x, &p), 1, x);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(y),
                                            .mode = GG_DEBUG});
  static const float v[4] = {3, 1, 8, 7}, want[4] = {3, 0, 8, 0};

  (void)state;
  for (size_t n = 0; n < 2; n++) { /* without and with an image */
    GpuArray in, got = {NULL};

    test_array(&in, GA_FLOAT, 2, (size_t[]){n, 4}, v);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&got});
    test_array_equal(&got, want);
    GpuArray_clear(&got);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

/* Sizes from scales, and a function for several sizes. */
static void scales_give_sizes(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  const GpuResize how = {.mode = GA_RESIZE_LINEAR, .scale = 0.6};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_resize(x, 1, &how, NULL))});
  static const float v[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  (void)state;
  for (size_t n = 4; n <= 10; n += 3) {
    GpuArray got = {NULL}, in;
    float y[6];

    test_array(&in, GA_FLOAT, 1, &n, v);
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&got});
    assert_int_equal(got.dimensions[0], (size_t)(0.6 * (double)n));
    test_gather(&got, y);
    for (size_t o = 0; o < got.dimensions[0]; o++)
      assert_true(fabs(y[o] - (1 + ((double)o + 0.5) / 0.6 - 0.5)) < 1e-5);
    GpuArray_clear(&got);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

static void the_geometry_is_saved(void **state) {
  (void)state;
  assert_same_text(
      "x = input float32[2, 4, 6, 5]\n"
      "y = pool_max{size=[2, 1], stride=[2, 1], dilation=[1, 2], before=[1, 0],"
      " after=[0, 1], flags=1}(x)\n"
      "z = pool_mean{size=[3], stride=[0], dilation=[0], before=[0], after=[0],"
      " flags=4}(x)\n"
      "w = resize{axes=1, mode=linear, rule=half_pixel, round=round_down, "
      "cubic=0, scale0=0, scale1=0, scale2=0, start0=0, start1=0, start2=0, "
      "end0=0, end1=0, end2=0}(x, z)\n"
      "function f(x) -> (y, w)\n");
  assert_texts_refused(
      3,
      (refused_text[]){
          {"x = input float32[2, 4, 6]\n"
           "y = pool_max{size=[0], stride=[1], dilation=[1], before=[0], "
           "after=[0]}(x)\n",
           "dim 0: size is 0, expected 1 to 536870911"},
          {"x = input float32[2, 4, 6]\n"
           "y = pool_max{size=[2], stride=[1], dilation=[1], before=[0], "
           "after=[0], flags=64}(x)\n",
           "flags 64, expected 0 to 15"},
          {"x = input float32[6]\n"
           "y = resize{axes=2, mode=linear, rule=crop, round=floor, cubic=0, "
           "scale0=0, scale1=0, scale2=0, start0=0, start1=0, start2=0, "
           "end0=0, end1=0, end2=0}(x, x)\n",
           "2 resized dimensions of 1"}});
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){2, 3, 4});
  GpuPooling p = {.nd = 1, .size = {5}, .stride = {1}, .dilation = {1}};
  const GpuResize how[2] = {{.mode = GA_RESIZE_LINEAR}, {.scale = 2}};

  (void)state;
  graph_refused(
      gg_pool_max(x, &p),
      "pool_max(float32[2, 3, 4]): dim 0: a window of 5 elements, 1 apart, "
      "spans more than the padded source, 4");
  graph_refused(gg_pool_max(x, NULL),
                "pool_max(float32[2, 3, 4]): no geometry");
  p.stride[0] = SIZE_MAX;
  graph_refused(
      gg_pool_mean(x, &p),
      "pool_mean(float32[2, 3, 4]): dim 0: stride is 9223372036854775807, "
      "expected 1 to "
      "536870911");
  p.nd = 4;
  graph_refused(gg_pool_mean(x, &p), "pool_mean(float32[2, 3, 4]): 4 pooled "
                                     "dimensions, expected 1 to 3");
  graph_refused(gg_pool_norm(x, 0, &p),
                "pool_norm(float32[2, 3, 4]): the exponent "
                "is 0, expected a finite one above 0");
  graph_refused(
      gg_pool_norm(x, (double)INFINITY, &geometry),
      "pool_norm(float32[2, 3, 4]): the exponent is inf, expected a finite "
      "one above 0");
  graph_refused(
      gg_resize(x, 2, how, NULL),
      "resize(float32[2, 3, 4]): 2 axes of 3, expected 1 to 3 that are "
      "resized in the same way");
  graph_refused(gg_resize(x, 1, how, NULL),
                "resize(float32[2, 3, 4]): dim 0: no size and scale 0");
  graph_refused(
      gg_resize(x, 1, how, (gg_var *[]){gg_i64(g, 0)}),
      "resize(float32[2, 3, 4], float32[2, 3, 0]): dim 2: 4 elements are "
      "resized to 0, expected 1 or more");
  graph_refused(gg_unpool(x, gg_i64(g, 0), 1, x),
                "unpool(float32[2, 3, 4], int64, float32[2, 3, 4]): 1 axes of "
                "arrays of different ranks");
  assert_null(gg_pool_max(NULL, &p));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(gradients_agree_with_differences),
      TEST(results_are_those_of_the_host),
      TEST(maps_around_windows_share_their_kernels),
      TEST(gradients_take_maps),
      TEST(costly_maps_keep_their_kernel),
      TEST(unpooling_puts_maxima_back),
      TEST(unpooling_leaves_padding_out),
      TEST(scales_give_sizes),
      TEST(the_geometry_is_saved),
      TEST(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
