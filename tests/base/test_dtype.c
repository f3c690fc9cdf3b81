/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about dtypes, and elements to double and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <gpuarray/util.h>

#include "base/dtype.h"

static const int all[] = {GA_BOOL,    GA_BYTE,  GA_UBYTE,  GA_SHORT,
                          GA_USHORT,  GA_INT,   GA_UINT,   GA_LONG,
                          GA_ULONG,   GA_FLOAT, GA_DOUBLE, GA_CFLOAT,
                          GA_CDOUBLE, GA_HALF,  GA_BFLOAT};
#define N_ALL (sizeof all / sizeof all[0])

static void test_table_agrees_with_public_types(void **state) {
  (void)state;
  for (size_t i = 0; i < N_ALL; i++) {
    assert_int_equal(ga__dtype_size(all[i]), gpuarray_get_elsize(all[i]));
    assert_int_not_equal(ga__dtype_kind(all[i]), GA_KIND_NONE);
    assert_int_equal(ga__dtype_canon(all[i]), all[i]);
    assert_int_equal(ga__dtype_from_name(ga__dtype_name(all[i])), all[i]);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(ga__dtype_name(GA_FLOAT), "float32");
  assert_string_equal(ga__dtype_name(GA_UBYTE), "uint8");
  assert_string_equal(ga__dtype_name(GA_CFLOAT), "complex64");
  assert_string_equal(ga__dtype_name(GA_SIZE), "uint64");
  assert_string_equal(ga__dtype_name(GA_QUAD), "?");
  assert_string_equal(ga__dtype_name(-1), "?");
  assert_string_equal(ga__dtype_name(GA_FLOAT4), "?");
  assert_string_equal(ga__dtype_cl(GA_BOOL), "uchar");
  assert_string_equal(ga__dtype_cl(GA_HALF), "half");
  assert_string_equal(ga__dtype_name(GA_BFLOAT), "bfloat16");
  assert_string_equal(ga__dtype_cl(GA_BFLOAT), "bfloat");
  assert_string_equal(ga__dtype_cl(GA_ULONG), "ulong");
  assert_int_equal(ga__dtype_from_name("float"), -1);
  assert_int_equal(ga__dtype_from_name(""), -1);
}

static void test_work_and_twins(void **state) {
  (void)state;
  assert_int_equal(ga__dtype_work(GA_HALF), GA_FLOAT);
  assert_int_equal(ga__dtype_work(GA_BFLOAT), GA_FLOAT);
  assert_int_equal(ga__dtype_work(GA_INT), GA_INT);
  assert_int_equal(ga__dtype_kind(GA_LONGLONG), GA_KIND_NONE);
  assert_int_equal(ga__dtype_kind(GA_ULONGLONG), GA_KIND_NONE);
  assert_int_equal(ga__dtype_size(GA_SSIZE), sizeof(size_t));
  assert_int_equal(ga__dtype_kind(GA_SIZE), GA_KIND_UINT);
  assert_int_equal(ga__dtype_kind(GA_CQUAD), GA_KIND_NONE);
  assert_int_equal(ga__dtype_kind(17), GA_KIND_NONE);
  assert_int_equal(ga__dtype_size(17), 0);
}

/* Store `v`, not aligned, and read it back. */
static double there_and_back(int typecode, double v) {
  unsigned char room[1 + 16 + 1];

  memset(room, 0xa5, sizeof room);
  ga__dtype_from_double(typecode, room + 1, v);
  assert_int_equal(room[0], 0xa5);
  assert_int_equal(room[1 + ga__dtype_size(typecode)], 0xa5);
  return ga__dtype_to_double(typecode, room + 1);
}

static void test_small_numbers_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < N_ALL; i++)
    for (int v = 0; v < 100; v++)
      assert_true(there_and_back(all[i], v) ==
                  (all[i] == GA_BOOL ? v != 0 : v));
  assert_true(there_and_back(GA_BYTE, -7) == -7);
  assert_true(there_and_back(GA_LONG, -7) == -7);
  assert_true(there_and_back(GA_HALF, -0.5) == -0.5);
  assert_true(there_and_back(GA_CDOUBLE, 0.1) == 0.1);
  assert_true(isnan(there_and_back(GA_FLOAT, NAN)));
}

static void test_complex_has_no_imaginary_part(void **state) {
  float c[2] = {9, 9};

  (void)state;
  ga__dtype_from_double(GA_CFLOAT, c, 2.5);
  assert_true(c[0] == 2.5f && c[1] == 0);
}

static void test_integers_stop_at_their_limits(void **state) {
  uint64_t u64;
  int64_t i64;

  (void)state;
  assert_true(there_and_back(GA_BYTE, 1e9) == 127);
  assert_true(there_and_back(GA_BYTE, -1e9) == -128);
  assert_true(there_and_back(GA_BYTE, -128.9) == -128);
  assert_true(there_and_back(GA_UBYTE, -1) == 0);
  assert_true(there_and_back(GA_UBYTE, 256) == 255);
  assert_true(there_and_back(GA_SHORT, -40000) == -32768);
  assert_true(there_and_back(GA_UINT, 1e10) == 4294967295.0);
  assert_true(there_and_back(GA_INT, 2147483647.0) == 2147483647.0);
  assert_true(there_and_back(GA_INT, INFINITY) == 2147483647.0);
  assert_true(there_and_back(GA_INT, -INFINITY) == -2147483648.0);
  assert_true(there_and_back(GA_INT, NAN) == 0);
  assert_true(there_and_back(GA_INT, -1.9) == -1);
  ga__dtype_from_double(GA_LONG, &i64, 1e300);
  assert_true(i64 == INT64_MAX);
  ga__dtype_from_double(GA_LONG, &i64, -1e300);
  assert_true(i64 == INT64_MIN);
  ga__dtype_from_double(GA_ULONG, &u64, 1e300);
  assert_true(u64 == UINT64_MAX);
  ga__dtype_from_double(GA_ULONG, &u64, 9223372036854775808.0);
  assert_true(u64 == (uint64_t)1 << 63);
}

static void test_limits_of_floats(void **state) {
  (void)state;
  assert_true(ga__dtype_epsilon(GA_FLOAT) == (double)FLT_EPSILON);
  assert_true(ga__dtype_smallest(GA_FLOAT) == (double)FLT_MIN);
  assert_true(ga__dtype_largest(GA_FLOAT) == (double)FLT_MAX);
  assert_true(ga__dtype_epsilon(GA_DOUBLE) == DBL_EPSILON);
  assert_true(ga__dtype_smallest(GA_DOUBLE) == DBL_MIN);
  assert_true(ga__dtype_largest(GA_DOUBLE) == DBL_MAX);
  assert_true(ga__dtype_epsilon(GA_HALF) == 0x1p-10);
  assert_true(ga__dtype_smallest(GA_HALF) == 0x1p-14);
  assert_true(ga__dtype_largest(GA_HALF) == 65504);
  assert_true(ga__dtype_epsilon(GA_BFLOAT) == 0x1p-7);
  assert_true(ga__dtype_smallest(GA_BFLOAT) == 0x1p-126);
  assert_true(ga__dtype_largest(GA_BFLOAT) == 0x1.fep+127);
}

/* Numbers that some dtypes have and others do not; 64 bits, which doubles do
 * not hold, are looked at apart. */
static int survives(int to, int from, double v) {
  unsigned char a[16], b[16];

  ga__dtype_from_double(from, a, v);
  v = ga__dtype_to_double(from, a);
  ga__dtype_from_double(to, b, v);
  return ga__dtype_to_double(to, b) == v;
}

static void test_holds(void **state) {
  static const int types[] = {GA_BOOL,   GA_BYTE,   GA_UBYTE, GA_SHORT,
                              GA_USHORT, GA_INT,    GA_UINT,  GA_HALF,
                              GA_FLOAT,  GA_DOUBLE, GA_BFLOAT};
  static const double values[] = {
      0,          1,        -1,   0.5,   127,   128,        -128,
      255,        32767,    257,  2049,  65535, 2147483647, -2147483648,
      4294967295, 16777217, 1e30, 1e300, 0.1};
  const size_t n = sizeof types / sizeof types[0];
  size_t v;
  int same;

  (void)state;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      for (v = 0, same = 1; v < sizeof values / sizeof values[0]; v++)
        same &= survives(types[i], types[k], values[v]);
      if (same != ga__dtype_holds(types[i], types[k]))
        fail_msg("%s holds %s: expected %d", ga__dtype_name(types[i]),
                 ga__dtype_name(types[k]), same);
    }
  assert_true(ga__dtype_holds(GA_LONG, GA_UINT));
  assert_false(ga__dtype_holds(GA_LONG, GA_ULONG));
  assert_false(ga__dtype_holds(GA_ULONG, GA_LONG));
  assert_false(ga__dtype_holds(GA_DOUBLE, GA_LONG));
  assert_true(ga__dtype_holds(GA_CFLOAT, GA_FLOAT));
  assert_false(ga__dtype_holds(GA_CFLOAT, GA_DOUBLE));
  assert_true(ga__dtype_holds(GA_CDOUBLE, GA_INT));
  assert_false(ga__dtype_holds(GA_DOUBLE, GA_CFLOAT));
  assert_false(ga__dtype_holds(GA_DOUBLE, -1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table_agrees_with_public_types),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_work_and_twins),
      cmocka_unit_test(test_limits_of_floats),
      cmocka_unit_test(test_holds),
      cmocka_unit_test(test_small_numbers_survive),
      cmocka_unit_test(test_complex_has_no_imaginary_part),
      cmocka_unit_test(test_integers_stop_at_their_limits),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
