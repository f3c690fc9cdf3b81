/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions of sizes at their limits, what is refused, and launches. */
#include "conv/check_conv.h"

#include <signal.h>

#include <gpuarray/profile.h>

/* --- sizes at their limits --- */

/* Remainders of positions that do not exist cost no time. */
static void test_huge_strides(void **state) {
  const size_t most = INT32_MAX / 4;
  problem p = {.c = {.nd = 3, .groups = 1},
               .images = 1,
               .channels = 2,
               .filters = 2,
               .y = {1, 1, 1}};

  (void)state;
  for (int d = 0; d < 3; d++) {
    p.c.stride[d] = most;
    p.c.dilation[d] = most - 1;
    p.c.before[d] = most / 2;
    p.c.after[d] = most - most / 2;
    p.x[d] = p.w[d] = 2;
  }
  for (int part = 0; part < 3; part++)
    check(&p, (ga_conv_part)part, GA_FLOAT, (layout[3]){0, 0, 0}, NULL);
}

static void zeros(GpuArray *a, unsigned int nd, const size_t *dims) {
  assert_ok(GpuArray_zeros(a, test_context(), GA_FLOAT, nd, dims, GA_C_ORDER));
}

/* Any strides of results without elements are right. */
static void test_empty_results(void **state) {
  const GpuConv c = {
      .nd = 1, .stride = {1}, .dilation = {1}, .before = {3}, .groups = 1};
  GpuArray x, w, y, none, no_y;

  (void)state;
  zeros(&x, 3, (const size_t[]){2, 2, 0});
  zeros(&w, 3, (const size_t[]){2, 2, 3});
  zeros(&y, 3, (const size_t[]){2, 2, 1});
  x.strides[0] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_INPUT, &y, &w, &x));
  zeros(&none, 3, (const size_t[]){0, 2, 3});
  zeros(&no_y, 3, (const size_t[]){2, 0, 1});
  no_y.strides[0] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_FORWARD, &x, &none, &no_y));
  assert_ok(GpuConv_call(&c, GA_CONV_FILTERS, &x, &no_y, &none));
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
  GpuArray_clear(&none);
  GpuArray_clear(&no_y);
}

/* Filters of size 1 read nothing of an empty view. */
static void test_empty_input(void **state) {
  const GpuConv c = {
      .nd = 1, .stride = {1}, .dilation = {1}, .after = {1}, .groups = 1};
  const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zero = 0;
  GpuArray x, w, y;

  (void)state;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 2, 4}, ones);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 2, 1}, ones);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, 1}, ones);
  x.dimensions[2] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_FORWARD, &x, &w, &y));
  test_array_equal(&y, &zero);
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* Without channels, filters have no elements, and lie where vectors may not. */
static void check_no_channels(void) {
  const problem p = {.c = {.nd = 1,
                           .stride = {1},
                           .dilation = {1},
                           .before = {1},
                           .after = {1},
                           .groups = 1},
                     .images = 2,
                     .filters = 4,
                     .x = {8},
                     .w = {3},
                     .y = {8}};

  for (int part = 0; part < 3; part++)
    check(&p, (ga_conv_part)part, GA_FLOAT, (layout[3]){0, 0, 0}, NULL);
}

static void test_no_channels(void **state) {
  (void)state;
  test_mappings(check_no_channels);
}

/* A view of `a` that repeats its first element. */
static GpuArray repeated(const GpuArray *a, size_t *dims) {
  static ssize_t none[3];
  GpuArray view = *a;

  view.dimensions = dims;
  view.strides = none;
  return view;
}

static void test_refusals(void **state) {
  const GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};
  const gpuelemwise_arg arg = {"o", GA_FLOAT, GE_WRITE};
  const GpuEpilogue e = {.text = "o = acc", .n_args = 1, .args = &arg};
  const float ones[1] = {1};
  size_t size, dims[3] = {1, 1, 1}, many[3] = {(size_t)1 << 31, 1, 1};
  const struct sigaction ordinary = {.sa_handler = SIG_DFL};
  struct sigaction before;
  GpuArray x, w, y, other;
  GpuLaunch *l;

  (void)state;
  assert_code(GA_INVALID_ERROR, GpuConv_size(&size, NULL, 0, 1, 1));
  test_array(&x, GA_FLOAT, 3, dims, ones);
  test_array(&w, GA_FLOAT, 3, dims, ones);
  test_array(&y, GA_FLOAT, 3, dims, ones);
  GpuArray wide = repeated(&x, many), wide_y = repeated(&y, many);
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&c, GA_CONV_FILTERS, &wide, &wide_y, &w));
  assert_message(GA_VALUE_ERROR, "2147483648 images");
  other = y;
  other.typecode = GA_INT;
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&c, GA_CONV_FORWARD, &x, &w, &other));
  /* with an epilogue, only the result's sizes are read */
  many[0] = 2;
  other = wide_y;
  other.typecode = -1;
  sigaction(SIGFPE, &ordinary,
            &before); /* PoCL goes on after a division by 0 */
  assert_code(GA_VALUE_ERROR, GpuConv_prepare(&l, &c, GA_CONV_FORWARD, &wide,
                                              &w, &other, &e, (void *[]){&y}));
  sigaction(SIGFPE, &before, NULL);
  assert_message(GA_VALUE_ERROR, "the result has 2, arguments 1");
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* --- launches --- */

/* Filters that are read backwards, so that a product of row 1 of the result
 * needs no window. Its first element lies where vectors may not. */
static void check_offset_rows(void) {
  enum { N = 22, C = 4 };
  const GpuConv c = {
      .nd = 2, .stride = {2, 1}, .dilation = {1, 1}, .groups = 1, .flip = 1};
  const gpuelemwise_arg args[2] = {{"other", GA_FLOAT, GE_READ},
                                   {"o", GA_FLOAT, GE_WRITE}};
  const GpuEpilogue e = {
      .text = "o = acc + other", .n_args = 2, .args = args, .flags = GE_VECTOR};
  const size_t x_dims[4] = {1, C, 2, N}, w_dims[4] = {C, C, 2, 1},
               y_dims[4] = {1, C, 1, N};
  float ones[C * N], v[C * 2 * N], want[C * 2 * N];
  GpuArray x, w, y, other;
  GpuLaunch *l;

  for (int i = 0; i < C * N; i++)
    ones[i] = 1;
  for (int i = 0; i < C * 2 * N; i++) {
    v[i] = (float)i;
    want[i] = (float)(i + C);
  }
  test_array(&x, GA_FLOAT, 4, x_dims, v);
  test_array(&other, GA_FLOAT, 4, x_dims, v);
  test_array(&w, GA_FLOAT, 4, w_dims, ones);
  test_array(&y, GA_FLOAT, 4, y_dims, ones);
  assert_ok(GpuConv_prepare(&l, &c, GA_CONV_INPUT, &y, &w, &x, &e,
                            (void *[]){&other, &x}));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_array_equal(&x, want);
  GpuArray_clear(&x);
  GpuArray_clear(&other);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

static void test_offset_rows(void **state) {
  (void)state;
  test_mappings(check_offset_rows);
}

static void call(const GpuConv *c, GpuArray *x, GpuArray *w, GpuArray *y,
                 const float *want) {
  assert_ok(GpuConv_call(c, GA_CONV_FORWARD, x, w, y));
  test_array_equal(y, want);
}

/* Direct calls of one geometry have a launch in common. */
static void test_calls(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};
  const float v[3] = {1, 2, 4};
  gpucontext_counters before, after;
  GpuArray x, w, y;

  (void)state;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 1, 3}, v);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, v);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, v);
  call(&c, &x, &w, &y, (const float[]){5, 10});
  assert_ok(gpucontext_count(test_context(), &before));
  call(&c, &x, &w, &y, (const float[]){5, 10});
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.programs_built + after.programs_reused,
                   before.programs_built + before.programs_reused);
  c.flip = 1;
  call(&c, &x, &w, &y, (const float[]){4, 8});
  c.stride[0] = 2;
  c.before[0] = 1;
  call(&c, &x, &w, &y, (const float[]){1, 8});
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* --- padding by name --- */

static void check_padding(size_t x, size_t w, size_t stride, size_t dilation) {
  const size_t span = (w - 1) * dilation + 1;
  GpuConv c = {.nd = 2, .stride = {1, stride}, .dilation = {1, dilation}};
  size_t y;

  assert_ok(GpuConv_pad(&c, GA_CONV_SAME, (size_t[]){3, w}, (size_t[]){9, x}));
  assert_int_equal(c.before[0], 1);
  assert_true(c.after[1] == c.before[1] || c.after[1] == c.before[1] + 1);
  assert_true(c.after[1] + c.before[1] < span);
  assert_ok(GpuConv_size(&y, &c, 1, x, w));
  assert_int_equal(y, (x + stride - 1) / stride);
  assert_ok(GpuConv_pad(&c, GA_CONV_FULL, (size_t[]){3, w}, NULL));
  assert_ok(GpuConv_size(&y, &c, 1, x, w));
  assert_int_equal(y, (x + span - 2) / stride + 1);
  assert_ok(GpuConv_pad(&c, GA_CONV_HALF, (size_t[]){3, w}, NULL));
  assert_int_equal(c.before[1], span / 2);
  assert_int_equal(c.after[1], span / 2);
  assert_ok(GpuConv_pad(&c, GA_CONV_VALID, (size_t[]){3, w}, NULL));
  assert_int_equal(c.before[0] + c.after[0] + c.before[1] + c.after[1], 0);
}

static void test_padding(void **state) {
  (void)state;
  for (size_t x = 1; x < 12; x++)
    for (size_t w = 1; w < 5; w++)
      for (size_t stride = 1; stride < 4; stride++)
        check_padding(x, w, stride, 1 + (x + w) % 3);
}

/* After an error the padding is what it was. */
static void test_padding_refusals(void **state) {
  const size_t w[2] = {3, 3}, none[2] = {3, 0}, x[2] = {8, (size_t)INT32_MAX};
  const GpuConv good = {
      .nd = 2, .stride = {1, 2}, .dilation = {1, 1}, .before = {7, 7}};
  GpuConv c = good;

  (void)state;
  assert_code(GA_INVALID_ERROR, GpuConv_pad(NULL, GA_CONV_FULL, w, NULL));
  assert_code(GA_INVALID_ERROR, GpuConv_pad(&c, GA_CONV_FULL, NULL, NULL));
  assert_code(GA_INVALID_ERROR, GpuConv_pad(&c, GA_CONV_SAME, w, NULL));
  assert_message(GA_INVALID_ERROR, "stride 2 needs the input's size");
  assert_code(GA_VALUE_ERROR, GpuConv_pad(&c, GA_CONV_PADDINGS, w, NULL));
  assert_message(GA_VALUE_ERROR, "unknown padding");
  assert_code(GA_VALUE_ERROR, GpuConv_pad(&c, GA_CONV_FULL, none, NULL));
  assert_message(GA_VALUE_ERROR, "filters of size 0");
  assert_code(GA_VALUE_ERROR, GpuConv_pad(&c, GA_CONV_SAME, w, x));
  assert_message(GA_VALUE_ERROR, "at most");
  c.dilation[1] = 0;
  assert_code(GA_VALUE_ERROR, GpuConv_pad(&c, GA_CONV_FULL, w, NULL));
  assert_message(GA_VALUE_ERROR, "dilation 0");
  c.dilation[1] = 1;
  c.nd = 4;
  assert_code(GA_VALUE_ERROR, GpuConv_pad(&c, GA_CONV_FULL, w, NULL));
  assert_message(GA_VALUE_ERROR, "4 spatial dimensions");
  c.nd = 2;
  assert_memory_equal(&c, &good, sizeof c);
}

/* On CPUs the numbers of filters and those of tiles share the limit; two copies
 * of w do not count. */
static void test_workspace_limit(void **state) {
  const GpuConv c = {.nd = 2,
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .before = {1, 1},
                     .after = {1, 1},
                     .groups = 1};
  const size_t x_dims[4] = {1, 64, 56, 56}, w_dims[4] = {64, 64, 3, 3};
  const size_t most = ((size_t)1 << 20) + 2 * sizeof(float) * 64 * 64 * 9;
  GpuArray x, w, y;
  GpuLaunch *l;
  size_t bytes;

  test_context_drop(state);
  setenv("GPUARRAY_WORKSPACE_MB", "1", 1);
  if (gpucontext_caps(test_context())->is_cpu) {
    zeros(&x, 4, x_dims);
    zeros(&w, 4, w_dims);
    zeros(&y, 4, x_dims);
    assert_ok(GpuConv_prepare(&l, &c, GA_CONV_FORWARD, &x, &w, &y, NULL, NULL));
    assert_ok(GpuLaunch_workspace_bytes(l, &bytes));
    assert_true(bytes <= most);
    GpuLaunch_free(l);
    GpuArray_clear(&x);
    GpuArray_clear(&w);
    GpuArray_clear(&y);
  }
  unsetenv("GPUARRAY_WORKSPACE_MB");
  test_context_drop(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_workspace_limit),
      cmocka_unit_test(test_huge_strides),
      cmocka_unit_test(test_empty_results),
      cmocka_unit_test(test_empty_input),
      cmocka_unit_test(test_no_channels),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_offset_rows),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_padding),
      cmocka_unit_test(test_padding_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
