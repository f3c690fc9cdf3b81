/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepared launches: built, bound, run again and again. Most tests are
 * about launches of one kernel, so they are one file. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"

/* y[i] = a * x[i] + y[i] for bytes offsets of x and y. */
static const char *const saxpy_parts[] = {
    "kernel void saxpy(global const float *x, ulong xo, global float *y,\n"
    "                  ulong yo, float a) {\n",
    "  size_t i = get_global_id(0);\n"
    "  x = (global const float *)((global const char *)x + xo);\n"
    "  y = (global float *)((global char *)y + yo);\n"
    "  y[i] += a * x[i];\n}\n"};
static const ga__source saxpy = {
    .n = 2, .parts = saxpy_parts, .entry = "saxpy"};

static GpuArray vector(const float *data, size_t n) {
  GpuArray a;

  test_array(&a, GA_FLOAT, 1, &n, data);
  return a;
}

/* Slots: 0 x, 1 y, 2 the factor. */
static int prepare(GpuLaunch **out, const GpuArray *x, const GpuArray *y,
                   float a) {
  GpuLaunch *l = ga__launch_open(x->data ? test_context() : NULL, "saxpy", 3);
  size_t n = x->dimensions[0];

  ga__launch_kernel(l, &saxpy, 1, &n, NULL);
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 0);
  ga__launch_slot(l, 1);
  ga__launch_offset(l, 1, 0);
  ga__launch_value(l, 2, sizeof a, &a);
  ga__launch_cost(l, 12.0 * (double)n, 2.0 * (double)n);
  ga__launch_bind_array(l, 0, x);
  ga__launch_bind_array(l, 1, y);
  return ga__launch_seal(out, l);
}

static void expect(const GpuArray *a, float v0, float v1) {
  const float want[2] = {v0, v1};

  test_array_equal(a, want);
}

static void a_launch_runs_again(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){10, 20}, 2);
  gpucontext_counters before, after;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 3));
  assert_ok(gpucontext_count(test_context(), &before));
  assert_ok(GpuLaunch_run(l));
  expect(&y, 13, 26);
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuLaunch_run(l));
  expect(&y, 19, 38);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.launches - before.launches, 3);
  assert_int_equal(after.device_allocs, before.device_allocs);
  GpuLaunch_free(l);
  GpuLaunch_free(NULL);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static void slots_are_rebound(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  GpuArray z = vector((float[]){7, 5, 4, 3}, 4);
  GpuLaunch *l;
  float a = 2;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuLaunch_bind(l, 0, z.data, 8)); /* 4, 3 */
  assert_ok(GpuLaunch_run(l));
  expect(&y, 5, 5);
  assert_ok(GpuLaunch_bind_scalar(l, 2, &a));
  assert_ok(GpuLaunch_bind(l, 0, z.data, 8)); /* as it is */
  assert_ok(GpuLaunch_run(l));
  expect(&y, 13, 11);
  assert_ok(GpuLaunch_bind(l, 1, z.data, 0));
  assert_ok(GpuLaunch_bind(l, 0, x.data, 0));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){9, 9, 4, 3});
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
}

/* A slot that was let go of keeps nothing alive, and wants another buffer. */
static void slots_are_let_go_of(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  gpucontext_counters before, after;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  assert_ok(gpucontext_count(test_context(), &before));
  GpuArray_clear(&x);
  assert_ok(GpuLaunch_unbind(l, 0));
  assert_ok(GpuLaunch_unbind(l, 0));
  assert_ok(gpucontext_count(test_context(), &after));
  assert_true(after.used_bytes < before.used_bytes);
  assert_code(GA_VALUE_ERROR, GpuLaunch_run(l));
  assert_message(GA_VALUE_ERROR, "saxpy: a slot has no buffer");
  x = vector((float[]){3, 4}, 2);
  assert_ok(GpuLaunch_bind(l, 1, y.data, 0));
  assert_code(GA_VALUE_ERROR, GpuLaunch_run(l));
  assert_ok(GpuLaunch_bind(l, 0, x.data, 0));
  assert_ok(GpuLaunch_run(l));
  expect(&y, 3, 4);
  assert_code(GA_VALUE_ERROR, GpuLaunch_unbind(l, 3));
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static void bad_bindings_are_refused(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  gpucontext *other;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 3, x.data, 0));
  assert_message(GA_VALUE_ERROR, "saxpy: no slot 3");
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 0, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 0, x.data, 1 << 20));
  assert_message(GA_VALUE_ERROR, "offset 1048576 in a buffer of");
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind_scalar(l, 1, &y));
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind_scalar(l, 9, &y));
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *d = gpudata_alloc(other, 8, NULL, 0, NULL);
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 0, d, 0));
  assert_message(GA_VALUE_ERROR, "another context");
  gpudata_release(d);
  gpucontext_deref(other);
  assert_ok(GpuLaunch_run(l)); /* nothing has changed */
  expect(&y, 1, 2);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static void alignment_is_required(void **state) {
  GpuArray x = vector((float[]){1, 2, 3, 4, 5, 6}, 6);
  GpuLaunch *l = ga__launch_open(test_context(), "aligned", 1);

  (void)state;
  ga__launch_require_align(l, 0, 16);
  ga__launch_bind_array(l, 0, &x);
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_bind(l, 0, x.data, 16));
  assert_code(GA_UNALIGNED_ERROR, GpuLaunch_bind(l, 0, x.data, 8));
  assert_message(GA_UNALIGNED_ERROR, "offset 8 is not a multiple of 16");
  GpuLaunch_free(l);
  GpuArray_clear(&x);
}

/* Kernels of devices with 32-bit addresses have sizes of 32 bits. */
static void work_items_are_counted(void **state) {
  const size_t n = ((size_t)1 << 33) + 2;
  size_t *const most = &test_context()->dev.size_max, before = *most;
  GpuLaunch *l = ga__launch_open(test_context(), "saxpy", 2);

  (void)state;
  *most = UINT32_MAX;
  ga__launch_kernel(l, &saxpy, 1, &n, NULL);
  assert_code(GA_DEVSUP_ERROR, ga__launch_seal(&l, l));
  assert_message(
      GA_DEVSUP_ERROR,
      "saxpy: 8589934594 work-items, the device counts up to 4294967295");
  assert_null(l);
  *most = before;
}

/* A buffer lives as long as a launch holds it. */
static void launches_retain_their_buffers(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  gpudata *d = y.data;
  unsigned int refs;
  GpuLaunch *l;
  float got[2];

  (void)state;
  assert_ok(prepare(&l, &x, &y, 5));
  assert_ok(gpudata_property(d, GA_BUFFER_PROP_REFCNT, &refs));
  assert_int_equal(refs, 2);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  assert_ok(GpuLaunch_run(l));
  assert_ok(gpudata_read(got, d, 0, sizeof got));
  assert_true(got[0] == 5 && got[1] == 10);
  GpuLaunch_free(l);
}

/* A renewed launch does not keep the buffer of a slot that is not bound. */
static void renewal_needs_all_slots_again(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  const float factor = 5;
  const size_t n = 2;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, factor));
  assert_null(GpuLaunch_renew(l));
  l = ga__launch_open(test_context(), "saxpy", 3);
  ga__launch_kernel(l, &saxpy, 1, &n, NULL);
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 0);
  ga__launch_slot(l, 1);
  ga__launch_offset(l, 1, 0);
  ga__launch_value(l, 2, sizeof factor, &factor);
  ga__launch_bind_array(l, 0, &x);
  assert_code(GA_VALUE_ERROR, ga__launch_seal(&l, l));
  assert_message(GA_VALUE_ERROR, "saxpy, slot 1: no buffer");
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static void add_saxpy(GpuLaunch *l, size_t of, float factor, int is_known) {
  const size_t n = 2;
  ga__launch_key key;

  ga__launch_key_start(&key, test_context(), "saxpy");
  ga__launch_key_number(&key, of);
  assert_int_equal(ga__launch_again(l, &key, 1, &n, NULL), is_known);
  if (!is_known) {
    ga__launch_kernel(l, &saxpy, 1, &n, NULL);
    ga__launch_remember(l, &key);
  }
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 0);
  ga__launch_slot(l, 1);
  ga__launch_offset(l, 1, 0);
  ga__launch_value(l, -1, sizeof factor, &factor);
}

/* Steps with equal keys have kernels of one program, each with its own
 * arguments. */
static void equal_keys_give_equal_kernels(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  GpuLaunch *l = ga__launch_open(test_context(), "saxpy", 2);
  GpuLaunchStats stats;

  (void)state;
  add_saxpy(l, 1, 1, 0);
  add_saxpy(l, 2, 10, 0);
  add_saxpy(l, 1, 100, 1);
  ga__launch_bind_array(l, 0, &x);
  ga__launch_bind_array(l, 1, &y);
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_run(l));
  expect(&y, 111, 222);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.kernels, 3);
  assert_int_equal(stats.made, 3);
  assert_string_equal(stats.provider, "own");
  assert_non_null(strstr(GpuLaunch_source(l, 2), "y[i] += a * x[i];"));
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static const char *const stage_parts[] = {
    "kernel void fill(global int *w, uint v, int u, long s, ulong n,\n"
    "                 local int *tmp) {\n"
    "  tmp[get_local_id(0)] = (int)(v + s) + u;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_global_id(0) < n)\n"
    "    w[get_global_id(0)] = tmp[get_local_id(0)];\n}\n"
    "kernel void sum(global const int *w, global float *y, ulong yo,\n"
    "                ulong n) {\n"
    "  int t = 0;\n"
    "  for (ulong i = 0; i < n; i++)\n"
    "    t += w[i];\n"
    "  y[yo / 4] = t;\n}\n"};

/* Kernels get the same workspace again and again, but only between calls that
 * ask for it. */
static void workspaces_are_shared(void **state) {
  const ga__source fill = {.n = 1, .parts = stage_parts, .entry = "fill"};
  GpuLaunch *l = ga__launch_open(test_context(), "shared", 0);
  const size_t one = 1;
  unsigned int work[5];

  (void)state;
  for (int i = 0; i < 5; i++) {
    ga__launch_kernel(l, &fill, 1, &one, &one);
    if (i < 4)
      ga__launch_begin_sharing(l);
    work[i] = ga__launch_work(l, 8 * sizeof(int));
    ga__launch_end_sharing(l);
  }
  for (int i = 1; i < 4; i++)
    assert_int_equal(work[i], work[0]);
  assert_int_not_equal(work[4], work[0]);
  assert_int_equal(ga__launch_works(l), 2);
  GpuLaunch_free(l);
}

/* Two kernels with a workspace between them. */
static void steps_share_a_workspace(void **state) {
  test_need_group(4);
  test_need_local(4 * sizeof(int));

  GpuArray y = vector((float[]){0, 0}, 2);
  ga__source fill = {.n = 1, .parts = stage_parts, .entry = "fill"};
  ga__source sum = {.n = 1, .parts = stage_parts, .entry = "sum"};
  GpuLaunch *l = ga__launch_open(test_context(), "two", 1);
  size_t items = 8, four = 4, one = 1;
  GpuLaunchStats stats;

  (void)state;
  ga__launch_kernel(l, &fill, 1, &items, &four);
  unsigned int w = ga__launch_work(l, 8 * sizeof(int));
  ga__launch_uint(l, 7);
  ga__launch_int(l, -2);
  ga__launch_ssize(l, -4);
  ga__launch_size(l, 6);
  ga__launch_local(l, 4 * sizeof(int));
  ga__launch_kernel(l, &sum, 1, &one, &one);
  ga__launch_work_arg(l, w);
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 4);
  ga__launch_size(l, 6);
  ga__launch_bind_array(l, 0, &y);
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_run(l));
  expect(&y, 0, 6);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.kernels, 2);
  assert_string_equal(stats.label, "two");
  assert_string_equal(stats.provider, "own");
  GpuLaunch_free(l);
  GpuArray_clear(&y);
}

static int foreign(void *state, gpucontext *ctx, gpudata *const *bufs,
                   const size_t *offs) {
  float v = *(float *)state;

  assert_ptr_equal(gpudata_context(bufs[0]), ctx);
  return gpudata_write(bufs[0], offs[0], &v, sizeof v);
}

static int foreign_failure(void *state, gpucontext *ctx, gpudata *const *bufs,
                           const size_t *offs) {
  (void)state;
  (void)ctx;
  (void)bufs;
  (void)offs;
  return ga__fail(GA_BLAS_ERROR, "told to fail");
}

static void host_calls_are_steps(void **state) {
  GpuArray y = vector((float[]){0, 0}, 2);
  float *v = ga__memdup(&(float){6}, sizeof *v);
  GpuLaunch *l = ga__launch_open(test_context(), "call", 1);
  GpuLaunchStats stats;

  (void)state;
  ga__launch_call(l, foreign, v, "someone");
  ga__launch_bind_array(l, 0, &y);
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuLaunch_bind(l, 0, y.data, 4));
  *v = 8;
  assert_ok(GpuLaunch_run(l));
  expect(&y, 6, 8);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.provider, "someone");
  assert_null(GpuLaunch_source(l, 0));
  GpuLaunch_free(l);

  l = ga__launch_open(test_context(), "failing call", 0);
  ga__launch_call(l, foreign_failure, NULL, "someone");
  assert_ok(ga__launch_seal(&l, l));
  assert_code(GA_BLAS_ERROR, GpuLaunch_run(l));
  assert_message(GA_BLAS_ERROR, "told to fail");
  GpuLaunch_free(l);
  GpuArray_clear(&y);
}

static void errors_stick_until_sealed(void **state) {
  const char *text = "kernel void f(global int *r) { r[0] = zork; }";
  ga__source bad = {.n = 1, .parts = &text, .entry = "f"};
  GpuArray x = vector((float[]){1, 2}, 2);
  long live = ga__alloc_live();
  size_t one = 1;

  (void)state;
  GpuLaunch *l = ga__launch_open(test_context(), "bad", 1);
  ga__launch_kernel(l, &bad, 1, &one, NULL);
  ga__launch_slot(l, 0);
  ga__launch_bind_array(l, 0, &x);
  ga__launch_work(l, 100);
  ga__launch_error(l, GA_COPY_ERROR); /* too late */
  assert_code(GA_IMPL_ERROR, ga__launch_seal(&l, l));
  assert_message(GA_IMPL_ERROR, "zork");
  assert_null(l);

  l = ga__launch_open(test_context(), "argument first", 1);
  ga__launch_size(l, 1);
  assert_code(GA_INVALID_ERROR, ga__launch_seal(&l, l));

  l = ga__launch_open(test_context(), "no such slot", 1);
  ga__launch_kernel(l, &saxpy, 1, &one, NULL);
  ga__launch_slot(l, 1);
  assert_code(GA_INVALID_ERROR, ga__launch_seal(&l, l));

  l = ga__launch_open(test_context(), "not bound", 1);
  ga__launch_kernel(l, &saxpy, 1, &one, NULL);
  ga__launch_slot(l, 0);
  assert_code(GA_VALUE_ERROR, ga__launch_seal(&l, l));
  assert_message(GA_VALUE_ERROR, "not bound, slot 0: no buffer");

  l = ga__launch_open(test_context(), "told", 0);
  ga__launch_error(l, ga__fail(GA_COPY_ERROR, "needs a copy"));
  ga__launch_call(l, foreign_failure, ga__malloc(8), "someone");
  assert_code(GA_COPY_ERROR, ga__launch_seal(&l, l));
  assert_message(GA_COPY_ERROR, "needs a copy");
  assert_int_equal(ga__alloc_live(), live);
  GpuArray_clear(&x);
}

/* Builds with assertions compare what was added with what the kernel takes. */
static void arguments_are_compared_with_the_kernel(void **state) {
#ifdef GA_ASSERTIONS
  static const char *const parts[] = {
      "kernel void four(global int *x, ulong n, uint m, local int *t) {\n",
      "  t[0] = (int)(n + m);\n  x[0] = t[0];\n}\n"};
  static const ga__source four = {.n = 2, .parts = parts, .entry = "four"};
  const size_t one = 1;
  int given;

  (void)state;
  /* Arguments 0 to 3 as the kernel takes them, but for one. */
  for (int wrong = -1; wrong < 6; wrong++) {
    GpuLaunch *l = ga__launch_open(test_context(), "wrong", 0);

    ga__launch_kernel(l, &four, 1, &one, &one);
    if (wrong == 0)
      ga__launch_size(l, 1);
    else
      ga__launch_work(l, 4);
    if (wrong == 1)
      ga__launch_ssize(l, 1);
    else
      ga__launch_size(l, 1);
    if (wrong == 2)
      ga__launch_int(l, 1);
    else
      ga__launch_uint(l, 1);
    if (wrong == 3)
      ga__launch_work(l, 4);
    else if (wrong != 4)
      ga__launch_local(l, 4);
    if (wrong == 5)
      ga__launch_uint(l, 1);
    given = ga__launch_seal(&l, l);
    if (wrong < 0)
      assert_int_equal(given, GA_NO_ERROR);
    else
      assert_int_not_equal(given, GA_NO_ERROR);
    if (wrong == 0)
      assert_message(GA_INVALID_ERROR, "wrong: argument 0 of kernel four is a "
                                       "value, the kernel takes a global");
    if (wrong == 1)
      assert_message(GA_INVALID_ERROR, "is long, the kernel takes ulong");
    if (wrong == 4)
      assert_message(GA_INVALID_ERROR,
                     "wrong: 3 arguments for kernel four, which takes 4");
    GpuLaunch_free(l);
  }
#else
  (void)state;
  skip();
#endif
}

static void nothing_to_do_is_a_launch(void **state) {
  size_t none[2] = {5, 0};
  GpuArray x = vector((float[]){1, 2}, 2);
  GpuLaunch *l = ga__launch_open(test_context(), "empty", 1);

  (void)state;
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  l = ga__launch_open(test_context(), "no items", 1);
  ga__launch_kernel(l, &saxpy, 2, none, NULL);
  assert_ok(ga__launch_seal(&l, l));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  GpuArray_clear(&x);
}

static void facts_are_told(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  GpuLaunchStats stats;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  assert_ok(GpuLaunch_label(l, "map{mul, add}"));
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.label, "map{mul, add}");
  assert_int_equal(stats.kernels, 1);
  assert_int_equal(stats.calls, 0);
  assert_true(stats.bytes == 24 && stats.flops == 4 && stats.seconds == 0);
  const char *text = GpuLaunch_source(l, 0);
  assert_memory_equal(text, "kernel void saxpy", 17);
  assert_non_null(strstr(text, "y[i] += a * x[i];"));
  assert_null(GpuLaunch_source(l, 1));
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static void failed_allocations_leak_nothing(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  int err = GA_MEMORY_ERROR;
  GpuLaunch *l;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  GpuLaunch_free(l);
  long live = ga__alloc_live();
  for (long n = 1; err != GA_NO_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = prepare(&l, &x, &y, 1);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    GpuLaunch_free(l);
    assert_int_equal(ga__alloc_live(), live);
    assert_true(n < 100);
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

/* --- threads that run one launch --- */

static void *run_many(void *l) {
  for (int i = 0; i < 500; i++) {
    if (GpuLaunch_run(l))
      return "failed";
  }
  return NULL;
}

static void threads_run_one_launch(void **state) {
  GpuArray x = vector((float[]){1, 2}, 2), y = vector((float[]){0, 0}, 2);
  pthread_t t[4];
  GpuLaunch *l;
  void *failed;

  (void)state;
  assert_ok(prepare(&l, &x, &y, 1));
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&t[i], NULL, run_many, l), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &failed);
    assert_null(failed);
  }
  expect(&y, 2000, 4000);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_runs_again),
      cmocka_unit_test(slots_are_rebound),
      cmocka_unit_test(slots_are_let_go_of),
      cmocka_unit_test(bad_bindings_are_refused),
      cmocka_unit_test(alignment_is_required),
      cmocka_unit_test(work_items_are_counted),
      cmocka_unit_test(launches_retain_their_buffers),
      cmocka_unit_test(renewal_needs_all_slots_again),
      cmocka_unit_test(equal_keys_give_equal_kernels),
      cmocka_unit_test(workspaces_are_shared),
      cmocka_unit_test(steps_share_a_workspace),
      cmocka_unit_test(host_calls_are_steps),
      cmocka_unit_test(errors_stick_until_sealed),
      cmocka_unit_test(arguments_are_compared_with_the_kernel),
      cmocka_unit_test(nothing_to_do_is_a_launch),
      cmocka_unit_test(facts_are_told),
      cmocka_unit_test(failed_allocations_leak_nothing),
      cmocka_unit_test(threads_run_one_launch),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
