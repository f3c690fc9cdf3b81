/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices in archives: written and read, read from other formats, and
 * what is refused. */
#include "sparse/csr_case.h"

#include <stdio.h>

#include <gpuarray/npy.h>

#include "base/alloc.h"
#include "io/npz.h"
#include "support/tmpfile.h"

static char path[4096];

static void same_array(const GpuArray *a, const GpuArray *b) {
  const size_t bytes = test_size(b) * GpuArray_ITEMSIZE(b);
  char *want = malloc(bytes + 1);

  assert_int_equal(a->typecode, b->typecode);
  assert_int_equal(test_size(a), test_size(b));
  test_gather(b, want);
  test_array_equal(a, want);
  free(want);
}

static void same_matrix(const GpuCsr *a, const GpuCsr *b) {
  assert_int_equal(a->n_rows, b->n_rows);
  assert_int_equal(a->n_columns, b->n_columns);
  same_array(&a->starts, &b->starts);
  same_array(&a->columns, &b->columns);
  same_array(&a->values, &b->values);
}

static void check_round(size_t rows, size_t columns, int dtype, int index,
                        int compress) {
  host h = host_random(rows, columns, 40, 1);
  GpuCsr m = host_matrix(&h, dtype, index), got;

  assert_ok(GpuCsr_save_npz(&m, path, compress));
  assert_ok(GpuCsr_load_npz(&got, test_context(), path));
  same_matrix(&got, &m);
  GpuCsr_clear(&got);
  if (dtype == GA_FLOAT) {
    assert_ok(GpuCsr_save_coo_npz(&m, path, compress));
    assert_ok(GpuCsr_load_npz(&got, test_context(), path));
    same_matrix(&got, &m);
    GpuCsr_clear(&got);
  }
  GpuCsr_clear(&m);
  host_free(&h);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  check_round(5, 7, GA_FLOAT, GA_INT, 0);
  check_round(0, 3, GA_FLOAT, GA_INT, 1);
  check_round(3, 0, GA_FLOAT, GA_INT, 0);
  if (!test_is_quick())
    check_round(30, 20, GA_CFLOAT, GA_LONG, 1);
}

/* As NumPy writes a string of three bytes. */
static void format_is_a_string(void **state) {
  static const char start[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '|S3', "
                              "'fortran_order': False, 'shape': (), } ";
  host h = host_random(2, 2, 100, 0);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);
  unsigned char bytes[200];
  gpunpz *z;
  size_t n;

  (void)state;
  assert_ok(GpuCsr_save_npz(&m, path, 1));
  assert_ok(gpunpz_open(&z, path));
  assert_ok(ga__npz_read(bytes, sizeof bytes, &n, z, "format"));
  assert_int_equal(n, 128 + 3);
  assert_memory_equal(bytes, start, sizeof start - 1);
  assert_memory_equal(bytes + 126, " \ncsr", 5);
  gpunpz_close(z);
  GpuCsr_clear(&m);
  host_free(&h);
}

/* --- files of other formats --- */

/* Write a file whose `format` has these bytes at its end. */
static void write_shaped(const char *format, const char *const *names,
                         const GpuArray *a, size_t n, const GpuArray *shape) {
  gpunpz_new *z;

  assert_ok(gpunpz_create(&z, path, 0));
  for (size_t i = 0; i < n; i++)
    assert_ok(gpunpz_add(z, names[i], &a[i]));
  assert_ok(ga__npz_write(z, "format", format, strlen(format)));
  assert_ok(gpunpz_add(z, "shape", shape));
  assert_ok(gpunpz_finish(z, 1));
}

static void write_file(const char *format, const char *const *names,
                       const GpuArray *a, size_t n, const int64_t *shape) {
  GpuArray s;

  test_array(&s, GA_LONG, 1, (size_t[]){2}, shape);
  write_shaped(format, names, a, n, &s);
  GpuArray_clear(&s);
}

static const char *const lines[] = {"indptr", "indices", "data"};
static const char *const entries[] = {"row", "col", "data"};

static void columns_are_read(void **state) {
  host h = host_random(4, 6, 50, 2);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT), t, got;
  GpuArray a[3];

  (void)state;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  write_file("header csc", lines, a, 3, (int64_t[]){6, 4});
  assert_ok(GpuCsr_load_npz(&got, test_context(), path));
  assert_ok(GpuCsr_transpose(&t, &m));
  same_matrix(&got, &t);
  arrays_clear(3, a);
  GpuCsr_clear(&m);
  GpuCsr_clear(&t);
  GpuCsr_clear(&got);
  host_free(&h);
}

static void entries_are_read(void **state) {
  const float sums[] = {5, 2, 3};
  GpuArray a[3];
  GpuCsr got;

  (void)state;
  array_of_integers(&a[0], GA_INT, 4, (int64_t[]){0, 2, 1, 0});
  array_of_integers(&a[1], GA_INT, 4, (int64_t[]){1, 0, 1, 1});
  array_of_numbers(&a[2], GA_FLOAT, 4, (double[8]){1, 0, 3, 0, 2, 0, 4, 0});
  write_file("header coo", entries, a, 3, (int64_t[]){3, 2});
  assert_ok(GpuCsr_load_npz(&got, test_context(), path));
  assert_int_equal(got.n_rows, 3);
  assert_int_equal(got.n_columns, 2);
  test_array_close(&got.values, sums, 0, 0);
  arrays_clear(3, a);
  GpuCsr_clear(&got);
}

/* --- refused --- */

static void check_refused(int code, const char *message) {
  GpuCsr m;

  assert_code(code, GpuCsr_load_npz(&m, test_context(), path));
  assert_message(code, message);
}

/* Shapes that are not two of int64. */
static void shapes_are_checked(void **state) {
  const int64_t sizes[3] = {4, 6, 1};
  const struct {
    int dtype;
    unsigned int nd;
    size_t dims[2];
  } bad[] = {{GA_LONG, 1, {1}},
             {GA_LONG, 1, {3}},
             {GA_LONG, 2, {2, 1}},
             {GA_ULONG, 1, {2}},
             {GA_INT, 1, {2}}};
  host h = host_random(4, 6, 50, 2);
  GpuArray a[3], s;

  (void)state;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    test_array(&s, bad[i].dtype, bad[i].nd, bad[i].dims, sizes);
    write_shaped("header csr", lines, a, 3, &s);
    check_refused(GA_VALUE_ERROR, "the shape is not two of int64");
    GpuArray_clear(&s);
  }
  write_file("header csr", lines, a, 3, (int64_t[]){4, -6});
  check_refused(GA_VALUE_ERROR, "the shape is 4 x -6");
  write_file("header csc", lines, a, 3, (int64_t[]){6, 5});
  check_refused(GA_VALUE_ERROR, "5 starts of 5 lines");
  arrays_clear(3, a);
  host_free(&h);
}

/* The longest `format`, and one without a header. */
static void formats_have_a_length(void **state) {
  host h = host_random(4, 6, 50, 2);
  char most[1025];
  GpuArray a[3];
  GpuCsr m;

  (void)state;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  memset(most, 'x', sizeof most);
  memcpy(most + 1021, "csr", 4);
  write_file(most, lines, a, 3, (int64_t[]){4, 6});
  assert_ok(GpuCsr_load_npz(&m, test_context(), path));
  GpuCsr_clear(&m);
  write_file("csr", lines, a, 3, (int64_t[]){4, 6});
  check_refused(GA_UNSUPPORTED_ERROR, "none of csr, csc and coo");
  arrays_clear(3, a);
  host_free(&h);
}

/* A failure that is no error changes nothing. */
static void check_file(int err, const GpuCsr *want) {
  GpuCsr got;

  assert_int_equal(test_file_exists(path), err == GA_NO_ERROR);
  if (err != GA_NO_ERROR)
    assert_int_equal(err, GA_MEMORY_ERROR);
  else
    assert_ok(GpuCsr_load_npz(&got, test_context(), path));
  if (err == GA_NO_ERROR) {
    same_matrix(&got, want);
    GpuCsr_clear(&got);
  }
}

static void saves_need_memory(void **state) {
  host h = host_random(4, 4, 50, 2);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);

  (void)state;
  for (long nth = 1, left = 0; left <= 0; nth++) {
    remove(path);
    ga__alloc_fail(nth, 0);
    const int err = GpuCsr_save_npz(&m, path, 1);
    left = ga__alloc_fail(0, 0);
    check_file(err, &m);
  }
  GpuCsr_clear(&m);
  host_free(&h);
}

/* The rows are computed. */
static void saves_of_entries_need_memory(void **state) {
  host h = host_random(4, 4, 50, 2);
  GpuCsr m = host_matrix(&h, GA_FLOAT, GA_INT);

  (void)state;
  for (long nth = 1, left = 0; left <= 0; nth++) {
    remove(path);
    ga__alloc_fail(nth, 0);
    const int err = GpuCsr_save_coo_npz(&m, path, 1);
    left = ga__alloc_fail(0, 0);
    check_file(err, &m);
  }
  GpuCsr_clear(&m);
  host_free(&h);
}

static void load_without_memory(void) {
  GpuCsr want, got;

  assert_ok(GpuCsr_load_npz(&want, test_context(), path));
  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__alloc_fail(nth, 0);
    const int err = GpuCsr_load_npz(&got, test_context(), path);
    left = ga__alloc_fail(0, 0);
    if (err == GA_NO_ERROR) {
      same_matrix(&got, &want);
      GpuCsr_clear(&got);
    } else {
      assert_int_equal(err, GA_MEMORY_ERROR);
    }
  }
  GpuCsr_clear(&want);
}

static void loads_need_memory(void **state) {
  host h = host_random(4, 4, 50, 2);
  GpuArray a[3], coo[3];

  (void)state;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  array_of_integers(&coo[0], GA_INT, 2, (int64_t[]){0, 2});
  array_of_integers(&coo[1], GA_INT, 2, (int64_t[]){1, 0});
  array_of_numbers(&coo[2], GA_FLOAT, 2, (double[4]){1, 0, 3, 0});
  write_file("header csr", lines, a, 3, (int64_t[]){4, 4});
  load_without_memory();
  write_file("header csc", lines, a, 3, (int64_t[]){4, 4});
  load_without_memory();
  write_file("header coo", entries, coo, 3, (int64_t[]){4, 4});
  load_without_memory();
  arrays_clear(3, a);
  arrays_clear(3, coo);
  host_free(&h);
}

static void others_are_refused(void **state) {
  host h = host_random(4, 6, 50, 2);
  char long_one[1100];
  GpuArray a[3];
  GpuCsr m;

  (void)state;
  host_arrays(a, &h, GA_FLOAT, GA_INT);
  memset(long_one, 'x', sizeof long_one);
  long_one[sizeof long_one - 1] = '\0';
  write_file("header dia", lines, a, 3, (int64_t[]){4, 6});
  check_refused(GA_UNSUPPORTED_ERROR, "none of csr, csc and coo");
  write_file("sr", lines, a, 3, (int64_t[]){4, 6});
  check_refused(GA_UNSUPPORTED_ERROR, "none of csr, csc and coo");
  write_file(long_one, lines, a, 3, (int64_t[]){4, 6});
  check_refused(GA_VALUE_ERROR, "has 1099 bytes, expected 1024 at most");
  write_file("header csr", lines, a, 2, (int64_t[]){4, 6});
  check_refused(GA_VALUE_ERROR, "has no entry \"data\"");
  write_file("header coo", lines, a, 3, (int64_t[]){4, 6});
  check_refused(GA_VALUE_ERROR, "has no entry \"row\"");
  write_file("header csr", lines, a, 3, (int64_t[]){5, 6});
  check_refused(GA_VALUE_ERROR, "5 starts of 5 lines");
  write_file("header csr", lines, a, 3, (int64_t[]){4, 2});
  check_refused(GA_VALUE_ERROR, "is out of range for 2 columns");
  write_file("header csr", lines, a, 3, (int64_t[]){-4, 6});
  check_refused(GA_VALUE_ERROR, "the shape is -4 x 6");
  remove(path);
  check_refused(GA_SYS_ERROR, "sparse.npz");
  assert_code(GA_INVALID_ERROR, GpuCsr_load_npz(NULL, test_context(), path));
  assert_message(GA_INVALID_ERROR, "the result is missing");
  assert_code(GA_INVALID_ERROR, GpuCsr_load_npz(&m, NULL, path));
  assert_message(GA_INVALID_ERROR, "the context is missing");
  assert_code(GA_INVALID_ERROR, GpuCsr_load_npz(&m, test_context(), NULL));
  assert_message(GA_INVALID_ERROR, "the path is missing");
  assert_code(GA_INVALID_ERROR, GpuCsr_save_npz(NULL, path, 0));
  m = (GpuCsr){4, 6, a[0], a[1], a[2]};
  assert_code(GA_INVALID_ERROR, GpuCsr_save_npz(&m, NULL, 0));
  assert_code(GA_INVALID_ERROR, GpuCsr_save_coo_npz(&m, NULL, 0));
  m.n_columns = 2;
  assert_code(GA_VALUE_ERROR, GpuCsr_save_npz(&m, path, 0));
  arrays_clear(3, a);
  host_free(&h);
}

static int setup(void **state) {
  (void)state;
  snprintf(path, sizeof path, "%s", test_file_path("sparse.npz"));
  return 0;
}

static int teardown(void **state) {
  remove(path);
  return test_context_drop(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(format_is_a_string),
      cmocka_unit_test(columns_are_read),
      cmocka_unit_test(entries_are_read),
      cmocka_unit_test(shapes_are_checked),
      cmocka_unit_test(formats_have_a_length),
      cmocka_unit_test(saves_of_entries_need_memory),
      cmocka_unit_test(saves_need_memory),
      cmocka_unit_test(loads_need_memory),
      cmocka_unit_test(others_are_refused),
  };

  return cmocka_run_group_tests(tests, setup, teardown);
}
