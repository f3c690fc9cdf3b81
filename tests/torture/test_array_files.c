/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of arrays whose file operations fail, one after the other: what is
 * loaded is right or the failure is reported, and what is saved is whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/npy.h>
#include <gpuarray/sparse.h>

#include "base/err.h"
#include "support/device.h"
#include "support/tmpfile.h"
#include "torture/file_fault.h"

static const float values[4] = {1, -2, 3, 0.5f};
static GpuArray array;
static GpuCsr matrix;
static char path[1024];

/* --- what may fail --- */

static int check(GpuArray *a) {
  test_array_equal(a, values);
  GpuArray_clear(a);
  return GA_NO_ERROR;
}

static int save_npy(void) {
  return GpuArray_save_npy(&array, path);
}

static int load_npy(void) {
  GpuArray a;

  GA_TRY(GpuArray_load_npy(&a, test_context(), path));
  return check(&a);
}

static int save_npz(void) {
  gpunpz_new *z;

  GA_TRY(gpunpz_create(&z, path, 1));
  const int err = gpunpz_add(z, "a", &array);
  const int end = gpunpz_finish(z, 1);
  return err != GA_NO_ERROR ? err : end;
}

static int load_npz(void) {
  GpuArray a;
  gpunpz *z;

  GA_TRY(gpunpz_open(&z, path));
  const int err = gpunpz_load(&a, test_context(), z, "a");
  gpunpz_close(z);
  return err != GA_NO_ERROR ? err : check(&a);
}

static int map_npz(void) {
  gpunpy a;

  GA_TRY(gpunpz_map(&a, path, "a"));
  assert_memory_equal(a.data, values, sizeof values);
  gpunpy_unmap(&a);
  return GA_NO_ERROR;
}

static int save_csr(void) {
  return GpuCsr_save_npz(&matrix, path, 0);
}

static int load_csr(void) {
  GpuCsr m;

  GA_TRY(GpuCsr_load_npz(&m, test_context(), path));
  assert_int_equal(m.n_rows, 1);
  assert_int_equal(m.n_columns, 4);
  test_array_equal(&m.values, values);
  GpuCsr_clear(&m);
  return GA_NO_ERROR;
}

/* --- failures --- */

static int fail_nth(int (*work)(void), long nth) {
  const long open = file_fault_open();

  file_fault_arm(nth, EIO, 0);
  const int err = work();
  file_fault_disarm(NULL);
  assert_int_equal(file_fault_open(), open);
  if (err != GA_NO_ERROR)
    assert_int_equal(err, GA_SYS_ERROR);
  return err;
}

static long calls_of(int (*work)(void)) {
  file_fault_arm(0, 0, 0);
  assert_ok(work());
  return file_fault_disarm(NULL);
}

/* Most operations matter; those that do not change nothing. */
static void check_loads(int (*save)(void), int (*load)(void)) {
  long failed = 0;

  assert_ok(save());
  const long calls = calls_of(load);
  for (long nth = 1; nth <= calls; nth++)
    failed += fail_nth(load, nth) != GA_NO_ERROR;
  assert_true(failed >= calls - 2);
}

/* After a save that succeeds, the file is whole; after one that fails, it is
 * the old one or whole. */
static void check_saves(int (*save)(void), int (*load)(void)) {
  const long calls = calls_of(save);
  size_t n;

  for (long nth = 1; nth <= calls; nth++) {
    test_file_write(path, "old", 3);
    const int err = fail_nth(save, nth);
    unsigned char *now = test_file_read(path, &n);
    if (err == GA_NO_ERROR || n != 3)
      assert_ok(load());
    free(now);
  }
}

static void arrays_are_whole(void **state) {
  (void)state;
  check_saves(save_npy, load_npy);
  check_loads(save_npy, load_npy);
}

static void archives_are_whole(void **state) {
  (void)state;
  check_saves(save_npz, load_npz);
  check_loads(save_npz, load_npz);
  check_loads(save_npz, map_npz);
}

static void matrices_are_whole(void **state) {
  (void)state;
  check_saves(save_csr, load_csr);
  check_loads(save_csr, load_csr);
}

static int setup(void **state) {
  const int starts[2] = {0, 4}, columns[4] = {0, 1, 2, 3};
  GpuArray a[2];

  (void)state;
  snprintf(path, sizeof path, "%s", test_file_path("faults"));
  test_array(&array, GA_FLOAT, 1, (size_t[]){4}, values);
  test_array(&a[0], GA_INT, 1, (size_t[]){2}, starts);
  test_array(&a[1], GA_INT, 1, (size_t[]){4}, columns);
  assert_ok(GpuCsr_make(&matrix, 4, &a[0], &a[1], &array));
  GpuArray_clear(&a[0]);
  GpuArray_clear(&a[1]);
  return 0;
}

static int teardown(void **state) {
  GpuArray_clear(&array);
  GpuCsr_clear(&matrix);
  return test_context_drop(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_are_whole),
      cmocka_unit_test(archives_are_whole),
      cmocka_unit_test(matrices_are_whole),
  };

  return cmocka_run_group_tests(tests, setup, teardown);
}
