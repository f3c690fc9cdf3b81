/* SPDX-License-Identifier: BSD-2-Clause */
/* Minibatches: which rows, in which order, from which place. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <gpuarray/npy.h>
#include <gpugraph/batches.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 23, COLS = 3, SIZE = 5 };

static float x_data[ROWS][COLS];
static int64_t y_data[ROWS];

static const gg_host_array arrays[2] = {
    {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, COLS}, .data = x_data},
    {.dtype = GA_LONG, .nd = 1, .dims = {ROWS}, .data = y_data}};

static int setup(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    y_data[i] = i;
    for (int k = 0; k < COLS; k++)
      x_data[i][k] = (float)(10 * i + k);
  }
  return 0;
}

static gg_batches *made(uint64_t seed, int drop_last) {
  gg_batches *b;

  assert_ok(gg_batches_new(
      &b, test_context(), 2, arrays,
      &(gg_batches_spec){.size = SIZE, .seed = seed, .drop_last = drop_last}));
  return b;
}

/* The labels of the next batch, after a look at its rows; how many. */
static size_t take(gg_batches *b, int64_t *labels) {
  GpuArray *const *now;
  float x[SIZE][COLS];

  assert_ok(gg_batches_next(b, &now));
  const size_t n = now[1]->dimensions[0];
  assert_int_equal(now[0]->nd, 2);
  assert_int_equal(now[0]->dimensions[0], n);
  assert_ok(GpuArray_read(labels, n * sizeof *labels, now[1]));
  assert_ok(GpuArray_read(x, n * sizeof x[0], now[0]));
  for (size_t i = 0; i < n; i++)
    assert_memory_equal(x[i], x_data[labels[i]], sizeof x[0]);
  return n;
}

/* All rows of an epoch, each once. */
static void take_epoch(gg_batches *b, int64_t *order) {
  int seen[ROWS] = {0};

  for (size_t i = 0; i < gg_batches_count(b); i++)
    assert_int_equal(take(b, order + SIZE * i),
                     i + 1 < 5 ? (size_t)SIZE : (size_t)ROWS % SIZE);
  for (int i = 0; i < ROWS; i++)
    seen[order[i]]++;
  for (int i = 0; i < ROWS; i++)
    assert_int_equal(seen[i], 1);
}

static void epochs_have_each_row_once(void **state) {
  int64_t first[ROWS], second[ROWS], other[ROWS];
  gg_batches *b = made(7, 0), *c = made(8, 0);

  (void)state;
  assert_int_equal(gg_batches_count(b), 5);
  assert_int_equal(gg_batches_rows(b), ROWS);
  take_epoch(b, first);
  take_epoch(b, second);
  take_epoch(c, other);
  assert_memory_not_equal(first, second, sizeof first);
  assert_memory_not_equal(first, other, sizeof first);
  assert_true(gg_batches_waited(b) >= 0);
  gg_batches_free(b);
  gg_batches_free(c);
}

static void rows_stay_in_order_without_a_seed(void **state) {
  int64_t order[ROWS];
  gg_batches *b = made(0, 0);

  (void)state;
  for (int round = 0; round < 2; round++) {
    take_epoch(b, order);
    assert_memory_equal(order, y_data, sizeof order);
  }
  gg_batches_free(b);
}

static void the_last_batch_is_dropped(void **state) {
  int64_t order[SIZE];
  gg_batches *b = made(3, 1);

  (void)state;
  assert_int_equal(gg_batches_count(b), 4);
  for (int i = 0; i < 9; i++)
    assert_int_equal(take(b, order), SIZE);
  gg_batches_free(b);
}

static void any_batch_is_found_again(void **state) {
  int64_t order[12][SIZE] = {{0}}, again[SIZE];
  gg_batches *b = made(9, 0);
  size_t n[12];

  (void)state;
  for (int i = 0; i < 12; i++)
    n[i] = take(b, order[i]);
  for (size_t i = 0; i < 12; i += 3) {
    assert_ok(gg_batches_seek(b, i / 5, i % 5));
    for (size_t k = i; k < i + 2; k++) {
      assert_int_equal(take(b, again), n[k]);
      assert_memory_equal(again, order[k], n[k] * sizeof *again);
    }
  }
  assert_code(GA_VALUE_ERROR, gg_batches_seek(b, 0, 5));
  gg_batches_free(b);
}

/* Files in C and Fortran order. */
static void files_give_the_same_batches(void **state) {
  char x_path[512], y_path[512];
  const char *paths[2] = {x_path, y_path};
  int64_t one[ROWS], other[ROWS];
  GpuArray x, y, turned;
  gg_batches *b = made(5, 0), *c;
  const gg_batches_spec spec = {.size = SIZE, .seed = 5};

  (void)state;
  snprintf(x_path, sizeof x_path, "%s", test_file_path("batches_x.npy"));
  snprintf(y_path, sizeof y_path, "%s", test_file_path("batches_y.npy"));
  test_array(&x, GA_FLOAT, 2, arrays[0].dims, x_data);
  test_array(&y, GA_LONG, 1, arrays[1].dims, y_data);
  assert_ok(GpuArray_copy(&turned, &x, GA_F_ORDER));
  assert_ok(GpuArray_save_npy(&turned, x_path));
  assert_ok(GpuArray_save_npy(&y, y_path));
  assert_ok(gg_batches_npy(&c, test_context(), 2, paths, &spec));
  take_epoch(b, one);
  take_epoch(c, other);
  assert_memory_equal(one, other, sizeof one);
  gg_batches_free(c);
  remove(x_path);
  assert_code(GA_SYS_ERROR,
              gg_batches_npy(&c, test_context(), 2, paths, &spec));
  assert_null(c);
  remove(y_path);
  gg_batches_free(b);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&turned);
}

static void refuses(int code, unsigned int n, const gg_host_array *list,
                    size_t size, int drop_last, const char *part) {
  gg_batches *b = (gg_batches *)&b;

  assert_code(code, gg_batches_new(&b, test_context(), n, list,
                                   &(gg_batches_spec){.size = size,
                                                      .drop_last = drop_last}));
  assert_null(b);
  assert_message(code, part);
}

static void bad_arguments_are_refused(void **state) {
  gg_host_array bad[2] = {arrays[0], arrays[1]};
  GpuArray *const *now;
  gg_batches *b;

  (void)state;
  refuses(GA_INVALID_ERROR, 0, arrays, 5, 0, "batches of nothing");
  refuses(GA_INVALID_ERROR, 2, NULL, 5, 0, "batches of nothing");
  refuses(GA_VALUE_ERROR, 2, arrays, 0, 0, "batches of 0 rows");
  refuses(GA_VALUE_ERROR, 2, arrays, 24, 1, "23 rows are less");
  bad[1].dims[0] = 22;
  refuses(GA_VALUE_ERROR, 2, bad, 5, 0, "array 1 has 22 rows, expected 23");
  bad[1].dims[0] = bad[0].dims[0] = 0;
  refuses(GA_VALUE_ERROR, 2, bad, 5, 0, "array 0 has 0 rows");
  bad[0].dims[0] = SIZE_MAX / 2;
  refuses(GA_XLARGE_ERROR, 1, bad, 5, 0, "too large");
  bad[0].nd = 0;
  refuses(GA_VALUE_ERROR, 1, bad, 5, 0, "0 axes");
  bad[0].data = NULL;
  refuses(GA_INVALID_ERROR, 1, bad, 5, 0, "no data");
  bad[0].dtype = 12345;
  refuses(GA_INVALID_ERROR, 1, bad, 5, 0, "no dtype");
  assert_code(GA_INVALID_ERROR, gg_batches_new(&b, NULL, 2, arrays, NULL));
  assert_code(GA_INVALID_ERROR, gg_batches_new(NULL, NULL, 2, arrays, NULL));
  assert_code(GA_INVALID_ERROR, gg_batches_npy(NULL, NULL, 2, NULL, NULL));
  assert_code(GA_INVALID_ERROR, gg_batches_next(NULL, &now));
  assert_code(GA_INVALID_ERROR, gg_batches_seek(NULL, 0, 0));
  gg_batches_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(epochs_have_each_row_once),
      cmocka_unit_test(rows_stay_in_order_without_a_seed),
      cmocka_unit_test(the_last_batch_is_dropped),
      cmocka_unit_test(any_batch_is_found_again),
      cmocka_unit_test(files_give_the_same_batches),
      cmocka_unit_test(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, setup, test_context_drop);
}
