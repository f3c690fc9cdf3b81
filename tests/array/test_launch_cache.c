/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct calls that run launches of earlier ones. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/profile.h>
#include <gpuarray/reduction.h>

static double reduce(const GpuArray *a, ga_reduce_op op) {
  char out[8];
  GpuArray r;

  assert_ok(GpuArray_reduction(&r, a, op, 0, NULL, 0, -1, -1));
  test_gather(&r, out);
  double v = test_get(out, r.typecode, 0);
  GpuArray_clear(&r);
  return v;
}

static void rebinds_arrays_of_one_geometry(void **state) {
  const float x[2][4] = {{1, 2, 3, 4}, {-5, 10, 0, 3}};
  const size_t dim = 4;
  GpuArray a[2];

  (void)state;
  for (int i = 0; i < 2; i++)
    test_array(&a[i], GA_FLOAT, 1, &dim, x[i]);
  for (int i = 0; i < 6; i++) {
    const int k = i & 1;

    assert_int_equal((int)reduce(&a[k], GA_REDUCE_SUM), k ? 8 : 10);
    assert_int_equal((int)reduce(&a[k], GA_REDUCE_MAX), k ? 10 : 4);
    assert_int_equal((int)reduce(&a[k], GA_REDUCE_ARGMAX), k ? 1 : 3);
  }
  GpuArray_clear(&a[0]);
  GpuArray_clear(&a[1]);
}

static void compiles_and_prepares_once(void **state) {
  gpucontext_counters before, after;
  const float x[4] = {1, 2, 3, 4};
  const size_t dim = 4;
  GpuArray a;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &dim, x);
  reduce(&a, GA_REDUCE_VAR);
  assert_ok(gpucontext_count(test_context(), &before));
  for (int i = 0; i < 10; i++)
    reduce(&a, GA_REDUCE_VAR);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.programs_built + after.programs_reused,
                   before.programs_built + before.programs_reused);
  GpuArray_clear(&a);
}

/* More geometries than are kept, and every one again. */
static void drops_the_oldest(void **state) {
  enum { MOST = 600 };
  float x[MOST];
  const size_t dim = MOST;
  GpuArray all;

  (void)state;
  for (int i = 0; i < MOST; i++)
    x[i] = 1;
  test_array(&all, GA_FLOAT, 1, &dim, x);
  for (int round = 0; round < 2; round++) {
    for (ssize_t n = 1; n <= MOST; n++) {
      const ssize_t start = 0, step = 1;
      GpuArray a;

      assert_ok(GpuArray_index(&a, &all, &start, &n, &step));
      assert_int_equal((int)reduce(&a, GA_REDUCE_SUM), n);
      GpuArray_clear(&a);
    }
  }
  GpuArray_clear(&all);
}

static GpuElemwise *scaled(const char *expr) {
  gpuelemwise_arg args[] = {{"y", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_READ},
                            {"c", GA_FLOAT, GE_SCALAR}};
  GpuElemwise *ge = GpuElemwise_new(test_context(), NULL, expr, 3, args, 1, 0);

  assert_non_null(ge);
  return ge;
}

static float call_scaled(GpuElemwise *ge, GpuArray *y, GpuArray *x, float c) {
  float out[4];

  assert_ok(GpuElemwise_call(ge, (void *[]){y, x, &c}, 0));
  assert_ok(GpuArray_read(out, sizeof out, y));
  return out[3];
}

/* Objects with one expression have their launches in common, also after one of
 * them is gone; those with another have not. */
static void shares_launches_of_one_text(void **state) {
  gpucontext_counters before, after;
  const float values[4] = {1, 2, 3, 4};
  const size_t dim = 4;
  GpuElemwise *first, *second;
  GpuArray x, y;

  (void)state;
  test_array(&x, GA_FLOAT, 1, &dim, values);
  test_array(&y, GA_FLOAT, 1, &dim, values);
  first = scaled("y = c * x + 1");
  second = scaled("y = c * x + 2");
  assert_true(call_scaled(first, &y, &x, 2) == 9);
  assert_true(call_scaled(second, &y, &x, 3) == 14);
  assert_true(call_scaled(first, &y, &x, 5) == 21);
  GpuElemwise_free(second);
  GpuElemwise_free(first);
  second = scaled("y = c * x + 1");
  assert_ok(gpucontext_count(test_context(), &before));
  assert_true(call_scaled(second, &y, &x, 10) == 41);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.programs_built + after.programs_reused,
                   before.programs_built + before.programs_reused);
  GpuElemwise_free(second);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

/* Descriptions too long to keep. */
static void runs_what_is_not_kept(void **state) {
  enum { ARGS = 10 };
  static const char names[ARGS][2] = {"a", "b", "c", "d", "e",
                                      "f", "g", "h", "i", "j"};
  const float x = 3;
  gpuelemwise_arg args[ARGS];
  void *values[ARGS];
  size_t dims[64];
  GpuElemwise *ge;
  GpuArray in, out;
  float seen;

  (void)state;
  for (int d = 0; d < 64; d++)
    dims[d] = 1;
  test_array(&in, GA_FLOAT, 64, dims, &x);
  test_array(&out, GA_FLOAT, 64, dims, &x);
  for (int k = 0; k < ARGS; k++) {
    args[k] = (gpuelemwise_arg){names[k], GA_FLOAT, k ? GE_READ : GE_WRITE};
    values[k] = k ? &in : &out;
  }
  ge = GpuElemwise_new(test_context(), NULL, "a = b+c+d+e+f+g+h+i+j", ARGS,
                       args, 64, 0);
  assert_non_null(ge);
  for (int i = 0; i < 2; i++) {
    assert_ok(GpuElemwise_call(ge, values, 0));
    assert_ok(GpuArray_read(&seen, sizeof seen, &out));
    assert_true(seen == 27);
  }
  GpuElemwise_free(ge);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
}

/* Launches that a context keeps do not keep the context. */
static void dies_with_its_context(void **state) {
  const size_t dim = 100000;
  gpucontext *ctx;
  GpuArray a, r;

  (void)state;
  test_context(); /* skips without a device */
  assert_ok(gpucontext_open(&ctx, NULL));
  assert_ok(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &dim, GA_C_ORDER));
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rebinds_arrays_of_one_geometry),
      cmocka_unit_test(compiles_and_prepares_once),
      cmocka_unit_test(drops_the_oldest),
      cmocka_unit_test(shares_launches_of_one_text),
      cmocka_unit_test(runs_what_is_not_kept),
      cmocka_unit_test(dies_with_its_context),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
