/* SPDX-License-Identifier: BSD-2-Clause */
/* Data from files: what is read, and what is refused with which words. */
#include "base/alloc.h"
#include "support/device.h"
#include "support/locale.h"
#include "support/tmpfile.h"

#include <gpuarray/npy.h>
#include <gpugraph/batches.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *written(const void *bytes, size_t n) {
  const char *path = test_file_path("data.in");

  test_file_write(path, bytes, n);
  return path;
}

/* --- IDX --- */

#define IDX(text) idx("" text, sizeof(text) - 1)

static int idx_code;

static gg_data *idx(const char *bytes, size_t n) {
  gg_data *d;

  idx_code = gg_data_idx(&d, written(bytes, n));
  return d;
}

static void idx_files_of_all_types_are_read(void **state) {
  gg_data *d = IDX("\0\0\x08\2\0\0\0\2\0\0\0\3abcdef");
  const gg_host_array *a = gg_data_array(d);

  (void)state;
  assert_int_equal(a->dtype, GA_UBYTE);
  assert_int_equal(a->nd, 2);
  assert_int_equal(a->dims[0], 2);
  assert_int_equal(a->dims[1], 3);
  assert_memory_equal(a->data, "abcdef", 6);
  gg_data_free(d);
  d = IDX("\0\0\x09\1\0\0\0\2\xff\x7f");
  assert_int_equal(((const signed char *)gg_data_array(d)->data)[0], -1);
  gg_data_free(d);
  d = IDX("\0\0\x0b\1\0\0\0\2\1\2\xff\xfe");
  assert_int_equal(((const short *)gg_data_array(d)->data)[0], 0x102);
  assert_int_equal(((const short *)gg_data_array(d)->data)[1], -2);
  gg_data_free(d);
  d = IDX("\0\0\x0c\1\0\0\0\1\1\2\3\4");
  assert_int_equal(*(const int *)gg_data_array(d)->data, 0x1020304);
  gg_data_free(d);
  d = IDX("\0\0\x0d\1\0\0\0\1\x3f\xc0\0\0");
  assert_true(*(const float *)gg_data_array(d)->data == 1.5f);
  gg_data_free(d);
  d = IDX("\0\0\x0e\1\0\0\0\1\xc0\4\0\0\0\0\0\0");
  assert_true(*(const double *)gg_data_array(d)->data == -2.5);
  gg_data_free(d);
}

#define REFUSED(code, part, text)                                              \
  do {                                                                         \
    assert_null(IDX(text));                                                    \
    assert_int_equal(idx_code, code);                                          \
    assert_message(code, part);                                                \
    assert_message(code, "data.in");                                           \
  } while (0)

static void idx_files_that_lie_are_refused(void **state) {
  gg_data *d;

  (void)state;
  REFUSED(GA_UNSUPPORTED_ERROR, "compressed by gzip", "\x1f\x8b\x08\0\0\0");
  REFUSED(GA_VALUE_ERROR, "0 bytes are no IDX file", "");
  REFUSED(GA_VALUE_ERROR, "begins with 00010801", "\0\1\x08\1\0\0\0\1a");
  REFUSED(GA_VALUE_ERROR, "begins with 00000a01", "\0\0\x0a\1\0\0\0\1a");
  REFUSED(GA_VALUE_ERROR, "has 0 axes", "\0\0\x08\0");
  REFUSED(GA_VALUE_ERROR, "has 9 axes", "\0\0\x08\x09");
  REFUSED(GA_VALUE_ERROR, "ends within its sizes", "\0\0\x08\2\0\0\0\1\0");
  REFUSED(GA_VALUE_ERROR, "axis 1 has size 0", "\0\0\x08\2\0\0\0\1\0\0\0\0");
  REFUSED(GA_VALUE_ERROR, "promises 3 bytes, 2 are there",
          "\0\0\x08\1\0\0\0\3ab");
  REFUSED(GA_VALUE_ERROR, "promises 3 bytes, 4 are there",
          "\0\0\x08\1\0\0\0\3abcd");
  REFUSED(GA_VALUE_ERROR, "more bytes than there can be",
          "\0\0\x0e\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  assert_code(GA_SYS_ERROR, gg_data_idx(&d, "/no/such/file"));
  assert_message(GA_SYS_ERROR, "/no/such/file");
  assert_code(GA_SYS_ERROR, gg_data_idx(&d, "/tmp"));
  assert_code(GA_INVALID_ERROR, gg_data_idx(&d, NULL));
  assert_code(GA_INVALID_ERROR, gg_data_idx(NULL, "x"));
}

/* --- CSV --- */

static gg_data *csv(const char *text, const gg_csv_spec *spec) {
  gg_data *d = NULL;

  assert_ok(gg_data_csv(&d, written(text, strlen(text)), spec));
  return d;
}

static void has(const gg_data *d, size_t rows, size_t columns,
                const double *want) {
  const gg_host_array *a = gg_data_array(d);

  assert_int_equal(a->nd, 2);
  assert_int_equal(a->dims[0], rows);
  assert_int_equal(a->dims[1], columns);
  for (size_t i = 0; i < rows * columns; i++) {
    const double got = test_get(a->data, a->dtype, i);
    assert_true(got == want[i] || (isnan(got) && isnan(want[i])));
  }
}

static void csv_files_are_read(void **state) {
  const double plain[4] = {1, -2.5, 3e4, 0.25};
  const double missing[6] = {1, NAN, NAN, NAN, 5, -INFINITY};
  gg_data *d = csv("1,-2.5\n3e4,.25\n", NULL);

  (void)state;
  has(d, 2, 2, plain);
  assert_int_equal(gg_data_array(d)->dtype, GA_FLOAT);
  assert_int_equal(gg_data_column(d, "a"), -1);
  gg_data_free(d);
  d = csv("\xef\xbb\xbf\"a, b\";second\r\n\r\n 1 ; \"-2.5\"\r\n\n+3E4;0.25",
          &(gg_csv_spec){.separator = ';', .header = 1, .dtype = GA_DOUBLE});
  has(d, 2, 2, plain);
  assert_int_equal(gg_data_array(d)->dtype, GA_DOUBLE);
  assert_int_equal(gg_data_column(d, "a, b"), 0);
  assert_int_equal(gg_data_column(d, "second"), 1);
  gg_data_free(d);
  d = csv("\"a\"\"b,c\",\"d\n1,2\n", &(gg_csv_spec){.header = 1});
  assert_int_equal(gg_data_column(d, "a\"b,c"), 0);
  assert_int_equal(gg_data_column(d, "\"d"), 1);
  gg_data_free(d);
  d = csv("1,,NA\nnan,5,-inf\n", &(gg_csv_spec){.missing = 1});
  has(d, 2, 3, missing);
  gg_data_free(d);
}

/* Numbers do not depend on the locale's decimal point. */
static void csv_files_are_the_same_in_each_locale(void **state) {
  const double want[2] = {1.5, -0.25};

  (void)state;
  test_comma_locale();
  gg_data *d = csv("1.5,-.25\n", NULL);
  has(d, 1, 2, want);
  gg_data_free(d);
  test_plain_locale();
}

static void csv_refuses(const char *text, const gg_csv_spec *spec,
                        const char *part) {
  gg_data *d = (gg_data *)&d;

  assert_code(GA_VALUE_ERROR,
              gg_data_csv(&d, written(text, strlen(text)), spec));
  assert_null(d);
  assert_message(GA_VALUE_ERROR, part);
}

static void csv_errors_name_line_and_column(void **state) {
  const gg_csv_spec header = {.header = 1};
  gg_data *d;

  (void)state;
  csv_refuses("1,2\n3,x4\n", NULL, "data.in:2: column 2: \"x4\" is no number");
  csv_refuses("a,b\n\n3,\n", &header, "data.in:3: column 2 has no value");
  csv_refuses("1,2\n3\n", NULL, "data.in:2: 1 columns, expected 2");
  csv_refuses("1,2\n3,4,5\n", NULL, "data.in:2: 3 columns, expected 2");
  csv_refuses("a,b\n1\n", &header, "data.in:2: 1 columns, expected 2");
  csv_refuses("1e39\n", NULL, "\"1e39\" is no number");
  csv_refuses("0x10\n", NULL, "\"0x10\" is no number");
  csv_refuses("1-2\n", NULL, "\"1-2\" is no number");
  csv_refuses("infinity\n", NULL, "\"infinity\" is no number");
  csv_refuses("", NULL, "has no rows");
  csv_refuses("a,b\n", &header, "has no rows");
  assert_code(GA_INVALID_ERROR,
              gg_data_csv(&d, "x", &(gg_csv_spec){.separator = '.'}));
  assert_code(GA_INVALID_ERROR,
              gg_data_csv(&d, "x", &(gg_csv_spec){.dtype = GA_INT}));
  assert_code(GA_SYS_ERROR, gg_data_csv(&d, "/no/such/file", NULL));
  assert_code(GA_INVALID_ERROR, gg_data_csv(&d, NULL, NULL));
}

static void bad_lines_are_left_out_if_asked(void **state) {
  const gg_csv_spec spec = {.skip_bad = 1};
  const double want[4] = {1, 2, 7, 8};
  gg_data *d = csv("1,2\n3,x\n5\n7,8\n", &spec);

  (void)state;
  has(d, 2, 2, want);
  assert_int_equal(gg_data_skipped(d), 2);
  assert_non_null(strstr(gg_data_skipped_why(d), "data.in:2: column 2"));
  gg_data_free(d);
  csv_refuses("x\n", &spec, "has no rows: ");
  assert_int_equal(gg_data_skipped(NULL), 0);
  assert_string_equal(gg_data_skipped_why(NULL), "");
}

/* Random numbers, written with 17 digits, are the same bits. */
static void csv_files_give_the_same_bits(void **state) {
  enum { ROWS = 50, COLUMNS = 7 };
  double v[ROWS * COLUMNS];
  char *text = malloc(sizeof v * 4), *at = text;

  (void)state;
  test_fill(v, GA_DOUBLE, ROWS * COLUMNS, -1e3, 1e3, 5);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    at += sprintf(at, "%.17g%c", v[i] * pow(10, i % 9 - 4),
                  i % COLUMNS < COLUMNS - 1 ? '\t' : '\n');
  for (int i = 0; i < ROWS * COLUMNS; i++)
    v[i] *= pow(10, i % 9 - 4);
  gg_data *d = csv(text, &(gg_csv_spec){.separator = '\t', .dtype = GA_DOUBLE});
  has(d, ROWS, COLUMNS, v);
  gg_data_free(d);
  free(text);
}

/* --- columns --- */

static void columns_become_arrays(void **state) {
  gg_data *d = csv("0.5,1,-3\n1.5,2,300\n", NULL), *part;
  const double two[4] = {0.5, 1, 1.5, 2};

  (void)state;
  assert_ok(gg_data_columns(&part, d, 0, 2, GA_DOUBLE));
  has(part, 2, 2, two);
  gg_data_free(part);
  assert_ok(gg_data_columns(&part, d, 2, 0, GA_SHORT));
  assert_int_equal(gg_data_array(part)->nd, 1);
  assert_int_equal(((const short *)gg_data_array(part)->data)[1], 300);
  gg_data_free(part);
  assert_code(GA_VALUE_ERROR, gg_data_columns(&part, d, 0, 0, GA_INT));
  assert_message(GA_VALUE_ERROR, "row 1, column 1: 0.5 is no int32");
  assert_code(GA_VALUE_ERROR, gg_data_columns(&part, d, 2, 0, GA_BYTE));
  assert_message(GA_VALUE_ERROR, "row 2, column 3: 300 is no int8");
  assert_code(GA_VALUE_ERROR, gg_data_columns(&part, d, 2, 0, GA_UINT));
  assert_code(GA_VALUE_ERROR, gg_data_columns(&part, d, 1, 3, GA_FLOAT));
  assert_message(GA_VALUE_ERROR, "3 columns from 1 of 3");
  assert_code(GA_VALUE_ERROR, gg_data_columns(&part, d, 3, SIZE_MAX, GA_INT));
  assert_code(GA_INVALID_ERROR, gg_data_columns(&part, d, 0, 1, GA_CFLOAT));
  assert_code(GA_INVALID_ERROR, gg_data_columns(&part, NULL, 0, 1, GA_INT));
  gg_data_free(d);
}

/* --- NumPy's files --- */

/* A file of version 1.0. */
static const char *npy(const char *descr, int fortran, const char *shape,
                       const void *data, size_t n) {
  char all[512] = "\x93NUMPY\1\0\x76\0";

  memset(all + 10, ' ', 118);
  const int used =
      sprintf(all + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
              descr, fortran ? "True" : "False", shape);
  all[10 + used] = ' ';
  all[127] = '\n';
  memcpy(all + 128, data, n);
  return written(all, 128 + n);
}

static void npy_files_are_mapped_or_converted(void **state) {
  const short host[6] = {1, 2, 3, 4, 5, 6};
  const double plain[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 3, 5, 2, 4, 6};
  gg_data *d;

  (void)state;
  assert_ok(gg_data_npy(&d, npy("<i2", 0, "(3, 2)", host, sizeof host)));
  has(d, 3, 2, plain);
  gg_data_free(d);
  assert_ok(gg_data_npy(&d, npy("<i2", 1, "(2, 3)", host, sizeof host)));
  has(d, 2, 3, turned);
  gg_data_free(d);
  assert_ok(gg_data_npy(&d, npy(">i2", 0, "(1, 2)", "\0\1\0\2", 4)));
  has(d, 1, 2, plain);
  gg_data_free(d);
  assert_ok(gg_data_npy(&d, npy("|b1", 0, "(1, 2)", "\1\7", 2)));
  has(d, 1, 2, (double[]){1, 1});
  gg_data_free(d);
  assert_ok(
      gg_data_npy(&d, npy(">c8", 1, "(1, 1)", "\x3f\x80\0\0\0\0\0\0", 8)));
  has(d, 1, 1, plain);
  gg_data_free(d);
}

static void npy_refuses(int code, const char *path, const char *part) {
  gg_data *d = (gg_data *)&d;

  assert_code(code, gg_data_npy(&d, path));
  assert_null(d);
  assert_message(code, part);
}

static void npy_files_that_lie_are_refused(void **state) {
  (void)state;
  npy_refuses(GA_VALUE_ERROR, npy("<i2", 0, "(3, 2)", "", 0),
              "data.in: the header promises 12 bytes, 0 are there");
  npy_refuses(GA_VALUE_ERROR, written("", 0), "ends early");
  npy_refuses(GA_VALUE_ERROR, written("abc", 3), "no .npy data");
  npy_refuses(GA_VALUE_ERROR, written("\x93NUMPY\1\0\x76\0  ", 12),
              "a header of 118 bytes, 2 are there");
  npy_refuses(GA_VALUE_ERROR, npy("|u1", 0, "(1,1,1,1,1,1,1,1,1)", "a", 1),
              "has 9 axes");
  npy_refuses(GA_SYS_ERROR, "/no/such/file", "/no/such/file");
  npy_refuses(GA_INVALID_ERROR, NULL, "NULL");
}

static void entries_of_npz_files_are_read(void **state) {
  const char *path = test_file_path("data.npz");
  const double want[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {3, 2};
  gpunpz_new *z;
  gg_data *d;
  GpuArray a;

  (void)state;
  test_array(&a, GA_DOUBLE, 2, dims, want);
  for (int packed = 0; packed < 2; packed++) {
    assert_ok(gpunpz_create(&z, path, packed));
    assert_ok(gpunpz_add(z, "first", &a));
    assert_ok(gpunpz_add(z, "second", &a));
    assert_ok(gpunpz_finish(z, 1));
    assert_ok(gg_data_npz(&d, path, "second"));
    has(d, 3, 2, want);
    gg_data_free(d);
    assert_code(GA_VALUE_ERROR, gg_data_npz(&d, path, "third"));
    assert_message(GA_VALUE_ERROR, "has no entry \"third\"");
  }
  assert_code(GA_INVALID_ERROR, gg_data_npz(&d, path, NULL));
  assert_code(GA_SYS_ERROR, gg_data_npz(&d, "/no/such/file", "x"));
  GpuArray_clear(&a);
  remove(path);
}

/* --- memory --- */

static int read_csv(gg_data **d, const char *path) {
  return gg_data_csv(d, path, &(gg_csv_spec){.header = 1, .skip_bad = 1});
}

static int read_columns(gg_data **d, const char *path) {
  gg_data *all;
  int err = read_csv(&all, path);

  *d = NULL;
  if (err == GA_NO_ERROR)
    err = gg_data_columns(d, all, 0, 2, GA_INT);
  gg_data_free(all);
  return err;
}

/* Whichever allocation fails, that is said, and nothing stays. */
static void fails_cleanly(int (*read)(gg_data **d, const char *path),
                          const char *path) {
  gg_data *d = NULL;
  int err = GA_MEMORY_ERROR;

  for (long i = 1; err != GA_NO_ERROR; i++) {
    const long live = ga__alloc_live();
    ga__alloc_fail(i, 0);
    err = read(&d, path);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    assert_true((d == NULL) == (err != GA_NO_ERROR));
    gg_data_free(d);
    assert_int_equal(ga__alloc_live(), live);
  }
}

static void data_without_memory_fails_cleanly(void **state) {
  const char lines[] = "a,b\n1,2\nx\n3,4\n";

  (void)state;
  fails_cleanly(read_csv, written(lines, sizeof lines - 1));
  fails_cleanly(read_columns, written(lines, sizeof lines - 1));
  fails_cleanly(gg_data_idx, written("\0\0\x0b\1\0\0\0\1ab", 10));
  fails_cleanly(gg_data_npy, npy("<i2", 1, "(2, 1)", "abcd", 4));
}

/* --- batches --- */

static void data_becomes_batches(void **state) {
  gg_data *d[2] = {IDX("\0\0\x08\2\0\0\0\3\0\0\0\2abcdef"), NULL};
  const gg_batches_spec spec = {.size = 2};
  GpuArray *const *now;
  char got[4];
  gg_batches *b;

  (void)state;
  assert_code(GA_INVALID_ERROR,
              gg_batches_data(&b, test_context(), 2, d, &spec));
  assert_message(GA_INVALID_ERROR, "data 1 is NULL");
  assert_code(GA_INVALID_ERROR, gg_batches_data(NULL, NULL, 1, d, &spec));
  assert_code(GA_INVALID_ERROR, gg_batches_data(&b, NULL, 1, NULL, &spec));
  d[1] = csv("1\n2\n3\n", NULL);
  assert_ok(gg_batches_data(&b, test_context(), 2, d, &spec));
  assert_ok(gg_batches_next(b, &now));
  assert_ok(GpuArray_read(got, 4, now[0]));
  assert_memory_equal(got, "abcd", 4);
  assert_int_equal(now[1]->dimensions[0], 2);
  gg_batches_free(b);
  gg_data_free(d[0]);
  gg_data_free(d[1]);
  gg_data_free(NULL);
  assert_null(gg_data_array(NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idx_files_of_all_types_are_read),
      cmocka_unit_test(idx_files_that_lie_are_refused),
      cmocka_unit_test(csv_files_are_read),
      cmocka_unit_test(csv_files_are_the_same_in_each_locale),
      cmocka_unit_test(csv_errors_name_line_and_column),
      cmocka_unit_test(bad_lines_are_left_out_if_asked),
      cmocka_unit_test(csv_files_give_the_same_bits),
      cmocka_unit_test(columns_become_arrays),
      cmocka_unit_test(npy_files_are_mapped_or_converted),
      cmocka_unit_test(npy_files_that_lie_are_refused),
      cmocka_unit_test(entries_of_npz_files_are_read),
      cmocka_unit_test(data_without_memory_fails_cleanly),
      cmocka_unit_test(data_becomes_batches)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
