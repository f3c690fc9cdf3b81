/* SPDX-License-Identifier: BSD-2-Clause */
/* binary16: every value, every tie. The public inline conversions of util.h
 * are held against the same facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <gpuarray/util.h>

#include "base/half.h"

#define INF 0x7c00u

/* The value of finite bits, straight from the definition. */
static double value_of(unsigned h) {
  int e = (int)(h >> 10) & 31;
  double frac = h & 0x3ffu;
  double v = e == 0 ? ldexp(frac, -24) : ldexp(1024 + frac, e - 25);

  return (h & 0x8000u) != 0 ? -v : v;
}

static int is_nan_bits(unsigned h) {
  return (h & 0x7fffu) > INF;
}

static unsigned public_from(float f) {
  return ga_float2half(f).h;
}

static float public_to(unsigned h) {
  ga_half_t x = {(uint16_t)h};

  return ga_half2float(x);
}

static void test_all_values(void **state) {
  (void)state;
  for (unsigned h = 0; h < 65536; h++) {
    float f = ga__half_to_float((uint16_t)h);
    assert_int_equal(signbit(f) != 0, h >> 15);
    if (is_nan_bits(h))
      assert_true(isnan(f));
    else if ((h & 0x7fffu) == INF)
      assert_true(isinf(f));
    else
      assert_true((double)f == value_of(h));
    float g = public_to(h);
    assert_true(isnan(f) ? isnan(g) : memcmp(&f, &g, sizeof f) == 0);
  }
}

static void test_all_values_come_back(void **state) {
  (void)state;
  for (unsigned h = 0; h < 65536; h++) {
    float f = ga__half_to_float((uint16_t)h);
    unsigned want =
        is_nan_bits(h) ? h | 0x200u : h; /* signalling turns quiet */
    assert_int_equal(ga__half_from_float(f), want);
    assert_int_equal(ga__half_from_double((double)f), want);
    assert_int_equal(public_from(f), want);
  }
}

static void assert_rounds(double v, unsigned want) {
  assert_int_equal(ga__half_from_double(v), want);
  assert_int_equal(ga__half_from_double(-v), want | 0x8000u);
}

static void assert_rounds_float(float v, unsigned want) {
  assert_int_equal(ga__half_from_float(v), want);
  assert_int_equal(ga__half_from_float(-v), want | 0x8000u);
  assert_int_equal(public_from(v), want);
  assert_int_equal(public_from(-v), want | 0x8000u);
}

/* Between each pair of neighbours, the last pair being the largest number and
 * where the next would be: the middle goes to the even one, and the closest
 * numbers on either side of it to their side. */
static void test_all_ties(void **state) {
  (void)state;
  for (unsigned h = 0; h < INF; h++) {
    double middle =
        (value_of(h) + (h + 1 == INF ? 65536.0 : value_of(h + 1))) / 2;
    unsigned even = h % 2 == 0 ? h : h + 1;
    assert_rounds(middle, even);
    assert_rounds(nextafter(middle, 0), h);
    assert_rounds(nextafter(middle, INFINITY), h + 1);
    float f = (float)middle;
    assert_true((double)f == middle);
    assert_rounds_float(f, even);
    assert_rounds_float(nextafterf(f, 0), h);
    assert_rounds_float(nextafterf(f, INFINITY), h + 1);
  }
}

static void test_extremes(void **state) {
  (void)state;
  assert_rounds(INFINITY, INF);
  assert_rounds(1e300, INF);
  assert_rounds(65536, INF);
  assert_rounds(1e-300, 0);
  assert_rounds(5e-324, 0);
  assert_rounds_float(INFINITY, INF);
  assert_rounds_float(3e38f, INF);
  assert_rounds_float(1e-45f, 0);
  assert_true(is_nan_bits(ga__half_from_double(NAN)));
  assert_true(is_nan_bits(ga__half_from_float(-NAN)));
}

/* A float in between would land on the tie and then go to even. */
static void test_double_rounds_once(void **state) {
  const double v = 1 + ldexp(1, -11) + ldexp(1, -40);

  (void)state;
  assert_int_equal(ga__half_from_double(v), 0x3c01);
  assert_int_equal(ga__half_from_float((float)v), 0x3c00);
}

/* Floats of every exponent: both implementations agree. */
static void test_public_agrees(void **state) {
  uint32_t u = 0;
  float f;

  (void)state;
  for (int i = 0; i < 1000000; i++, u += 4294967u) {
    memcpy(&f, &u, sizeof f);
    if (public_from(f) != ga__half_from_float(f))
      fail_msg("bits %08x: %04x, %04x", (unsigned)u, public_from(f),
               (unsigned)ga__half_from_float(f));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_values),
      cmocka_unit_test(test_all_values_come_back),
      cmocka_unit_test(test_all_ties),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_double_rounds_once),
      cmocka_unit_test(test_public_agrees),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
