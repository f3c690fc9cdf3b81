/* SPDX-License-Identifier: BSD-2-Clause */
/* Algorithms of convolutions that are measured once and then taken from the
 * cache on disk. */
#include <gpuarray/conv.h>
#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/device.h"
#include "support/lcg.h"

enum { C = 8, SIZE = 14, X = C * SIZE * SIZE, W = C * C * 9 };

static const GpuConv geometry = {.nd = 2,
                                 .stride = {1, 1},
                                 .dilation = {1, 1},
                                 .before = {1, 1},
                                 .after = {1, 1},
                                 .groups = 1};
static float x_data[X], w_data[W];

static void make(GpuArray *a, gpucontext *ctx, size_t n, size_t channels,
                 size_t size, const float *v) {
  const size_t dims[4] = {n, channels, size, size};

  assert_ok(GpuArray_zeros(a, ctx, GA_FLOAT, 4, dims, GA_C_ORDER));
  assert_ok(GpuArray_write(a, v, n * channels * size * size * sizeof *v));
}

/* What a new context did. */
typedef struct outcome {
  uint64_t enqueued; /* while the launch was prepared */
  char provider[16];
  float y[X];
} outcome;

static void convolve(outcome *to) {
  gpucontext_counters before, after;
  GpuLaunchStats stats;
  gpucontext *ctx;
  GpuArray x, w, y;
  GpuLaunch *l;

  assert_ok(gpucontext_open(&ctx, NULL));
  make(&x, ctx, 1, C, SIZE, x_data);
  make(&w, ctx, C, C, 3, w_data);
  make(&y, ctx, 1, C, SIZE, x_data);
  assert_ok(gpucontext_count(ctx, &before));
  assert_ok(
      GpuConv_prepare(&l, &geometry, GA_CONV_FORWARD, &x, &w, &y, NULL, NULL));
  assert_ok(gpucontext_count(ctx, &after));
  to->enqueued = after.launches - before.launches;
  assert_ok(GpuLaunch_stats(l, &stats));
  snprintf(to->provider, sizeof to->provider, "%s", stats.provider);
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuArray_read(to->y, sizeof to->y, &y));
  GpuLaunch_free(l);
  /* A direct call takes the same note. */
  assert_ok(gpucontext_count(ctx, &before));
  assert_ok(GpuConv_call(&geometry, GA_CONV_FORWARD, &x, &w, &y));
  assert_ok(gpucontext_count(ctx, &after));
  assert_true(after.launches - before.launches <= 4);
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
  gpucontext_deref(ctx);
}

static double value_at(size_t f, size_t i, size_t j) {
  double sum = 0;

  for (size_t c = 0; c < C; c++)
    for (size_t k = 0; k < 9; k++) {
      const size_t r = i + k / 3, s = j + k % 3;
      if (r >= 1 && r <= SIZE && s >= 1 && s <= SIZE)
        sum += (double)w_data[(f * C + c) * 9 + k] *
               (double)x_data[(c * SIZE + r - 1) * SIZE + s - 1];
    }
  return sum;
}

static void check_values(const outcome *o) {
  for (size_t i = 0; i < X; i++)
    assert_true(fabs((double)o->y[i] -
                     value_at(i / (SIZE * SIZE), i / SIZE % SIZE, i % SIZE)) <
                1e-4);
}

/* The first context measures; the second one has its answer, and its bits. */
static void test_once(void **state) {
  static outcome first, second, plain;

  (void)state;
  test_fill(x_data, GA_FLOAT, X, -1, 1, 1);
  test_fill(w_data, GA_FLOAT, W, -1, 1, 2);
  convolve(&plain);
  assert_int_equal(plain.enqueued, 0);
  setenv("GPUARRAY_CONV", "time_once", 1);
  convolve(&first);
  assert_true(first.enqueued >= 12); /* four runs of three algorithms */
  convolve(&second);
  assert_int_equal(second.enqueued, 0);
  assert_string_equal(first.provider, second.provider);
  assert_memory_equal(first.y, second.y, sizeof first.y);
  check_values(&plain);
  check_values(&first);
}

/* Without a workspace, Winograd's algorithm is not tried. */
static void test_no_workspace(void **state) {
  static outcome with, without;

  (void)state;
  size_t removed;
  assert_ok(gpucache_clear(&removed));
  convolve(&with);
  setenv("GPUARRAY_WORKSPACE_MB", "0", 1);
  convolve(&without);
  unsetenv("GPUARRAY_WORKSPACE_MB");
  assert_true(without.enqueued >= 8 && without.enqueued < with.enqueued);
  assert_string_not_equal(without.provider, "winograd");
  check_values(&without);
}

/* Without a cache nothing would remember. */
static void test_no_cache(void **state) {
  static outcome o;

  (void)state;
  setenv("GPUARRAY_NO_CACHE", "1", 1);
  convolve(&o);
  assert_int_equal(o.enqueued, 0);
}

static char path[1024];

/* A folder of its own, which is empty. */
static int use_folder(void **state) {
  const char *dir = getenv("TEST_DIR");

  (void)state;
  snprintf(path, sizeof path, "%s/measured-%ld", dir != NULL ? dir : "/tmp",
           (long)getpid());
  return setenv("GPUARRAY_CACHE_PATH", path, 1);
}

static int leave_folder(void **state) {
  size_t removed;

  (void)state;
  unsetenv("GPUARRAY_NO_CACHE");
  return gpucache_clear(&removed) != GA_NO_ERROR || rmdir(path) != 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_once),
      cmocka_unit_test(test_no_workspace),
      cmocka_unit_test(test_no_cache),
  };
  return cmocka_run_group_tests(tests, use_folder, leave_folder);
}
