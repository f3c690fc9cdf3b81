/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct calls that run launches of earlier ones. */
#include "support/device.h"

#include <gpuarray/device.h>
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
  enum { MOST = 300 };
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

/* A description too long to keep. */
static void runs_what_is_not_kept(void **state) {
  const float x = 3;
  size_t dims[64];
  GpuArray a;

  (void)state;
  for (int d = 0; d < 64; d++)
    dims[d] = 1;
  test_array(&a, GA_FLOAT, 64, dims, &x);
  for (int i = 0; i < 2; i++) {
    assert_int_equal((int)reduce(&a, GA_REDUCE_VAR), 0);
    assert_int_equal((int)reduce(&a, GA_REDUCE_SUM), 3);
  }
  GpuArray_clear(&a);
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
      cmocka_unit_test(runs_what_is_not_kept),
      cmocka_unit_test(dies_with_its_context),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
