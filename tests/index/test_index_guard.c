/* SPDX-License-Identifier: BSD-2-Clause */
/* Indices out of range that kernels report, and who hears of it. */
#include "support/guarded.h"

#include <gpuarray/buffer.h>
#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/index_guard.h>
#include <gpuarray/stream.h>
#include <gpuarray/transfer.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* --- every call --- */

/* What calls index: 4 rows of 3, or 3 columns of 4. */
enum { ROWS = 4, COLUMNS = 3, TAKEN = 5 };

typedef struct arrays {
  GpuArray a, index, v, out;
} arrays;

/* `index` is a row, or one for each element where `nd` is 2. */
static void open_arrays(arrays *x, int dtype, unsigned int nd,
                        const double *index) {
  const size_t dims[2] = {ROWS, COLUMNS}, taken[2] = {TAKEN, COLUMNS};
  char at[TAKEN * COLUMNS * 8];
  float data[TAKEN * COLUMNS];

  for (size_t k = 0; k < TAKEN; k++)
    for (size_t j = 0; j < (nd == 2 ? COLUMNS : 1); j++)
      test_set(at, dtype, nd == 2 ? k * COLUMNS + j : k, index[k]);
  test_fill(data, GA_FLOAT, TAKEN * COLUMNS, 0, 9, 1);
  test_array(&x->a, GA_FLOAT, 2, dims, data);
  test_array(&x->v, GA_FLOAT, 2, taken, data);
  test_array(&x->index, dtype, nd, taken, at);
  memset(&x->out, 0, sizeof x->out);
}

static void clear_arrays(arrays *x) {
  GpuArray_clear(&x->a);
  GpuArray_clear(&x->v);
  GpuArray_clear(&x->index);
  GpuArray_clear(&x->out);
}

static int call_take1(arrays *x) {
  assert_ok(GpuArray_empty(&x->out, test_context(), GA_FLOAT, 2,
                           x->v.dimensions, GA_C_ORDER));
  return GpuArray_take1(&x->out, &x->a, &x->index, 0);
}

static int call_take(arrays *x) {
  return GpuArray_take(&x->out, &x->a, &x->index, 0, 0);
}

/* The same of rows that lie as columns. */
static int call_take_columns(arrays *x) {
  GpuArray turned;

  assert_ok(GpuArray_view(&turned, &x->a));
  assert_ok(GpuArray_transpose_inplace(&turned, NULL));
  int err = GpuArray_take(&x->out, &turned, &x->index, 1, 0);
  GpuArray_clear(&turned);
  return err;
}

static int call_gather(arrays *x) {
  return GpuArray_gather(&x->out, &x->a, &x->index, 0, 0);
}

static int call_put(arrays *x) {
  return GpuArray_put(&x->a, &x->index, &x->v, 0, GA_PUT_SET, 0);
}

static int call_put_any(arrays *x) {
  return GpuArray_put(&x->a, &x->index, &x->v, 0, GA_PUT_SET_ANY, 0);
}

static int call_add(arrays *x) {
  return GpuArray_put(&x->a, &x->index, &x->v, 0, GA_PUT_ADD, 0);
}

static int call_add_any(arrays *x) {
  return GpuArray_put(&x->a, &x->index, &x->v, 0, GA_PUT_ADD_ANY, 0);
}

/* Rows that follow each other less closely than their elements' neighbours. */
static int call_put_columns(arrays *x) {
  GpuArray turned, values;

  assert_ok(GpuArray_view(&turned, &x->a));
  assert_ok(GpuArray_view(&values, &x->v));
  assert_ok(GpuArray_transpose_inplace(&turned, NULL));
  assert_ok(GpuArray_transpose_inplace(&values, NULL));
  int err = GpuArray_put(&turned, &x->index, &values, 1, GA_PUT_ADD, 0);
  GpuArray_clear(&turned);
  GpuArray_clear(&values);
  return err;
}

static int call_scatter(arrays *x) {
  return GpuArray_scatter(&x->a, &x->index, &x->v, 0, GA_PUT_SET, 0);
}

static int call_scatter_any(arrays *x) {
  return GpuArray_scatter(&x->a, &x->index, &x->v, 0, GA_PUT_ADD_ANY, 0);
}

static const struct {
  const char *name, *label;
  int (*call)(arrays *);
  unsigned int nd; /* of the indices */
  int axis;
} calls[] = {
    {"take1", "take", call_take1, 1, 0},
    {"take", "take", call_take, 1, 0},
    {"take columns", "take", call_take_columns, 1, 1},
    {"gather", "take", call_gather, 2, 0},
    {"put", "put", call_put, 1, 0},
    {"put any", "put", call_put_any, 1, 0},
    {"add", "put", call_add, 1, 0},
    {"add any", "put", call_add_any, 1, 0},
    {"put columns", "put", call_put_columns, 1, 1},
    {"scatter", "put", call_scatter, 2, 0},
    {"scatter any", "put", call_scatter_any, 2, 0},
};

static int read_all(const GpuArray *a) {
  float got[TAKEN * COLUMNS];

  return GpuArray_read(got, test_size(a) * sizeof *got, a);
}

/* The call enqueues; the read fails, once; then all is as before. */
static void check_call(size_t k, int dtype, double bad) {
  const double index[TAKEN] = {0, 3, bad, 1, 2}, fine[TAKEN] = {0, 3, 1, 1, 2};
  char want[128];
  arrays x;

  snprintf(want, sizeof want,
           "%s: index %.0f at position %d is out of range for axis %d of size "
           "4",
           calls[k].label, bad, calls[k].nd == 2 ? 2 * COLUMNS : 2,
           calls[k].axis);
  *strstr(want, calls[k].nd == 2 ? " at position" : " is out") = '\0';
  open_arrays(&x, dtype, calls[k].nd, index);
  assert_ok(calls[k].call(&x));
  assert_code(GA_VALUE_ERROR, read_all(&x.a));
  assert_message(GA_VALUE_ERROR, want);
  snprintf(want, sizeof want, " is out of range for axis %d of size 4",
           calls[k].axis);
  assert_message(GA_VALUE_ERROR, want);
  assert_ok(read_all(&x.a));
  clear_arrays(&x);
  open_arrays(&x, dtype, calls[k].nd, fine);
  assert_ok(calls[k].call(&x));
  assert_ok(read_all(&x.a));
  clear_arrays(&x);
}

static void check_calls(void) {
  for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
    check_call(k, GA_LONG, 4);
    check_call(k, GA_LONG, -5);
    check_call(k, GA_INT, 7);
    check_call(k, GA_UBYTE, 255);
  }
}

static void test_calls(void **state) {
  (void)state;
  test_mappings(check_calls);
}

static void check_wide(int dtype, const void *bad, const char *want) {
  const size_t n = 2;
  const float data[2] = {1, 2};
  GpuArray a, index, out;

  test_array(&a, GA_FLOAT, 1, &n, data);
  test_array(&index, dtype, 1, &n, bad);
  assert_ok(GpuArray_gather(&out, &a, &index, 0, 0));
  assert_code(GA_VALUE_ERROR, read_all(&out));
  assert_message(GA_VALUE_ERROR, want);
  GpuArray_clear(&a);
  GpuArray_clear(&index);
  GpuArray_clear(&out);
}

static void test_wide_indices(void **state) {
  (void)state;
  check_wide(GA_ULONG, (uint64_t[]){1, UINT64_MAX},
             "take: index 18446744073709551615 at position 1 is");
  check_wide(GA_LONG, (int64_t[]){INT64_MIN, 1},
             "take: index -9223372036854775808 at position 0 is");
  check_wide(GA_UINT, (uint32_t[]){1, UINT32_MAX},
             "take: index 4294967295 at position 1 is");
}

/* Positions count elements in C order, which gaps do not show. */
static void test_gaps(void **state) {
  const size_t rows = 4, n = 3;
  const ssize_t stride = 2;
  const float data[4] = {1, 2, 3, 4};
  const int64_t at[3] = {0, 1, 9};
  GpuArray a, index, out;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &rows, data);
  test_array_strided(&index, GA_LONG, 1, &n, &stride, at);
  assert_ok(GpuArray_gather(&out, &a, &index, 0, 0));
  assert_code(GA_VALUE_ERROR, read_all(&out));
  assert_message(GA_VALUE_ERROR, "take: index 9 is out of range for axis 0");
  GpuArray_clear(&a);
  GpuArray_clear(&index);
  GpuArray_clear(&out);
}

/* --- what is switched --- */

static const double beyond[TAKEN] = {0, 1, 2, 3, 4};

static void test_off(void **state) {
  arrays x;

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_int_equal(gpucontext_guards_indices(test_context()), 0);
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(call_take(&x));
  assert_ok(read_all(&x.out));
  assert_ok(gpucontext_guard_indices(test_context(), 1));
  GpuArray_clear(&x.out);
  assert_ok(call_take(&x)); /* not the launch that was kept */
  assert_code(GA_VALUE_ERROR, read_all(&x.out));
  clear_arrays(&x);
}

/* A launch has what its context had, until it is told otherwise. */
static void test_launch(void **state) {
  GpuLaunch *l;
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(GpuArray_take_prepare(&l, &x.v, &x.a, &x.index, 0));
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_ok(GpuLaunch_run(l));
  assert_code(GA_VALUE_ERROR, read_all(&x.v));
  assert_ok(GpuLaunch_guard_indices(l, 0, NULL));
  assert_ok(GpuLaunch_run(l));
  assert_ok(read_all(&x.v));
  assert_ok(GpuLaunch_guard_indices(l, 1, "model.c:42"));
  assert_ok(GpuLaunch_run(l));
  assert_code(GA_VALUE_ERROR, read_all(&x.v));
  assert_message(GA_VALUE_ERROR, "take: index 4 at position 4 is out of range "
                                 "for axis 0 of size 4 (model.c:42)");
  GpuLaunch_free(l);
  clear_arrays(&x);
}

/* A launch that renews one with another label has its own. */
static void test_label(void **state) {
  GpuLaunch *l;
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(GpuArray_take_prepare(&l, &x.v, &x.a, &x.index, 0));
  for (int i = 0; i < 2; i++) {
    assert_ok(GpuLaunch_guard_indices(l, 1, NULL));
    assert_ok(GpuLaunch_run(l));
    assert_code(GA_VALUE_ERROR, read_all(&x.v));
    assert_string_equal(
        gpucontext_error(test_context(), GA_VALUE_ERROR),
        "take: index 4 at position 4 is out of range for axis 0 of size 4");
    assert_ok(GpuLaunch_label(l, "labelled"));
    assert_null(GpuLaunch_renew(l));
    assert_ok(GpuArray_take_prepare(&l, &x.v, &x.a, &x.index, 0));
  }
  GpuLaunch_free(l);
  clear_arrays(&x);
}

/* Launches without indices take no guard. */
static void test_other_launches(void **state) {
  const size_t n = 4;
  const float data[4] = {1, 2, 3, 4};
  GpuArray c, a;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, data);
  assert_ok(GpuArray_empty(&c, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_where_prepare(&l, &c, &a, &a, &a));
  assert_ok(GpuLaunch_guard_indices(l, 1, "model.c:42"));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&c, data);
  GpuLaunch_free(l);
  GpuArray_clear(&a);
  GpuArray_clear(&c);
}

/* --- who hears of it --- */

/* The launch is gone when the report is read. */
static void test_late(void **state) {
  GpuLaunch *l;
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(GpuArray_take_prepare(&l, &x.v, &x.a, &x.index, 0));
  assert_ok(GpuLaunch_guard_indices(l, 1, "gone.c:7"));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  assert_code(GA_VALUE_ERROR, GpuArray_sync(&x.a));
  assert_message(GA_VALUE_ERROR, "(gone.c:7)");
  assert_ok(GpuArray_sync(&x.a));
  clear_arrays(&x);
}

/* Several calls, one report. */
static void test_once(void **state) {
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  for (int k = 0; k < 3; k++)
    assert_ok(call_put(&x));
  assert_code(GA_VALUE_ERROR, GpuArray_sync(&x.a));
  assert_ok(GpuArray_sync(&x.a));
  assert_ok(read_all(&x.a));
  clear_arrays(&x);
}

/* A call that checks waits, and so reports what came before it. */
static void test_check(void **state) {
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(call_take(&x));
  GpuArray_clear(&x.out);
  assert_code(GA_VALUE_ERROR, GpuArray_take(&x.out, &x.a, &x.index, 0, 1));
  assert_message(GA_VALUE_ERROR, "is out of range");
  assert_code(GA_VALUE_ERROR, GpuArray_take(&x.out, &x.a, &x.index, 0, 1));
  assert_message(GA_VALUE_ERROR, "out of bounds");
  clear_arrays(&x);
  open_arrays(&x, GA_LONG, 1, (double[TAKEN]){0, 1, 2, 3, 0});
  assert_ok(GpuArray_take(&x.out, &x.a, &x.index, 0, 1));
  clear_arrays(&x);
}

static int drain(void *arg, const void *bytes, size_t n) {
  size_t *total = arg;

  (void)bytes;
  *total += n;
  return GA_NO_ERROR;
}

static void test_stream(void **state) {
  size_t total = 0;
  arrays x;

  (void)state;
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(call_take(&x));
  assert_code(GA_VALUE_ERROR, GpuArray_stream_out(&x.out, drain, &total));
  assert_message(GA_VALUE_ERROR, "take: index 4 at position 4");
  assert_ok(GpuArray_stream_out(&x.out, drain, &total));
  assert_int_equal(total, test_size(&x.out) * sizeof(float));
  clear_arrays(&x);
}

/* Each context has its own, and a transfer waits for that it comes from. */
static void test_two_contexts(void **state) {
  gpucontext *other = test_second_context();
  const int other_was_on = gpucontext_guards_indices(other);
  GpuArray there;
  arrays x;

  (void)state;
  assert_ok(gpucontext_guard_indices(other, 1));
  open_arrays(&x, GA_LONG, 1, beyond);
  assert_ok(
      GpuArray_empty(&there, other, GA_FLOAT, 2, x.v.dimensions, GA_C_ORDER));
  assert_ok(call_take(&x));
  assert_ok(GpuArray_sync(&there));
  assert_code(GA_VALUE_ERROR,
              gpudata_transfer(there.data, 0, x.out.data, 0, 8));
  assert_message(GA_VALUE_ERROR, "take: index 4 at position 4");
  assert_ok(gpudata_transfer(there.data, 0, x.out.data, 0, 8));
  assert_ok(read_all(&x.out));
  GpuArray_clear(&there);
  clear_arrays(&x);
  assert_ok(gpucontext_guard_indices(other, other_was_on));
}

/* --- threads --- */

enum { THREADS = 4, CALLS = 50 };

typedef struct worker {
  gpucontext *ctx;
  int reports;
} worker;

/* Takes rows beyond the end; reads fail when a thread's report was due. */
static void *work(void *arg) {
  worker *w = arg;
  const size_t n = 2;
  const int64_t at[2] = {1, 2};
  int err = 0;

  for (int k = 0; k < CALLS; k++) {
    GpuArray a, index, out = {0};
    float got[2];

    if (GpuArray_empty(&a, w->ctx, GA_FLOAT, 1, &n, GA_C_ORDER) ||
        GpuArray_empty(&index, w->ctx, GA_LONG, 1, &n, GA_C_ORDER) ||
        GpuArray_write(&index, at, sizeof at) ||
        GpuArray_take(&out, &a, &index, 0, 0))
      return NULL;
    err = GpuArray_read(got, sizeof got, &out);
    w->reports += err == GA_VALUE_ERROR;
    GpuArray_clear(&a);
    GpuArray_clear(&index);
    GpuArray_clear(&out);
  }
  return w;
}

/* Each bad call is reported to the thread itself or to one that waited before
 * it; none is forgotten when all have ended. */
static void test_threads(void **state) {
  worker w[THREADS];
  pthread_t threads[THREADS];
  const size_t n = 1;
  int reports = 0;
  GpuArray last;
  void *result;

  (void)state;
  for (int t = 0; t < THREADS; t++) {
    w[t] = (worker){test_context(), 0};
    assert_int_equal(pthread_create(&threads[t], NULL, work, &w[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) {
    assert_int_equal(pthread_join(threads[t], &result), 0);
    assert_ptr_equal(result, &w[t]);
    reports += w[t].reports;
  }
  assert_in_range(reports, CALLS, THREADS * CALLS);
  assert_ok(GpuArray_zeros(&last, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_sync(&last));
  GpuArray_clear(&last);
}

/* --- indices that a kernel only looks at --- */

static void check_copies(void) {
  const size_t n = 3;
  const int32_t at[3] = {2, -1, 3};
  GpuArray index, out;
  GpuLaunch *l;

  test_array(&index, GA_INT, 1, &n, at);
  assert_ok(GpuArray_empty(&out, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_check_index_prepare(&l, &out, &index, 4, 1, 1));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&out, at);
  GpuLaunch_free(l);
  assert_ok(GpuArray_check_index_prepare(&l, &index, &index, 4, 1, 0));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  assert_code(GA_VALUE_ERROR, GpuArray_sync(&out));
  assert_message(GA_VALUE_ERROR, "indices: index -1 at position 1 is out of "
                                 "range for axis 1 of size 4");
  test_array_equal(&index, at);
  GpuArray_clear(&index);
  GpuArray_clear(&out);
}

static void test_copies(void **state) {
  (void)state;
  test_mappings(check_copies);
}

static void test_copies_refused(void **state) {
  const size_t n = 3, m = 4;
  const float data[3] = {1, 2, 3};
  const int32_t at[4] = {2, 1, 3, 0};
  GpuArray index, out, floats, part;
  GpuLaunch *l;

  (void)state;
  test_array(&index, GA_INT, 1, &n, at);
  test_array(&out, GA_INT, 1, &m, at);
  test_array(&floats, GA_FLOAT, 1, &n, data);
  assert_code(GA_VALUE_ERROR,
              GpuArray_check_index_prepare(&l, &out, &index, 4, 0, 1));
  assert_message(GA_VALUE_ERROR, "result: expected 3 elements, got 4");
  assert_code(GA_VALUE_ERROR,
              GpuArray_check_index_prepare(&l, &floats, &floats, 4, 0, 1));
  assert_message(GA_VALUE_ERROR, "indices: expected integers, got float32");
  assert_ok(GpuArray_view(&part, &out));
  part.dimensions[0] = n;
  part.offset = 4;
  out.dimensions[0] = n;
  assert_code(GA_VALUE_ERROR,
              GpuArray_check_index_prepare(&l, &part, &out, 4, 0, 1));
  assert_message(GA_VALUE_ERROR, "result: overlaps indices");
  GpuArray_clear(&part);
  index.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR,
              GpuArray_check_index_prepare(&l, &index, &index, 4, 0, 1));
  assert_message(GA_READONLY_ERROR, "result: not writeable");
  GpuArray_clear(&index);
  GpuArray_clear(&out);
  GpuArray_clear(&floats);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, guard_on, guard_back)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_calls),          TEST(test_wide_indices),
      TEST(test_gaps),           TEST(test_off),
      TEST(test_launch),         TEST(test_label),
      TEST(test_other_launches), TEST(test_late),
      TEST(test_once),           TEST(test_check),
      TEST(test_stream),         TEST(test_two_contexts),
      TEST(test_threads),        TEST(test_copies),
      TEST(test_copies_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
