/* SPDX-License-Identifier: BSD-2-Clause */
/* More than 2^32 elements: views that repeat a few, and where the device has
 * the memory, arrays of them. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/reduction.h>

#define ROW ((size_t)65536)
#define ROWS (ROW + 3)
#define N (ROWS * ROW)

/* --- repeated elements --- */

/* ROWS x ROW elements, of which those of a row are one. */
static void repeat_rows(GpuArray *a, const GpuArray *column) {
  const size_t dims[2] = {ROWS, ROW};
  const ssize_t strides[2] = {1, 0};

  assert_ok(GpuArray_fromdata(a, column->data, column->offset, GA_UBYTE, 2,
                              dims, strides, 0));
}

static void test_repeated(void **state) {
  const size_t dims[1] = {ROWS};
  const unsigned int axes[2] = {0, 1};
  const unsigned char three = 3, two = 2;
  GpuArray column, a, r, at;
  uint64_t sum = 0, where = 0;
  unsigned char most = 0;

  (void)state;
  assert_ok(
      GpuArray_zeros(&column, test_context(), GA_UBYTE, 1, dims, GA_C_ORDER));
  assert_ok(gpudata_write(column.data, ROWS - 1, &three, 1));
  assert_ok(gpudata_write(column.data, 5, &two, 1));
  repeat_rows(&a, &column);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 0, -1, -1));
  assert_ok(GpuArray_read(&sum, sizeof sum, &r));
  assert_true(sum == 5 * ROW);
  GpuArray_clear(&r);
  assert_ok(GpuArray_empty(&r, test_context(), GA_UBYTE, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_empty(&at, test_context(), GA_LONG, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_maxandargmax(&r, &at, &a, 2, axes));
  assert_ok(GpuArray_read(&most, 1, &r));
  assert_ok(GpuArray_read(&where, sizeof where, &at));
  assert_int_equal(most, 3);
  assert_true(where == (ROWS - 1) * ROW);
  GpuArray_clear(&at);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  GpuArray_clear(&column);
}

/* --- all of them --- */

static void need_memory(size_t arrays) {
  size_t largest = 0, free_bytes = 0;

  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_LARGEST_MEMBLOCK,
                                &largest));
  assert_ok(
      gpucontext_property(test_context(), GA_CTX_PROP_FREE_GMEM, &free_bytes));
  /* Buffers are a sixteenth larger at most. */
  if (largest >= N + N / 16 && free_bytes >= arrays * (N + N / 16))
    return;
  print_message("%zu arrays of %zu bytes, the device has %zu and at most %zu "
                "in one: skipped\n",
                arrays, N, free_bytes, largest);
  skip();
}

static void make(GpuArray *a) {
  const size_t dims[2] = {ROWS, ROW};

  assert_ok(GpuArray_zeros(a, test_context(), GA_UBYTE, 2, dims, GA_C_ORDER));
}

/* The byte at position `at`. */
static unsigned char get(const GpuArray *a, size_t at) {
  unsigned char v = 0;

  assert_ok(gpudata_read(&v, a->data, a->offset + at, 1));
  return v;
}

static void put(GpuArray *a, size_t at, unsigned char v) {
  assert_ok(gpudata_write(a->data, a->offset + at, &v, 1));
}

/* Positions on both sides of the limits of 31 and 32 bits. */
static const size_t places[] = {0,
                                ((size_t)1 << 31) - 1,
                                (size_t)1 << 31,
                                ((size_t)1 << 32) - 1,
                                (size_t)1 << 32,
                                N - 1};
#define N_PLACES (sizeof places / sizeof *places)

static void test_elements(void **state) {
  gpuelemwise_arg args[3] = {{"a", GA_UBYTE, GE_READ},
                             {"b", GA_UBYTE, GE_READ},
                             {"c", GA_UBYTE, GE_WRITE}};
  GpuArray a, b, c;
  GpuElemwise *ge;
  void *call[3] = {&a, &b, &c};

  (void)state;
  need_memory(3);
  make(&a);
  make(&b);
  make(&c);
  assert_ok(GpuArray_memset(&a, 4));
  for (size_t i = 0; i < N_PLACES; i++)
    put(&b, places[i], (unsigned char)(10 + i));
  ge = GpuElemwise_new(test_context(), "", "c = a + b", 3, args, 2, 0);
  assert_non_null(ge);
  assert_ok(GpuElemwise_call(ge, call, 0));
  for (size_t i = 0; i < N_PLACES; i++) {
    assert_int_equal(get(&c, places[i]), 14 + i);
    if (places[i] + 1 < N &&
        (i + 1 == N_PLACES || places[i + 1] > places[i] + 1))
      assert_int_equal(get(&c, places[i] + 1), 4);
  }
  GpuElemwise_free(ge);
  GpuArray_clear(&c);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

static void test_copies(void **state) {
  const size_t turned[2] = {ROW, ROWS};
  GpuArray a, t;

  (void)state;
  test_need_full();
  need_memory(2);
  make(&a);
  for (size_t i = 0; i < N_PLACES; i++)
    put(&a, places[i], (unsigned char)(10 + i));
  assert_ok(GpuArray_transpose_inplace(&a, NULL));
  assert_ok(
      GpuArray_empty(&t, test_context(), GA_UBYTE, 2, turned, GA_C_ORDER));
  assert_ok(GpuArray_setarray(&t, &a));
  for (size_t i = 0; i < N_PLACES; i++)
    assert_int_equal(get(&t, places[i] % ROW * ROWS + places[i] / ROW), 10 + i);
  /* Within the buffer, with overlap. */
  assert_ok(gpudata_move(a.data, 0, a.data, 1, N - 1));
  for (size_t i = 1; i < N_PLACES; i++)
    assert_int_equal(get(&a, places[i] - 1), 10 + i);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}

static void test_rows(void **state) {
  const int64_t rows[3] = {ROWS - 1, 0, 32768};
  const size_t n = 3, dims[2] = {3, ROW};
  GpuArray a, i, r;

  (void)state;
  test_need_full();
  need_memory(1);
  make(&a);
  put(&a, (ROWS - 1) * ROW + 7, 1);
  put(&a, 7, 2);
  put(&a, 32768 * ROW + 7, 3);
  test_array(&i, GA_LONG, 1, &n, rows);
  assert_ok(GpuArray_empty(&r, test_context(), GA_UBYTE, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_take1(&r, &a, &i, 1));
  for (size_t k = 0; k < 3; k++)
    assert_int_equal(get(&r, k * ROW + 7), k + 1);
  GpuArray_clear(&r);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
}

static void test_reductions(void **state) {
  const unsigned int axes[2] = {0, 1};
  GpuArray a, r, at;
  uint64_t sum = 0, where = 0;

  (void)state;
  test_need_full();
  need_memory(1);
  make(&a);
  assert_ok(GpuArray_memset(&a, 1));
  put(&a, N - 1, 9);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 0, -1, -1));
  assert_ok(GpuArray_read(&sum, sizeof sum, &r));
  assert_true(sum == N + 8);
  GpuArray_clear(&r);
  assert_ok(GpuArray_empty(&r, test_context(), GA_UBYTE, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_empty(&at, test_context(), GA_LONG, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_maxandargmax(&r, &at, &a, 2, axes));
  assert_ok(GpuArray_read(&where, sizeof where, &at));
  assert_int_equal(get(&r, 0), 9);
  assert_true(where == N - 1);
  GpuArray_clear(&at);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

static void test_views_and_joins(void **state) {
  const ssize_t starts[2] = {ROWS - 1, ROW - 1}, stops[2] = {-1, -1};
  const ssize_t steps[2] = {-1, -1};
  size_t at[1] = {ROWS - 2};
  GpuArray a, back, head, tail, *parts[2] = {&head, &tail}, joined;
  const GpuArray *list[2] = {&tail, &head};

  (void)state;
  test_need_full();
  need_memory(2);
  make(&a);
  put(&a, 3, 1);
  put(&a, (ROWS - 2) * ROW + 3, 2);
  assert_ok(GpuArray_index(&back, &a, starts, stops, steps));
  assert_int_equal(back.offset, N - 1);
  assert_ok(GpuArray_split(parts, &a, 1, at, 0));
  assert_int_equal(tail.offset, (ROWS - 2) * ROW);
  assert_ok(GpuArray_concatenate(&joined, list, 2, 0, GA_UBYTE));
  assert_int_equal(get(&joined, 3), 2);
  assert_int_equal(get(&joined, 2 * ROW + 3), 1);
  assert_ok(GpuArray_setarray(&joined, &back));
  assert_int_equal(get(&joined, N - 1 - 3), 1);
  assert_int_equal(get(&joined, 2 * ROW - 1 - 3), 2);
  GpuArray_clear(&joined);
  GpuArray_clear(&tail);
  GpuArray_clear(&head);
  GpuArray_clear(&back);
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_repeated),   cmocka_unit_test(test_elements),
      cmocka_unit_test(test_copies),     cmocka_unit_test(test_rows),
      cmocka_unit_test(test_reductions), cmocka_unit_test(test_views_and_joins),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
