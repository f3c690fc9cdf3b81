/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that flow in and out piece by piece. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpuarray/stream.h>

#include <stdlib.h>
#include <string.h>

/* More than a piece, and no multiple of one. */
#define N ((size_t)700001)

typedef struct flow {
  char *bytes; /* N floats */
  size_t at;   /* bytes that have passed */
  size_t most; /* of a piece */
  size_t end;  /* a piece from here on fails with GA_SYS_ERROR */
} flow;

static int pass(flow *f, size_t n) {
  if (f->at >= f->end)
    return GA_SYS_ERROR;
  assert_true(f->at + n <= N * sizeof(float));
  f->at += n;
  if (n > f->most)
    f->most = n;
  return GA_NO_ERROR;
}

static int fill(void *arg, void *p, size_t n) {
  flow *f = arg;
  const char *from = f->bytes + f->at;

  if (pass(f, n) != GA_NO_ERROR)
    return GA_SYS_ERROR;
  memcpy(p, from, n);
  return GA_NO_ERROR;
}

static int drain(void *arg, const void *p, size_t n) {
  flow *f = arg;
  char *to = f->bytes + f->at;

  if (pass(f, n) != GA_NO_ERROR)
    return GA_SYS_ERROR;
  memcpy(to, p, n);
  return GA_NO_ERROR;
}

static void flow_both_ways(void) {
  const size_t n = N;
  flow in = {malloc(N * sizeof(float)), 0, 0, SIZE_MAX};
  flow out = {malloc(N * sizeof(float)), 0, 0, SIZE_MAX};
  GpuArray a;

  test_fill(in.bytes, GA_FLOAT, n, -1, 1, 3);
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_stream_in(&a, fill, &in));
  test_array_equal(&a, in.bytes);
  assert_ok(GpuArray_stream_out(&a, drain, &out));
  assert_memory_equal(in.bytes, out.bytes, N * sizeof(float));
  assert_int_equal(in.at, N * sizeof(float));
  assert_int_equal(out.at, N * sizeof(float));
  assert_true(in.most <= (size_t)1 << 20 && out.most <= (size_t)1 << 20);
  GpuArray_clear(&a);
  free(in.bytes);
  free(out.bytes);
}

/* Mapped as on a CPU, and staged. */
static void values_flow_in_and_out(void **state) {
  (void)state;
  test_mappings(flow_both_ways);
}

/* Out of any layout, in C order; in with C order alone. */
static void strided_values_flow_out(void **state) {
  const float x[6] = {1, 2, 3, 4, 5, 6}, want[6] = {1, 4, 2, 5, 3, 6};
  const size_t dims[2] = {2, 3};
  float got[6];
  flow f = {(char *)got, 0, 0, SIZE_MAX};
  GpuArray a;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, x);
  assert_ok(GpuArray_transpose_inplace(&a, NULL));
  assert_ok(GpuArray_stream_out(&a, drain, &f));
  assert_memory_equal(got, want, sizeof want);
  f.at = 0;
  assert_code(GA_VALUE_ERROR, GpuArray_stream_in(&a, fill, &f));
  assert_ok(GpuArray_transpose_inplace(&a, NULL));
  a.flags &= ~GA_WRITEABLE;
  assert_code(GA_VALUE_ERROR, GpuArray_stream_in(&a, fill, &f));
  assert_int_equal(f.at, 0);
  test_array_equal(&a, x);
  GpuArray_clear(&a);
}

static void nothing_flows(void **state) {
  const size_t none = 0;
  GpuArray a, zero = {0};
  flow f = {NULL, 0, 0, 0};

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 1, &none, GA_C_ORDER));
  assert_ok(GpuArray_stream_in(&a, fill, &f));
  assert_ok(GpuArray_stream_out(&a, drain, &f));
  assert_code(GA_INVALID_ERROR, GpuArray_stream_in(&zero, fill, &f));
  assert_code(GA_INVALID_ERROR, GpuArray_stream_out(&zero, drain, &f));
  GpuArray_clear(&a);
}

/* The caller's code comes back, and the stream has ended. */
static void callers_end_streams(void **state) {
  const size_t n = N;
  flow f = {calloc(N, sizeof(float)), 0, 0, 1};
  gpucontext_counters before, after;
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(gpucontext_count(test_context(), &before));
  assert_code(GA_SYS_ERROR, GpuArray_stream_in(&a, fill, &f));
  size_t passed = f.at;
  assert_true(passed > 0 && passed < N * sizeof(float));
  f.at = 0;
  assert_code(GA_SYS_ERROR, GpuArray_stream_out(&a, drain, &f));
  assert_true(f.at > 0 && f.at < N * sizeof(float));
  assert_ok(gpucontext_count(test_context(), &after));
  if (gpucontext_caps(test_context())->is_cpu) { /* not in pieces */
    assert_int_equal(after.host_writes, before.host_writes);
    assert_int_equal(after.host_reads, before.host_reads);
    assert_int_equal(after.read_bytes, before.read_bytes);
  }
  GpuArray_clear(&a);
  free(f.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_flow_in_and_out),
      cmocka_unit_test(strided_values_flow_out),
      cmocka_unit_test(nothing_flows),
      cmocka_unit_test(callers_end_streams),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
