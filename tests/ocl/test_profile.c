/* SPDX-License-Identifier: BSD-2-Clause */
/* Device times of prepared launches. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include "base/alloc.h"
#include "ocl/ocl.h"

static const char *const text = "kernel void f(global float *x) {\n"
                                "  float v = get_global_id(0);\n"
                                "  for (int i = 0; i < 100; i++)\n"
                                "    v = v * 0.5f + 1;\n"
                                "  x[get_global_id(0)] = v;\n}\n";

static int copy_within(void *state, gpucontext *ctx, gpudata *const *bufs,
                       const size_t *offs) {
  (void)state;
  (void)ctx;
  return gpudata_move(bufs[0], offs[0], bufs[0], offs[0] + 4096, 4096);
}

/* A kernel over the array, or a host call that copies half of it. */
static GpuLaunch *prepare(gpucontext *ctx, const GpuArray *a, int is_call) {
  ga__source src = {.n = 1, .parts = &text, .entry = "f"};
  GpuLaunch *l = ga__launch_open(ctx, "f", 1);
  size_t n = a->dimensions[0], ls = 1;

  if (is_call) {
    ga__launch_call(l, copy_within, NULL, "copy");
  } else {
    ga__launch_kernel(l, &src, 1, &n, &ls);
    ga__launch_slot(l, 0);
  }
  ga__launch_bind_array(l, 0, a);
  assert_ok(ga__launch_seal(&l, l));
  return l;
}

static GpuLaunchStats stats_of(GpuLaunch *l) {
  GpuLaunchStats s;

  assert_ok(GpuLaunch_stats(l, &s));
  return s;
}

static GpuArray zeros(void) {
  static const float data[2048];
  GpuArray a;
  size_t n = 2048;

  test_array(&a, GA_FLOAT, 1, &n, data);
  return a;
}

static void times_are_recorded_while_on(void **state) {
  GpuArray a = zeros();
  GpuLaunch *l = prepare(test_context(), &a, 0);

  (void)state;
  assert_ok(GpuLaunch_run(l));
  assert_int_equal(stats_of(l).calls, 0);
  assert_ok(gpucontext_profile(test_context(), 1));
  assert_ok(gpucontext_profile(test_context(), 1));
  for (int i = 0; i < 5; i++)
    assert_ok(GpuLaunch_run(l));
  assert_int_equal(stats_of(l).calls, 5);
  double seconds = stats_of(l).seconds;
  assert_true(seconds > 0 && seconds < 5);
  assert_ok(gpucontext_profile(test_context(), 0));
  assert_ok(GpuLaunch_run(l));
  assert_int_equal(stats_of(l).calls, 5);
  assert_true(stats_of(l).seconds == seconds);
  GpuLaunch_free(l);
  GpuArray_clear(&a);
}

static void many_runs_need_no_more_memory(void **state) {
  GpuArray a = zeros();
  GpuLaunch *l = prepare(test_context(), &a, 0);

  (void)state;
  assert_ok(gpucontext_profile(test_context(), 1));
  assert_ok(GpuLaunch_run(l));
  long live = ga__alloc_live();
  for (int i = 0; i < 300; i++)
    assert_ok(GpuLaunch_run(l));
  assert_int_equal(ga__alloc_live(), live);
  assert_int_equal(stats_of(l).calls, 301);
  assert_ok(gpucontext_profile(test_context(), 0));
  GpuLaunch_free(l);
  GpuArray_clear(&a);
}

static void host_calls_are_measured(void **state) {
  (void)state;
  test_need_marker_times();
  assert_ok(gpucontext_profile(test_context(), 1));
  GpuArray a = zeros();
  GpuLaunch *l = prepare(test_context(), &a, 1);
  for (int i = 0; i < 3; i++)
    assert_ok(GpuLaunch_run(l));
  assert_int_equal(stats_of(l).calls, 3);
  assert_true(stats_of(l).seconds > 0);
  assert_ok(GpuLaunch_run(l)); /* freed with a time in flight */
  GpuLaunch_free(l);
  assert_ok(gpucontext_profile(test_context(), 0));
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_recorded_while_on),
      cmocka_unit_test(many_runs_need_no_more_memory),
      cmocka_unit_test(host_calls_are_measured),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
