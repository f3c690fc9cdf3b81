/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies within a context, overlapping or not, and between contexts of all
 * devices. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/extension.h>
#include <gpuarray/profile.h>
#include <gpuarray/transfer.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"

static gpudata *filled(gpucontext *ctx, const void *bytes, size_t n) {
  int err = GA_NO_ERROR;
  gpudata *d =
      gpudata_alloc(ctx, n, (void *)(size_t)bytes, GA_BUFFER_INIT, &err);

  assert_ok(err);
  return d;
}

/* --- within a context --- */

static void ranges_are_copied(void **state) {
  gpudata *a = filled(test_context(), "abcdefgh", 8);
  gpudata *b = filled(test_context(), "01234567", 8);
  char got[8];

  (void)state;
  assert_ok(gpudata_move(b, 1, a, 4, 3));
  assert_ok(gpudata_read(got, b, 0, 8));
  assert_memory_equal(got, "0efg4567", 8);
  assert_ok(gpudata_move(b, 0, b, 4, 4)); /* one buffer, no overlap */
  assert_ok(gpudata_read(got, b, 0, 8));
  assert_memory_equal(got, "45674567", 8);
  assert_code(GA_VALUE_ERROR, gpudata_move(b, 6, a, 0, 3));
  assert_message(GA_VALUE_ERROR,
                 "3 bytes at offset 6 end beyond a buffer of 8");
  gpudata_release(a);
  gpudata_release(b);
}

/* All moves of a few bytes within a buffer of a few more. */
static void overlaps_are_moved(void **state) {
  enum { N = 9 };
  const char start[N] = "012345678";
  gpudata *d = filled(test_context(), start, N);
  char got[N], want[N];

  (void)state;
  for (size_t to = 0; to <= N; to++) {
    for (size_t from = 0; from <= N; from++) {
      const size_t n = N - (to > from ? to : from);

      assert_ok(gpudata_write(d, 0, start, N));
      memcpy(want, start, N);
      memmove(want + to, want + from, n);
      assert_ok(gpudata_move(d, to, d, from, n));
      assert_ok(gpudata_read(got, d, 0, N));
      assert_memory_equal(got, want, N);
    }
  }
  gpudata_release(d);
}

/* Distances below a block of the scratch memory and above it. */
static void large_overlaps_are_moved(void **state) {
  test_need_buffer((size_t)34 << 20);

  const size_t block = (size_t)16 << 20, n = 2 * block + 1234;
  const size_t far[] = {1, 4096, block - 1, block + 1};
  unsigned char *start = malloc(n), *want = malloc(n), *got = malloc(n);

  (void)state;
  test_fill(start, GA_UBYTE, n, 0, 255, 3);
  gpudata *d = filled(test_context(), start, n);
  for (size_t k = 0; k < 2 * sizeof far / sizeof *far; k++) {
    const size_t by = far[k / 2];
    const size_t to = k % 2 ? by : 0, from = k % 2 ? 0 : by;

    assert_ok(gpudata_write(d, 0, start, n));
    memcpy(want, start, n);
    memmove(want + to, want + from, n - by);
    assert_ok(gpudata_move(d, to, d, from, n - by));
    assert_ok(gpudata_read(got, d, 0, n));
    assert_memory_equal(got, want, n);
  }
  gpudata_release(d);
  free(start);
  free(want);
  free(got);
}

static void no_memory_moves_nothing(void **state) {
  gpudata *d = filled(test_context(), "01234567", 8);
  char got[8];

  (void)state;
  assert_ok(gpucontext_trim(test_context()));
  ga__alloc_fail(1, 0);
  assert_code(GA_MEMORY_ERROR, gpudata_move(d, 0, d, 1, 7));
  ga__alloc_fail(0, 0);
  assert_ok(gpudata_read(got, d, 0, 8));
  assert_memory_equal(got, "01234567", 8);
  gpudata_release(d);
}

/* A wrapped sub-buffer and its parent share bytes. */
static void sub_buffers_overlap_their_parent(void **state) {
  enum { N = 1024, AT = 512 };
  gpudata *(*make_buf)(gpucontext *, cl_mem);
  unsigned char in[N], want[N], got[N];
  cl_buffer_region region = {AT, N - AT};
  gpucontext *ctx = test_context();
  cl_int status;

  (void)state;
  test_fill(in, GA_UBYTE, N, 0, 255, 4);
  gpudata *whole = filled(ctx, in, N);
  cl_mem sub =
      clCreateSubBuffer(whole->mem, CL_MEM_READ_WRITE,
                        CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  assert_int_equal(status, CL_SUCCESS);
  *(void **)(&make_buf) = gpuarray_get_extension("cl_make_buf");
  gpudata *part = make_buf(ctx, sub);
  assert_non_null(part);
  assert_int_equal(gpudata_share(whole, part, NULL), 1);
  assert_int_equal(gpudata_share(part, whole, NULL), 1);
  memcpy(want, in, N);
  memmove(want + AT + 100, want + AT - 100, 300);
  assert_ok(gpudata_move(part, 100, whole, AT - 100, 300));
  memmove(want + 50, want + AT + 7, 480);
  assert_ok(gpudata_move(whole, 50, part, 7, 480));
  assert_ok(gpudata_read(got, whole, 0, N));
  assert_memory_equal(got, want, N);
  gpudata_release(part);
  gpudata_release(whole);
  clReleaseMemObject(sub);
}

/* --- between contexts --- */

static void transfers_cross_contexts(void **state) {
  const size_t n = ((size_t)5 << 20) + 3; /* more than the staging ring */
  unsigned char *in = malloc(n), *out = calloc(n, 1);
  gpucontext_counters before, after;
  gpucontext *other;

  (void)state;
  test_fill(in, GA_UBYTE, n, 0, 255, 2);
  gpudata *a = filled(test_context(), in, n);
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *b = gpudata_alloc(other, n + 1, NULL, 0, NULL);
  assert_code(GA_VALUE_ERROR, gpudata_move(b, 0, a, 0, 1));
  assert_message(GA_VALUE_ERROR, "different contexts");
  assert_code(GA_VALUE_ERROR, gpudata_transfer(b, 2, a, 0, n));
  assert_code(GA_VALUE_ERROR, gpudata_transfer(b, 0, a, 1, n));
  assert_ok(gpudata_transfer(b, n + 1, a, n, 0));
  assert_ok(gpucontext_count(other, &before));
  assert_ok(gpudata_transfer(b, 1, a, 0, n));
  assert_ok(gpucontext_count(other, &after));
  assert_int_equal(after.write_bytes - before.write_bytes, n);
  assert_ok(gpudata_read(out, b, 1, n));
  assert_memory_equal(in, out, n);
  assert_int_equal(gpudata_share(a, b, NULL), 0);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(other);
  free(in);
  free(out);
}

/* One after the other, without waiting for what is written. What is enqueued
 * behind the end does not show; what was begun and not ended is forgotten. */
static void transfers_are_prepared(void **state) {
  enum { N = 1000, TIMES = 6 };
  gpucontext *ctx = test_context(), *other;
  unsigned char in[TIMES][N], out[TIMES * N];
  gpudata *from[TIMES], *to;
  GpuTransferStats stats;
  GpuTransfer *t;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  assert_ok(GpuTransfer_new(&t, other, ctx, N));
  to = gpudata_alloc(other, sizeof out, NULL, 0, NULL);
  assert_non_null(to);
  for (int i = 0; i < TIMES; i++) {
    test_fill(in[i], GA_UBYTE, N, 0, 255, (uint32_t)i);
    from[i] = filled(ctx, in[i], N);
    assert_ok(GpuTransfer_start(t, from[0], 0));
    assert_ok(GpuTransfer_start(t, from[i], 0));
    assert_ok(GpuTransfer_end(t, to, (size_t)i * N));
    assert_ok(gpudata_memset(from[i], 0, 7));
  }
  assert_ok(gpudata_read(out, to, 0, sizeof out));
  assert_memory_equal(in, out, sizeof out);
  assert_ok(GpuTransfer_stats(t, &stats));
  assert_true(stats.bytes == N);
  for (int i = 0; i < TIMES; i++)
    gpudata_release(from[i]);
  GpuTransfer_free(t);
  GpuTransfer_free(NULL);
  gpudata_release(to);
  gpucontext_deref(other);
}

static void bad_transfers_are_refused(void **state) {
  gpucontext *ctx = test_context(), *other;
  gpudata *from = filled(ctx, "abcdefgh", 8);
  char got[8];
  GpuTransfer *t;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *to = filled(other, "01234567", 8);
  assert_code(GA_VALUE_ERROR, GpuTransfer_new(&t, ctx, ctx, 4));
  assert_null(t);
  assert_ok(GpuTransfer_new(&t, other, ctx, 4));
  assert_code(GA_INVALID_ERROR, GpuTransfer_end(t, to, 0));
  assert_code(GA_VALUE_ERROR, GpuTransfer_start(t, from, 5));
  assert_message(GA_VALUE_ERROR,
                 "4 bytes at offset 5 end beyond a buffer of 8");
  assert_code(GA_VALUE_ERROR, GpuTransfer_start(t, to, 0));
  assert_ok(GpuTransfer_start(t, from, 4));
  assert_code(GA_VALUE_ERROR, GpuTransfer_end(t, to, 5));
  assert_ok(gpudata_read(got, to, 0, 8));
  assert_memory_equal(got, "01234567", 8);
  GpuTransfer_free(t);
  gpudata_release(from);
  gpudata_release(to);
  gpucontext_deref(other);
}

/* Every device that there is, and the first one twice. */
static unsigned int open_all(gpucontext **ctx, unsigned int most) {
  unsigned int platforms = 0, devices, n = 0;
  char name[32];

  assert_ok(gpu_get_platform_count("opencl", &platforms));
  for (unsigned int p = 0; p < platforms; p++) {
    if (gpu_get_device_count("opencl", p, &devices) != GA_NO_ERROR)
      continue;
    for (unsigned int d = 0; d < devices && n + 1 < most; d++) {
      snprintf(name, sizeof name, "opencl%u:%u", p, d);
      if (gpucontext_open(&ctx[n], name) == GA_NO_ERROR)
        n++;
    }
  }
  assert_ok(gpucontext_open(&ctx[n], NULL));
  return n + 1;
}

/* Around all contexts and home again, by views too. */
static void devices_pass_bytes_on(void **state) {
  enum { MOST = 8, ROWS = 700, COLUMNS = 900 };
  const size_t dims[2] = {ROWS, COLUMNS}, n = (size_t)ROWS * COLUMNS;
  float *data = malloc(n * sizeof *data);
  gpucontext *ctx[MOST];
  GpuArray now, next;

  (void)state;
  test_context();
  unsigned int n_ctx = open_all(ctx, MOST);
  print_message("%u contexts\n", n_ctx);
  test_fill(data, GA_FLOAT, n, -1, 1, 5);
  test_array(&now, GA_FLOAT, 2, dims, data);
  for (unsigned int k = 0; k < 2 * n_ctx; k++) {
    const size_t turned[2] = {now.dimensions[1], now.dimensions[0]};

    assert_ok(
        GpuArray_empty(&next, ctx[k % n_ctx], GA_FLOAT, 2, turned, GA_C_ORDER));
    assert_ok(GpuArray_transpose_inplace(&now, NULL));
    assert_ok(GpuArray_transfer(&next, &now));
    GpuArray_clear(&now);
    now = next;
  }
  test_array_equal(&now, data);
  GpuArray_clear(&now);
  while (n_ctx-- > 0)
    gpucontext_deref(ctx[n_ctx]);
  free(data);
}

/* --- threads --- */

typedef struct route {
  gpudata *from, *to;
} route;

static void *transfer_often(void *p) {
  const route *r = p;

  for (int i = 0; i < 50; i++) {
    if (gpudata_transfer(r->to, 0, r->from, 0, (size_t)3 << 19) != GA_NO_ERROR)
      return "failed";
  }
  return NULL;
}

/* Two contexts that send to each other at the same time. */
static void directions_do_not_block_each_other(void **state) {
  const size_t n = (size_t)3 << 19;
  gpucontext *other;
  route routes[2];
  pthread_t t[2];
  void *failed;

  (void)state;
  test_context();
  assert_ok(gpucontext_open(&other, NULL));
  for (int i = 0; i < 2; i++) {
    routes[i].from =
        gpudata_alloc(i ? other : test_context(), n, NULL, 0, NULL);
    routes[i].to = gpudata_alloc(i ? test_context() : other, n, NULL, 0, NULL);
    assert_non_null(routes[i].from);
    assert_non_null(routes[i].to);
  }
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&t[i], NULL, transfer_often, &routes[i]),
                     0);
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], &failed);
    assert_null(failed);
    gpudata_release(routes[i].from);
    gpudata_release(routes[i].to);
  }
  gpucontext_deref(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_are_copied),
      cmocka_unit_test(overlaps_are_moved),
      cmocka_unit_test(large_overlaps_are_moved),
      cmocka_unit_test(no_memory_moves_nothing),
      cmocka_unit_test(sub_buffers_overlap_their_parent),
      cmocka_unit_test(transfers_cross_contexts),
      cmocka_unit_test(transfers_are_prepared),
      cmocka_unit_test(bad_transfers_are_refused),
      cmocka_unit_test(devices_pass_bytes_on),
      cmocka_unit_test(directions_do_not_block_each_other),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
