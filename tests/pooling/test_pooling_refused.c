/* SPDX-License-Identifier: BSD-2-Clause */
/* What pooling refuses, and empty arrays. */
#include "support/device.h"

#include <gpuarray/pooling.h>

static void make(GpuArray *a, int dtype, unsigned int nd, const size_t *dims) {
  assert_ok(GpuArray_zeros(a, test_context(), dtype, nd, dims, GA_C_ORDER));
}

/* What maps may not be. */
static void refuse_maps(const GpuBand *b, GpuArray *x, GpuArray *y,
                        GpuArray *other) {
  gpuelemwise_arg in = {"i", GA_FLOAT, GE_READ},
                  out = {"o", GA_FLOAT, GE_WRITE};
  GpuEpilogue front = {.text = "v = i", .n_args = 1, .args = &in};
  GpuEpilogue e = {.text = "o = acc", .n_args = 1, .args = &out};
  void *args[2] = {y, x};
  GpuLaunch *l;

#define REFUSED(code, message)                                                 \
  assert_code(code, GpuPooling_epilogue_prepare(&l, GA_POOLING_SUM, 1, b, x,   \
                                                NULL, &e, args));              \
  assert_message(code, message)

  out.name = "acc";
  REFUSED(GA_VALUE_ERROR, "the name acc is taken");
  out = (gpuelemwise_arg){"o", GA_FLOAT, GE_READ};
  REFUSED(GA_VALUE_ERROR, "epilogue: none of 1 arguments is written");
  out.flags = GE_WRITE;
  e.sum = &front;
  REFUSED(GA_VALUE_ERROR, "the sum of X beside a pooling");
  e.sum = NULL;
  e.front = &front;
  in.flags = GE_WRITE;
  REFUSED(GA_VALUE_ERROR, "i: a map in front writes nothing");
  in.flags = GE_READ;
  args[1] = y;
  assert_code(GA_VALUE_ERROR, GpuPooling_epilogue_prepare(
                                  &l, GA_POOLING_SUM, 1, b, x, NULL, &e, args));
  args[1] = x;
  args[0] = other;
  assert_code(GA_VALUE_ERROR, GpuPooling_epilogue_prepare(
                                  &l, GA_POOLING_SUM, 1, b, x, NULL, &e, args));
  e.text = NULL;
  REFUSED(GA_VALUE_ERROR, "no epilogue");
#undef REFUSED
}

static void test_errors(void **unused) {
  const GpuPooling g = {.nd = 1, .size = {2}, .stride = {2}, .dilation = {1}};
  GpuArray x, y, wide, ints, index;
  GpuLaunch *l;
  GpuBand b, mean, bad;

  (void)unused;
  make(&x, GA_FLOAT, 2, (size_t[]){3, 8});
  make(&y, GA_FLOAT, 2, (size_t[]){3, 4});
  make(&wide, GA_FLOAT, 2, (size_t[]){3, 5});
  make(&ints, GA_INT, 2, (size_t[]){3, 8});
  make(&index, GA_LONG, 2, (size_t[]){3, 4});
  assert_ok(GpuBand_pool(&b, &g, 0, 8, 0));
  assert_ok(GpuBand_pool(&mean, &g, 0, 8, 1));
  assert_code(GA_INVALID_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, NULL, &x, NULL, &y));
  assert_null(l);
  assert_code(GA_INVALID_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &b, NULL, NULL, &y));
  assert_code(GA_INVALID_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &b, &x, NULL, NULL));
  assert_code(GA_INVALID_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_PICK, 1, &b, &x, NULL, &y));
  assert_code(GA_INVALID_ERROR,
              GpuPooling_prepare(NULL, GA_POOLING_MAX, 1, &b, &x, NULL, &y));
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, (ga_pool_op)7, 1, &b, &x, NULL, &y));
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 0, &b, &x, NULL, &y));
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_SUM, 1, &b, &x, &index, &y));
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &b, &x, NULL, &wide));
  assert_message(GA_VALUE_ERROR, "result: dim 1: expected 4, got 5");
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &b, &ints, NULL, &y));
  assert_code(GA_UNSUPPORTED_ERROR, GpuPooling_prepare(&l, GA_POOLING_SUM, 1,
                                                       &mean, &ints, NULL, &y));
  assert_message(GA_UNSUPPORTED_ERROR, "source: int32, expected floats");
  bad = b;
  bad.first = (int32_t[]){0, 2, 4, 7};
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &bad, &x, NULL, &y));
  bad.first = b.first;
  bad.step = 0;
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &bad, &x, NULL, &y));
  refuse_maps(&b, &x, &y, &wide);
  GpuArray part;
  assert_ok(GpuArray_index(&part, &x, (ssize_t[]){0, 0}, (ssize_t[]){3, 4},
                           (ssize_t[]){1, 1}));
  assert_code(GA_VALUE_ERROR,
              GpuPooling_prepare(&l, GA_POOLING_MAX, 1, &b, &x, NULL, &part));
  assert_message(GA_VALUE_ERROR, "result: overlaps source");
  GpuArray_clear(&part);
  GpuBand_clear(&b);
  GpuBand_clear(&mean);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&wide);
  GpuArray_clear(&ints);
  GpuArray_clear(&index);
}

/* No images, and no elements of the result. */
static void test_empty(void **unused) {
  const GpuPooling g = {.nd = 1, .size = {2}, .stride = {2}, .dilation = {1}};
  const GpuResize r = {.mode = GA_RESIZE_LINEAR};
  GpuArray x, y;
  GpuBand b;

  (void)unused;
  make(&x, GA_FLOAT, 2, (size_t[]){0, 8});
  make(&y, GA_FLOAT, 2, (size_t[]){0, 4});
  assert_ok(GpuBand_pool(&b, &g, 0, 8, 0));
  assert_ok(GpuPooling_call(GA_POOLING_MAX, 1, &b, &x, NULL, &y));
  GpuBand_clear(&b);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  make(&x, GA_FLOAT, 1, (size_t[]){8});
  make(&y, GA_FLOAT, 1, (size_t[]){0});
  assert_ok(GpuBand_resize(&b, &r, 8, 0));
  assert_ok(GpuPooling_call(GA_POOLING_SUM, 1, &b, &x, NULL, &y));
  GpuBand_clear(&b);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_empty)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
