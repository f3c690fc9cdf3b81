/* SPDX-License-Identifier: BSD-2-Clause */
/* The fault layer itself: it must see, count and fail what it says. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gpuarray/device.h>

#include "layer/layer.h"
#include "ocl/ocl.h"
#include "support/child.h"
#include "support/device.h"

static cl_context cl;
static cl_command_queue queue;

static int setup(void **state) {
  (void)state;
  cl = ga__ctx_cl(test_context());
  queue = ga__ctx_queue(test_context());
  layer_forgive();
  return !layer_is_loaded();
}

static int teardown(void **state) {
  (void)state;
  layer_disarm();
  return 0;
}

static cl_mem buffer(cl_int *status) {
  return clCreateBuffer(cl, CL_MEM_READ_WRITE, 64, NULL, status);
}

static void test_counts(void **state) {
  (void)state;
  layer_arm(&(layer_fault){.entry = LAYER_ANY});
  clFinish(queue);
  clFlush(queue);
  clFinish(queue);
  assert_int_equal(layer_calls(), 3);
  assert_int_equal(layer_called(1), LAYER_clFinish);
  assert_int_equal(layer_called(2), LAYER_clFlush);
  assert_int_equal(layer_called(4), -1);
  assert_int_equal(layer_disarm(), 0);
}

static void test_fails_once(void **state) {
  (void)state;
  layer_arm(&(layer_fault){
      .entry = LAYER_ANY, .nth = 2, .code = CL_OUT_OF_HOST_MEMORY});
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  assert_int_equal(clFinish(queue), CL_OUT_OF_HOST_MEMORY);
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  assert_int_equal(layer_disarm(), 1);
}

/* A persistent fault stays with the entry that it struck first. */
static void test_fails_for_good(void **state) {
  cl_int status;

  (void)state;
  layer_arm(&(layer_fault){.entry = LAYER_ANY,
                           .nth = 1,
                           .code = CL_OUT_OF_RESOURCES,
                           .persistent = 1});
  assert_null(buffer(&status));
  assert_int_equal(status, CL_OUT_OF_RESOURCES);
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  assert_null(buffer(&status));
  assert_int_equal(layer_disarm(), 2);
  cl_mem m = buffer(&status);
  assert_non_null(m);
  clReleaseMemObject(m);
}

static void test_sees_leaks(void **state) {
  const size_t bytes = layer_live_bytes();
  const long before = layer_live();
  char text[8192];
  cl_int status;

  (void)state;
  cl_mem m = buffer(&status);
  clRetainMemObject(m);
  clReleaseMemObject(m);
  assert_int_equal(layer_live(), before + 1);
  assert_int_equal(layer_live_bytes(), bytes + 64);
  layer_live_text(text, sizeof text);
  assert_non_null(strstr(text, "memory object of clCreateBuffer (1)"));
  clReleaseMemObject(m);
  assert_int_equal(layer_live(), before);
  assert_int_equal(layer_live_bytes(), bytes);
  assert_int_equal(layer_violations(), 0);
}

/* The driver must not see the second release, so a retain hides it. */
static void test_sees_use_after_release(void **state) {
  size_t bytes;
  cl_int status;
  cl_event ev;

  (void)state;
  cl_mem m = buffer(&status);
  assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ev),
                   CL_SUCCESS);
  clWaitForEvents(1, &ev);
  clReleaseEvent(ev);
  assert_int_equal(layer_violations(), 0);
  layer_arm(&(layer_fault){
      .entry = LAYER_clGetEventInfo, .nth = 1, .code = CL_OUT_OF_RESOURCES});
  clGetEventInfo(ev, CL_EVENT_COMMAND_TYPE, 0, NULL, NULL);
  assert_int_equal(layer_violations(), 1);
  assert_non_null(strstr(layer_violation(), "clGetEventInfo"));
  layer_forgive();
  clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  assert_int_equal(layer_violations(), 0);
  clReleaseMemObject(m);
}

static void test_event_fails_later(void **state) {
  cl_int status;
  cl_event ev;

  (void)state;
  layer_arm(&(layer_fault){.entry = LAYER_clEnqueueMarkerWithWaitList,
                           .nth = 1,
                           .code = CL_OUT_OF_RESOURCES,
                           .as_event = 1});
  assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ev),
                   CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &ev),
                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                  sizeof status, &status, NULL),
                   CL_SUCCESS);
  assert_int_equal(status, CL_OUT_OF_RESOURCES);
  clReleaseEvent(ev);
}

/* --- two threads, one kernel --- */

static const char kernel_text[] =
    "kernel void twice(global float *a, uint n) {\n"
    "  if (n > 0)\n"
    "    a[0] *= 2;\n"
    "}\n";

static cl_kernel make_kernel(void) {
  const char *parts[] = {kernel_text};
  cl_kernel k;

  assert_ok(
      ga__kernel_get(&k, test_context(),
                     &(ga__source){.n = 1, .parts = parts, .entry = "twice"}));
  return k;
}

static void *set_count(void *k) {
  const cl_uint n = 1;

  clSetKernelArg(k, 1, sizeof n, &n);
  return NULL;
}

static void test_sees_mixed_threads(void **state) {
  cl_kernel k = make_kernel();
  const size_t one = 1;
  pthread_t thread;
  cl_int status;
  cl_mem m = buffer(&status);

  (void)state;
  for (int mixed = 0; mixed < 2; mixed++) {
    clSetKernelArg(k, 0, sizeof m, &m);
    if (mixed) {
      assert_int_equal(pthread_create(&thread, NULL, set_count, k), 0);
      pthread_join(thread, NULL);
    } else {
      set_count(k);
    }
    assert_int_equal(
        clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(layer_violations(), mixed);
  }
  clFinish(queue);
  clReleaseMemObject(m);
  clReleaseKernel(k);
  layer_forgive();
}

/* --- probes --- */

static gpucontext *context_in(const char *cache) {
  gpucontext_props *p;
  gpucontext *ctx;

  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_kernel_cache(p, cache));
  assert_ok(gpucontext_init(&ctx, "opencl", p));
  return ctx;
}

static int has_atomics(const char *cache) {
  gpucontext *ctx = context_in(cache);
  const int has = gpucontext_caps(ctx)->int64_atomics;

  gpucontext_deref(ctx);
  return has;
}

/* Only what the device cannot do is stored, not what failed once. */
static void test_probes_store_verdicts(void **state) {
  static const layer_fault once[] = {
      {LAYER_clBuildProgram, 1, CL_OUT_OF_HOST_MEMORY, .persistent = 1},
      {LAYER_clEnqueueNDRangeKernel, 1, CL_OUT_OF_RESOURCES, .persistent = 1},
      {LAYER_clBuildProgram, 1, CL_BUILD_PROGRAM_FAILURE, .persistent = 1}};
  static const char *const names[] = {"build", "launch", "verdict"};

  (void)state;
  if (!gpucontext_caps(test_context())->int64_atomics)
    skip();
  for (size_t i = 0; i < 3; i++) {
    const char *cache = test_path(names[i]);

    layer_arm(&once[i]);
    assert_false(has_atomics(cache));
    assert_true(layer_disarm() > 0);
    assert_int_equal(has_atomics(cache), i < 2);
    layer_arm(&(layer_fault){.entry = LAYER_ANY});
    assert_int_equal(has_atomics(cache), i < 2);
    for (long k = 1; k <= layer_calls(); k++)
      assert_int_not_equal(layer_called(k), LAYER_clBuildProgram);
    layer_disarm();
  }
}

/* --- what a call costs --- */

static double seconds_of(struct timespec a, struct timespec b) {
  return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

static double per_call(cl_mem m, int n) {
  struct timespec from, to;
  size_t bytes;

  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int i = 0; i < n; i++)
    clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return seconds_of(from, to) / n;
}

/* With and without a pause; what a call costs is shown, and not judged here. */
static void test_slow(void **state) {
  double best = 1;
  cl_int status;
  cl_mem m = buffer(&status);

  (void)state;
  for (int i = 0; i < 20; i++) {
    double s = per_call(m, 1000);
    best = s < best ? s : best;
  }
  print_message("a call through the layer: %.3f us\n", 1e6 * best);
  layer_slow(1000);
  assert_true(per_call(m, 3) >= 1e-3);
  layer_slow(0);
  clReleaseMemObject(m);
}

/* --- fake devices --- */

/* In a child: what the library makes of the device that is played. */
static int child(const char *role) {
  gpucontext *ctx;
  int err = gpucontext_open(&ctx, NULL);

  if (strcmp(role, "none") == 0)
    return !(err == GA_NODEV_ERROR && layer_is_loaded());
  if (err != GA_NO_ERROR)
    return 2;
  const gpudevice_caps *c = gpucontext_caps(ctx);
  int ok = strcmp(role, "nofp64") == 0    ? !c->fp64
           : strcmp(role, "group1") == 0  ? c->max_group == 1
           : strcmp(role, "items1d") == 0 ? c->max_items[1] == 1
           : strcmp(role, "params") == 0  ? c->param_bytes == 1024
                                          : c->max_alloc_bytes == 16 << 20;
  gpucontext_deref(ctx);
  return !ok;
}

static void test_fakes(void **state) {
  static const char *const played[][2] = {
      {"none", "GG_LAYER=fake=noplatform"},  {"none", "GG_LAYER=fake=nodevice"},
      {"nofp64", "GG_LAYER=fake=nofp64"},    {"group1", "GG_LAYER=fake=group1"},
      {"items1d", "GG_LAYER=fake=items1d"},  {"memory", "GG_LAYER=fake=mem64"},
      {"params", "GG_LAYER=fake=params1k,x"}};

  (void)state;
  for (size_t i = 0; i < sizeof played / sizeof *played; i++) {
    const char *const env[] = {played[i][1], NULL};

    if (test_child(played[i][0], env) != 0)
      fail_msg("under %s", played[i][1]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
      cmocka_unit_test_setup_teardown(test_fails_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_fails_for_good, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sees_leaks, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sees_use_after_release, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_event_fails_later, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sees_mixed_threads, setup, teardown),
      cmocka_unit_test_setup_teardown(test_probes_store_verdicts, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_slow, setup, teardown),
      cmocka_unit_test(test_fakes)};

  if (argc == 2)
    return child(argv[1]);
  if (!layer_is_loaded() && layer_loader_is_old()) {
    puts("skipped: ocl-icd before 2.3 has no layers");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
