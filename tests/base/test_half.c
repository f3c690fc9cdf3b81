/* SPDX-License-Identifier: BSD-2-Clause */
/* Narrow floats: every value, every tie. The public inline conversions of
 * util.h are held against the same facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <gpuarray/util.h>

#include "base/half.h"

static unsigned public_half(float f) {
  return ga_float2half(f).h;
}

static float public_of_half(unsigned h) {
  return ga_half2float((ga_half_t){(uint16_t)h});
}

static unsigned public_bfloat(float f) {
  return ga_float2bfloat(f).b;
}

static float public_of_bfloat(unsigned b) {
  return ga_bfloat2float((ga_bfloat_t){(uint16_t)b});
}

typedef struct format {
  int frac_bits, max_exp;
  uint16_t (*from_float)(float f);
  uint16_t (*from_double)(double d);
  float (*to_float)(uint16_t bits);
  unsigned (*public_from)(float f);
  float (*public_to)(unsigned bits);
} format;

static const format half = {10,
                            15,
                            ga__half_from_float,
                            ga__half_from_double,
                            ga__half_to_float,
                            public_half,
                            public_of_half},
                    bfloat = {7,
                              127,
                              ga__bfloat_from_float,
                              ga__bfloat_from_double,
                              ga__bfloat_to_float,
                              public_bfloat,
                              public_of_bfloat};

static const format *const formats[] = {&half, &bfloat};
enum { N_FORMATS = 2 };

/* The bits of infinity. */
static unsigned inf_of(const format *f) {
  return (2 * (unsigned)f->max_exp + 1) << f->frac_bits;
}

/* The value of finite bits, straight from the definition; of those of infinity,
 * where the next number would be. */
static double value_of(const format *f, unsigned bits) {
  const int e = (int)((bits & 0x7fffu) >> f->frac_bits);
  const int least = 1 - f->max_exp - f->frac_bits; /* log2 of a subnormal */
  const double one = ldexp(1, f->frac_bits);
  const double frac = bits & ((1u << f->frac_bits) - 1);
  const double v =
      e == 0 ? ldexp(frac, least) : ldexp(one + frac, e - 1 + least);

  return (bits & 0x8000u) != 0 ? -v : v;
}

static int is_nan_bits(const format *f, unsigned bits) {
  return (bits & 0x7fffu) > inf_of(f);
}

static void all_values(const format *f) {
  for (unsigned h = 0; h < 65536; h++) {
    const float v = f->to_float((uint16_t)h), w = f->public_to(h);

    assert_int_equal(signbit(v) != 0, h >> 15);
    if (is_nan_bits(f, h))
      assert_true(isnan(v));
    else if ((h & 0x7fffu) == inf_of(f))
      assert_true(isinf(v));
    else
      assert_true((double)v == value_of(f, h));
    assert_true(isnan(v) ? isnan(w) : memcmp(&v, &w, sizeof v) == 0);
  }
}

static void all_values_come_back(const format *f) {
  for (unsigned h = 0; h < 65536; h++) {
    const float v = f->to_float((uint16_t)h);
    const unsigned quiet = 1u << (f->frac_bits - 1);
    const unsigned want = is_nan_bits(f, h) ? h | quiet : h;

    assert_int_equal(f->from_float(v), want);
    assert_int_equal(f->from_double((double)v), want);
    assert_int_equal(f->public_from(v), want);
  }
}

static void assert_rounds(const format *f, double v, unsigned want) {
  assert_int_equal(f->from_double(v), want);
  assert_int_equal(f->from_double(-v), want | 0x8000u);
}

static void assert_rounds_float(const format *f, float v, unsigned want) {
  assert_int_equal(f->from_float(v), want);
  assert_int_equal(f->from_float(-v), want | 0x8000u);
  assert_int_equal(f->public_from(v), want);
  assert_int_equal(f->public_from(-v), want | 0x8000u);
}

/* Between each pair of neighbours, the last pair being the largest number and
 * where the next would be: the middle goes to the even one, and the closest
 * numbers on either side of it to their side. */
static void all_ties(const format *f) {
  for (unsigned h = 0; h < inf_of(f); h++) {
    const double middle = (value_of(f, h) + value_of(f, h + 1)) / 2;
    const unsigned even = h % 2 == 0 ? h : h + 1;
    const float single = (float)middle;

    assert_rounds(f, middle, even);
    assert_rounds(f, nextafter(middle, 0), h);
    assert_rounds(f, nextafter(middle, INFINITY), h + 1);
    assert_true((double)single == middle);
    assert_rounds_float(f, single, even);
    assert_rounds_float(f, nextafterf(single, 0), h);
    assert_rounds_float(f, nextafterf(single, INFINITY), h + 1);
  }
}

static void extremes(const format *f) {
  assert_rounds(f, INFINITY, inf_of(f));
  assert_rounds(f, 1e300, inf_of(f));
  assert_rounds(f, ldexp(1, f->max_exp + 1), inf_of(f));
  assert_rounds(f, 1e-300, 0);
  assert_rounds(f, 5e-324, 0);
  assert_rounds_float(f, INFINITY, inf_of(f));
  assert_rounds_float(f, 0x1.fffffep+127f, inf_of(f));
  assert_rounds_float(f, 1e-45f, 0);
  assert_true(is_nan_bits(f, f->from_double(NAN)));
  assert_true(is_nan_bits(f, f->from_float(-NAN)));
  assert_true(is_nan_bits(f, f->public_from(NAN)));
}

/* A float in between would land on the tie and then go to even. */
static void double_rounds_once(const format *f) {
  const double v = 1 + ldexp(1, -f->frac_bits - 1) + ldexp(1, -40);
  const unsigned one = (unsigned)f->max_exp << f->frac_bits;

  assert_int_equal(f->from_double(v), one + 1);
  assert_int_equal(f->from_float((float)v), one);
}

/* Floats of every exponent: both implementations agree. */
static void public_agrees(const format *f) {
  uint32_t u = 0;
  float v;

  for (int i = 0; i < 1000000; i++, u += 4294967u) {
    memcpy(&v, &u, sizeof v);
    if (f->public_from(v) != f->from_float(v))
      fail_msg("bits %08x: %04x, %04x", (unsigned)u, f->public_from(v),
               (unsigned)f->from_float(v));
  }
}

#define TEST(name)                                                             \
  static void test_##name(void **state) {                                      \
    (void)state;                                                               \
    for (int i = 0; i < N_FORMATS; i++)                                        \
      name(formats[i]);                                                        \
  }
TEST(all_values)
TEST(all_values_come_back)
TEST(all_ties)
TEST(extremes)
TEST(double_rounds_once)
TEST(public_agrees)

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
