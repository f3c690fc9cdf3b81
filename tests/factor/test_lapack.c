/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisations by LAPACK: who computes, what is not finite, what fails. The
 * values are the business of test_cholesky, test_eigh and test_svd, which run
 * with LAPACK, too. */
#include "support/device.h"

#include <dlfcn.h>
#include <gpuarray/create.h>
#include <gpuarray/factor.h>
#include <gpuarray/guard.h>
#include <math.h>
#include <stdlib.h>

#include "ocl/launch/launch_native.h"

enum { N = 200, BATCH = 3 };

static void need_lapack(void) {
  void *handle = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL || !ga__native_is_supported(test_context())) {
    print_message("%s\n",
                  handle == NULL ? "no liblapacke.so.3" : "no native kernels");
    skip();
  }
  dlclose(handle);
}

/* Matrices with `diagonal` on the diagonal and 0.5 beside it. */
static void make(GpuArray *a, float diagonal) {
  const size_t dims[3] = {BATCH, N, N};
  float *v = calloc((size_t)BATCH * N * N, sizeof *v);

  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < N; i++)
      for (size_t j = i > 0 ? i - 1 : 0; j < N && j <= i + 1; j++)
        v[(z * N + i) * N + j] = i == j ? diagonal + (float)z : 0.5f;
  test_array(a, GA_FLOAT, 3, dims, v);
  free(v);
}

static void run_by_lapack(GpuLaunch *l) {
  GpuLaunchStats stats;

  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.provider, "lapacke");
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
}

static void check_values(const float *got) {
  for (size_t z = 0; z < BATCH; z++)
    for (size_t i = 0; i < N; i++) {
      const double want =
          2 + (double)z - cos((double)(i + 1) * 3.14159265358979 / (N + 1));
      assert_true(fabs(got[z * N + i] - want) < 1e-5);
    }
}

/* The launch may be gone before the device has come to it. */
static void test_provider(void **state) {
  const size_t square[3] = {BATCH, N, N}, vector[2] = {BATCH, N};
  GpuArray a, x, y, w;
  GpuLaunch *l;
  float got[BATCH * N];

  (void)state;
  need_lapack();
  make(&a, 2);
  assert_ok(
      GpuArray_empty(&x, test_context(), GA_FLOAT, 3, square, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&y, test_context(), GA_FLOAT, 3, square, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&w, test_context(), GA_FLOAT, 2, vector, GA_C_ORDER));
  assert_ok(GpuArray_cholesky_prepare(&l, &x, NULL, &a, 0));
  run_by_lapack(l);
  assert_ok(GpuArray_svd_prepare(&l, &x, &w, &y, &a));
  run_by_lapack(l);
  assert_ok(GpuArray_eigh_prepare(&l, &w, &x, &a, 0));
  run_by_lapack(l);
  assert_ok(GpuArray_read(got, sizeof got, &w));
  check_values(got);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&w);
}

/* Results and the workspace are parts of other memory objects. */
static void test_parts(void **state) {
  const size_t vector[2] = {BATCH, N};
  float got[BATCH * N];
  GpuArray a, w;
  GpuLaunch *l;
  size_t bytes;

  (void)state;
  need_lapack();
  make(&a, 2);
  assert_ok(
      GpuArray_empty(&w, test_context(), GA_FLOAT, 2, vector, GA_C_ORDER));
  assert_ok(GpuArray_eigh_prepare(&l, &w, NULL, &a, 0));
  assert_ok(GpuLaunch_workspace_bytes(l, &bytes));
  assert_true(bytes > sizeof(float) * BATCH * N * N);
  gpudata *work = gpudata_alloc(test_context(), bytes, NULL, 0, NULL);
  gpudata *part = gpudata_alloc_guarded(test_context(), sizeof got, NULL);
  assert_non_null(work);
  assert_non_null(part);
  assert_ok(GpuLaunch_bind_workspace(l, work, 0));
  assert_ok(GpuLaunch_bind(l, 1, part, 0));
  run_by_lapack(l);
  assert_ok(gpudata_read(got, part, 0, sizeof got));
  check_values(got);
  assert_ok(gpudata_check_guards(part));
  gpudata_release(work);
  gpudata_release(part);
  GpuArray_clear(&a);
  GpuArray_clear(&w);
}

/* The first leading minor that is not positive definite: a negative diagonal,
 * and NaN, with which LAPACK goes on. */
static void test_minors(void **state) {
  static const float odd[2] = {-1, NAN};
  int32_t info[BATCH];
  float *l = malloc(sizeof(float) * BATCH * N * N);

  (void)state;
  need_lapack();
  for (int k = 0; k < 2; k++) {
    const ssize_t from[3] = {1, 150, 150}, to[3] = {2, 151, 151},
                  step[3] = {0, 0, 0};
    GpuArray a, part, f, i;

    make(&a, 2);
    assert_ok(GpuArray_index(&part, &a, from, to, step));
    assert_ok(GpuArray_fill(&part, GA_FLOAT, &odd[k]));
    assert_ok(GpuArray_cholesky(&f, &i, &a, 0));
    assert_ok(GpuArray_read(info, sizeof info, &i));
    assert_true(info[0] == 0 && info[1] == 151 && info[2] == 0);
    assert_ok(GpuArray_read(l, sizeof(float) * BATCH * N * N, &f));
    const float *const second = l + (size_t)N * N;
    assert_true(second[149 * N + 149] > 1 && isnan(second[150 * N + 150]));
    assert_true(isnan(second[199 * N + 199]) && second[150 * N + 151] == 0);
    GpuArray_clear(&a);
    GpuArray_clear(&part);
    GpuArray_clear(&f);
    GpuArray_clear(&i);
  }
  free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_provider),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_minors),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
