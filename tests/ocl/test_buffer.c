/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers: contents, ranges, filling, counting. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include <pthread.h>
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

static void contents_go_in_and_out(void **state) {
  char got[8];
  gpudata *d = filled(test_context(), "abcdefg", 8);
  gpucontext_counters before, after;

  (void)state;
  assert_ok(gpucontext_count(test_context(), &before));
  assert_ok(gpudata_write(d, 2, "XY", 2));
  assert_ok(gpudata_read(got, d, 0, 8));
  assert_string_equal(got, "abXYefg");
  assert_ok(gpudata_read(got, d, 3, 2));
  assert_memory_equal(got, "Ye", 2);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.host_reads - before.host_reads, 2);
  assert_int_equal(after.read_bytes - before.read_bytes, 10);
  assert_int_equal(after.write_bytes - before.write_bytes, 2);
  gpudata_release(d);
}

static void big_contents_go_in_and_out(void **state) {
  const size_t n = (size_t)5 << 20;
  unsigned char *in = malloc(n), *out = malloc(n);

  (void)state;
  test_fill(in, GA_UBYTE, n, 0, 255, 1);
  gpudata *d = filled(test_context(), in, n);
  assert_ok(gpudata_read(out, d, 0, n));
  assert_memory_equal(in, out, n);
  gpudata_release(d);
  free(in);
  free(out);
}

/* Many small writes in a row, each from the same host memory. */
static void written_memory_may_be_reused_at_once(void **state) {
  const uint32_t n = 3000;
  gpudata *d = gpudata_alloc(test_context(), n * sizeof n, NULL, 0, NULL);
  uint32_t *got = malloc(n * sizeof n);

  (void)state;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t v = i * 2654435761u;
    assert_ok(gpudata_write(d, i * sizeof v, &v, sizeof v));
    v = 0;
  }
  assert_ok(gpudata_read(got, d, 0, n * sizeof n));
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(got[i], i * 2654435761u);
  gpudata_release(d);
  free(got);
}

static void sizes_and_ranges_are_checked(void **state) {
  gpudata *d = filled(test_context(), "abcd", 4);
  char got[8] = "-------";
  int err = GA_NO_ERROR;

  (void)state;
  assert_code(GA_VALUE_ERROR, gpudata_read(got, d, 0, 5));
  assert_message(GA_VALUE_ERROR, "5 bytes at offset 0");
  assert_code(GA_VALUE_ERROR, gpudata_read(got, d, 5, 0));
  assert_code(GA_VALUE_ERROR, gpudata_read(got, d, SIZE_MAX, 2));
  assert_code(GA_VALUE_ERROR, gpudata_write(d, 1, got, 4));
  assert_code(GA_VALUE_ERROR, gpudata_memset(d, 5, 0));
  assert_string_equal(got, "-------");
  assert_ok(gpudata_read(got, d, 4, 0));
  assert_null(gpudata_alloc(test_context(), 4, NULL, GA_BUFFER_INIT, &err));
  assert_int_equal(err, GA_VALUE_ERROR);
  err = GA_NO_ERROR;
  assert_null(gpudata_alloc(test_context(), 4, NULL,
                            GA_BUFFER_READ_ONLY | GA_BUFFER_WRITE_ONLY, &err));
  assert_int_equal(err, GA_VALUE_ERROR);
  assert_ok(gpudata_read(got, d, 0, 4));
  assert_memory_equal(got, "abcd", 4);
  gpudata_release(d);
}

static void empty_buffers_are_legal(void **state) {
  gpudata *d = gpudata_alloc(test_context(), 0, NULL, GA_BUFFER_INIT, NULL);
  size_t n = 7;

  (void)state;
  assert_non_null(d);
  assert_ok(gpudata_property(d, GA_BUFFER_PROP_SIZE, &n));
  assert_int_equal(n, 0);
  assert_ok(gpudata_memset(d, 0, 1));
  assert_ok(gpudata_read(NULL, d, 0, 0));
  assert_ok(gpudata_write(d, 0, NULL, 0));
  assert_ok(gpudata_move(d, 0, d, 0, 0));
  assert_ok(gpudata_sync(d));
  gpudata_release(d);
}

static void memset_writes_every_byte(void **state) {
  enum { N = 100 };
  unsigned char got[N], want[N];
  gpudata *d = gpudata_alloc(test_context(), N, NULL, 0, NULL);

  (void)state;
  for (size_t off = 0; off <= N; off++) {
    memset(want, 0x5A, N);
    memset(want + off, (int)off + 130, N - off);
    assert_ok(gpudata_memset(d, 0, 0x5A));
    assert_ok(gpudata_memset(d, off, (int)off + 130));
    assert_ok(gpudata_read(got, d, 0, N));
    assert_memory_equal(got, want, N);
  }
  assert_ok(gpudata_memset(d, 0, 0x1FF)); /* the low 8 bits */
  assert_ok(gpudata_read(got, d, 0, 1));
  assert_int_equal(got[0], 0xFF);
  gpudata_release(d);
}

/* The blocks in which large buffers are filled, made small. */
static void memset_crosses_blocks(void **state) {
  enum { N = 20000 };
  static unsigned char got[N], want[N];
  gpucontext *ctx = test_context();
  size_t block = ctx->fill_block;
  gpudata *d = gpudata_alloc(ctx, N, NULL, 0, NULL);

  (void)state;
  ctx->fill_block = 4096;
  for (size_t off = 1; off < N; off += 2777) {
    memset(want, 1, N);
    memset(want + off, 2, N - off);
    assert_ok(gpudata_memset(d, 0, 1));
    assert_ok(gpudata_memset(d, off, 2));
    assert_ok(gpudata_read(got, d, 0, N));
    assert_memory_equal(got, want, N);
  }
  ctx->fill_block = block;
  gpudata_release(d);
}

static void references_are_counted(void **state) {
  gpudata *a = filled(test_context(), "a", 1);
  gpucontext *ctx;
  unsigned int refs;

  (void)state;
  gpudata_retain(a);
  assert_ok(gpudata_property(a, GA_BUFFER_PROP_REFCNT, &refs));
  assert_int_equal(refs, 2);
  gpudata_release(a);
  assert_ok(gpudata_property(a, GA_BUFFER_PROP_REFCNT, &refs));
  assert_int_equal(refs, 1);
  assert_ok(gpudata_property(a, GA_BUFFER_PROP_CTX, &ctx));
  assert_ptr_equal(ctx, test_context());
  assert_ptr_equal(gpudata_context(a), ctx);
  assert_ok(gpudata_property(a, GA_CTX_PROP_NUMPROCS, &refs));
  assert_code(GA_INVALID_ERROR, gpudata_property(a, 600, &refs));
  gpudata *b = filled(test_context(), "b", 1);
  assert_int_equal(gpudata_share(a, b, NULL), 0);
  assert_int_equal(gpudata_share(a, a, NULL), 1);
  gpudata_release(a);
  gpudata_release(b);
  gpudata_release(NULL);
}

static void failed_allocations_leak_nothing(void **state) {
  gpudata *d = NULL;

  (void)state;
  assert_ok(gpucontext_trim(test_context()));
  long live = ga__alloc_live();
  for (long n = 1; d == NULL; n++) {
    int err = GA_NO_ERROR;

    ga__alloc_fail(n, 0);
    d = gpudata_alloc(test_context(), 12345, NULL, 0, &err);
    ga__alloc_fail(0, 0);
    if (d == NULL) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_int_equal(ga__alloc_live(), live);
    }
    assert_true(n < 100);
  }
  gpudata_release(d);
}

/* --- threads --- */

static void *use_buffers(void *seed) {
  gpucontext *ctx = test_context();
  uint32_t v = *(uint32_t *)seed, got;

  for (int i = 0; i < 300; i++, v = v * 1664525u + 1013904223u) {
    size_t n = 4 * (1 + v % 5000);
    gpudata *a = gpudata_alloc(ctx, n, NULL, 0, NULL);
    gpudata *b = gpudata_alloc(ctx, n, NULL, 0, NULL);

    if (a == NULL || b == NULL || gpudata_memset(a, 0, (int)v) ||
        gpudata_write(a, n - 4, &v, 4) || gpudata_move(b, 0, a, n - 4, 4) ||
        gpudata_read(&got, b, 0, 4) || got != v)
      return "failed";
    gpudata_release(a);
    gpudata_release(b);
  }
  return NULL;
}

static void threads_share_a_context(void **state) {
  uint32_t seeds[4] = {1, 2, 3, 4};
  pthread_t t[4];
  void *failed;

  (void)state;
  test_context();
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&t[i], NULL, use_buffers, &seeds[i]), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &failed);
    assert_null(failed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contents_go_in_and_out),
      cmocka_unit_test(big_contents_go_in_and_out),
      cmocka_unit_test(written_memory_may_be_reused_at_once),
      cmocka_unit_test(sizes_and_ranges_are_checked),
      cmocka_unit_test(empty_buffers_are_legal),
      cmocka_unit_test(memset_writes_every_byte),
      cmocka_unit_test(memset_crosses_blocks),
      cmocka_unit_test(references_are_counted),
      cmocka_unit_test(failed_allocations_leak_nothing),
      cmocka_unit_test(threads_share_a_context),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
