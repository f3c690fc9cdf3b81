/* SPDX-License-Identifier: BSD-2-Clause */
/* Two arrays into one, for every type and operation. */
#include "support/device.h"

#include <gpuarray/buffer_collectives.h>

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "comm/combine.h"

static const int reals[] = {GA_BYTE,   GA_UBYTE, GA_SHORT, GA_USHORT, GA_INT,
                            GA_UINT,   GA_LONG,  GA_ULONG, GA_HALF,   GA_FLOAT,
                            GA_DOUBLE, GA_SIZE,  GA_BFLOAT};

static double expected(int op, double a, double b) {
  return op == GA_SUM    ? a + b
         : op == GA_PROD ? a * b
         : op == GA_MAX  ? fmax(a, b)
                         : fmin(a, b);
}

static void every_real_type(void **state) {
  enum { N = 67 };
  unsigned char a[N * 8], b[N * 8], acc[N * 8];
  ga__combine combine;

  (void)state;
  for (size_t t = 0; t < sizeof reals / sizeof *reals; t++) {
    test_fill(a, reals[t], N, 0, 11, 1);
    test_fill(b, reals[t], N, 0, 11, 2);
    for (int op = GA_SUM; op <= GA_MIN; op++) {
      memcpy(acc, a, sizeof a);
      assert_ok(ga__combine_get(&combine, reals[t], op));
      combine(acc, b, N);
      for (size_t i = 0; i < N; i++) {
        unsigned char want[8];

        ga__dtype_from_double(
            reals[t], want,
            expected(op, test_get(a, reals[t], i), test_get(b, reals[t], i)));
        test_ulp(reals[t], acc + i * ga__dtype_size(reals[t]), want, 1, 1);
      }
    }
  }
}

static void integers_wrap(void **state) {
  int32_t a[2] = {INT32_MAX, 65536};
  const int32_t b[2] = {1, 65536};
  int16_t s[1] = {INT16_MIN};
  const int16_t t[1] = {-1};
  ga__combine combine;

  (void)state;
  assert_ok(ga__combine_get(&combine, GA_INT, GA_SUM));
  combine(a, b, 1);
  assert_int_equal(a[0], INT32_MIN);
  assert_ok(ga__combine_get(&combine, GA_INT, GA_PROD));
  combine(a + 1, b + 1, 1);
  assert_int_equal(a[1], 0);
  assert_ok(ga__combine_get(&combine, GA_SHORT, GA_SUM));
  combine(s, t, 1);
  assert_int_equal(s[0], INT16_MAX);
}

static void nan_stays(void **state) {
  ga__combine combine;

  (void)state;
  for (int op = GA_SUM; op <= GA_MIN; op++) {
    float a[2] = {NAN, 1};
    const float b[2] = {1, NAN};

    assert_ok(ga__combine_get(&combine, GA_FLOAT, op));
    combine(a, b, 2);
    assert_true(isnan(a[0]) && isnan(a[1]));
  }
}

static void bools_are_logical(void **state) {
  const unsigned char b[4] = {0, 1, 0, 1};
  const unsigned char any[4] = {0, 1, 1, 1}, all[4] = {0, 0, 0, 1};
  ga__combine combine;

  (void)state;
  for (int op = GA_SUM; op <= GA_MIN; op++) {
    unsigned char a[4] = {0, 0, 1, 1};

    assert_ok(ga__combine_get(&combine, GA_BOOL, op));
    combine(a, b, 4);
    assert_memory_equal(a, op == GA_SUM || op == GA_MAX ? any : all, 4);
  }
}

static void complex_numbers(void **state) {
  double a[4] = {1, 2, 3, 4};
  const double b[4] = {5, -6, 7, 8};
  ga__combine combine;

  (void)state;
  assert_ok(ga__combine_get(&combine, GA_CDOUBLE, GA_PROD));
  combine(a, b, 1);
  assert_true(a[0] == 17 && a[1] == 4 && a[2] == 3);
  assert_ok(ga__combine_get(&combine, GA_CDOUBLE, GA_SUM));
  combine(a, b, 2);
  assert_true(a[0] == 22 && a[1] == -2 && a[2] == 10 && a[3] == 12);
  assert_code(GA_VALUE_ERROR, ga__combine_get(&combine, GA_CFLOAT, GA_MAX));
  assert_message(GA_VALUE_ERROR, "operation 2 is not for complex64");
  assert_code(GA_VALUE_ERROR, ga__combine_get(&combine, GA_FLOAT, 4));
  assert_code(GA_VALUE_ERROR, ga__combine_get(&combine, GA_FLOAT2, GA_SUM));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_real_type), cmocka_unit_test(integers_wrap),
      cmocka_unit_test(nan_stays),       cmocka_unit_test(bools_are_logical),
      cmocka_unit_test(complex_numbers),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
