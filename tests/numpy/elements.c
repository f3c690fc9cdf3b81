/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise ops at delicate values that NumPy judges: the ends of ranges,
 * counts beyond the width, subnormals, infinities and NaN, each with each. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "numpy/draw.h"

/* --- integers --- */

static int draw_integer_dtype(draw *d) {
  static const int dtypes[] = {GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                               GA_INT,  GA_UINT,  GA_LONG,  GA_ULONG};

  return dtypes[draw_int(d, 0, 7)];
}

/* The column x0 and the row x1. */
static void draw_pairs(draw *d, int dtype, int other, size_t n,
                       const double *column, size_t m, const double *row,
                       gg_var *x[2]) {
  x[0] = draw_given(d, dtype, 2, (size_t[]){n, 1}, column);
  x[1] = draw_given(d, other, 2, (size_t[]){1, m}, row);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Values outside of a dtype become its limits. */
static const double whole[] = {-1e19,  -2147483648.0,
                               -32768, -128,
                               -97,    -7,
                               -1,     0,
                               1,      2,
                               3,      6,
                               12,     30,
                               127,    128,
                               255,    32767,
                               65535,  2147483647,
                               1e19};

static gg_var *of_whole(draw *d, gg_var *(*op)(gg_var *, gg_var *),
                        const char *name) {
  const int dtype = draw_integer_dtype(d);
  gg_var *x[2];

  draw_pairs(d, dtype, dtype, COUNT(whole), whole, COUNT(whole), whole, x);
  draw_say(d, "np.%s(x0, x1)", name);
  return op(x[0], x[1]);
}

static gg_var *left_shift(draw *d) {
  return of_whole(d, gg_left_shift, "left_shift");
}

static gg_var *right_shift(draw *d) {
  return of_whole(d, gg_right_shift, "right_shift");
}

/* Counts around each width. */
static gg_var *shift_around(draw *d) {
  static const double counts[] = {-64, -9, -1, 0,  1,  7,  8,  9,  15,
                                  16,  17, 31, 32, 33, 63, 64, 65, 100};
  const int dtype = draw_integer_dtype(d), left = (int)draw_int(d, 0, 1);
  gg_var *x[2];

  draw_pairs(d, dtype, dtype, COUNT(whole), whole, COUNT(counts), counts, x);
  draw_say(d, "np.%s_shift(x0, x1)", left ? "left" : "right");
  return left ? gg_left_shift(x[0], x[1]) : gg_right_shift(x[0], x[1]);
}

static gg_var *gcd(draw *d) {
  return of_whole(d, gg_gcd, "gcd");
}

static gg_var *lcm(draw *d) {
  return of_whole(d, gg_lcm, "lcm");
}

/* NumPy refuses negative exponents. */
static gg_var *power(draw *d) {
  static const double exponents[] = {0, 1, 2, 3, 5, 8, 31, 64, 65, 127, 1e19};
  const int dtype = draw_integer_dtype(d);
  gg_var *x[2];

  draw_pairs(d, dtype, dtype, COUNT(whole), whole, COUNT(exponents), exponents,
             x);
  draw_say(d, "np.power(x0, x1)");
  return gg_pow(x[0], x[1]);
}

static gg_var *negative_power(draw *d) {
  gg_var *x[2];

  draw_pairs(d, GA_INT, GA_INT, COUNT(whole), whole, 3,
             (const double[]){-1, -2, -2147483648.0}, x);
  draw_say(d, "np.where(abs(x0) == 1, x0 ** (x1 & 1), 0).astype('i4')");
  return gg_pow(x[0], x[1]);
}

/* NumPy has it from version 2 on. */
static gg_var *popcount(draw *d) {
  const size_t n = COUNT(whole);

  draw_say(d, "np.vectorize(lambda v: bin(abs(int(v))).count('1'), "
              "otypes=['u1'])(x0)");
  return gg_popcount(draw_given(d, draw_integer_dtype(d), 1, &n, whole));
}

/* --- floats --- */

/* Subnormal numbers of each dtype among them. */
static const double reals[] = {
    0,       -0.0,    1,        -1,        0.5,      2.5,    -3,
    1024,    -0.1,    6e-8,     -1e-7,     6.2e-5,   65504,  -65504,
    1e-45,   -1e-40,  FLT_MIN,  FLT_MAX,   -FLT_MAX, 5e-324, -1e-310,
    DBL_MIN, DBL_MAX, INFINITY, -INFINITY, NAN};

static int draw_float_dtype(draw *d) {
  static const int dtypes[] = {GA_HALF, GA_FLOAT, GA_DOUBLE};

  return dtypes[draw_int(d, 0, 2)];
}

static gg_var *draw_reals(draw *d) {
  const size_t n = COUNT(reals);

  return draw_given(d, draw_float_dtype(d), 1, &n, reals);
}

static gg_var *mantissa(draw *d) {
  draw_say(d, "np.frexp(x0)[0]");
  return gg_mantissa(draw_reals(d));
}

static gg_var *exponent(draw *d) {
  draw_say(d, "np.frexp(x0)[1]");
  return gg_exponent(draw_reals(d));
}

static gg_var *ldexp_of(draw *d) {
  static const double counts[] = {-2000, -300, -149, -24, -3,  -1,  0,
                                  1,     2,    15,   127, 128, 2000};
  gg_var *x[2];

  draw_pairs(d, draw_float_dtype(d), GA_INT, COUNT(reals), reals, COUNT(counts),
             counts, x);
  draw_say(d, "np.ldexp(x0, x1)");
  return gg_ldexp(x[0], x[1]);
}

static gg_var *next_after(draw *d) {
  const int dtype = draw_float_dtype(d);
  gg_var *x[2];

  draw_pairs(d, dtype, dtype, COUNT(reals), reals, COUNT(reals), reals, x);
  draw_say(d, "np.nextafter(x0, x1)");
  return gg_nextafter(x[0], x[1]);
}

static gg_var *quotient(draw *d, const char *text,
                        gg_var *(*op)(gg_var *, gg_var *)) {
  static const double values[] = {0,  1,  -1,   0.5,      -0.75,     3,
                                  -7, 10, -2.5, INFINITY, -INFINITY, NAN};
  const int dtype = (int)draw_int(d, 0, 1) ? GA_FLOAT : GA_DOUBLE;
  gg_var *x[2];

  draw_pairs(d, dtype, dtype, COUNT(values), values, COUNT(values), values, x);
  draw_say(d, text);
  return op(x[0], x[1]);
}

static gg_var *floor_divide(draw *d) {
  return quotient(d, "np.floor_divide(x0, x1)", gg_floordiv);
}

static gg_var *remainder_of(draw *d) {
  return quotient(d, "np.mod(x0, x1)", gg_mod);
}

static const numpy_case cases[] = {
    {"left_shift", .build = left_shift},
    {"right_shift", .build = right_shift},
    {"shifts around the width", .build = shift_around},
    {"gcd", .build = gcd},
    {"lcm", .build = lcm},
    {"powers of integers", .build = power},
    {"negative powers of integers", .build = negative_power},
    {"popcount", .build = popcount},
    {"mantissa", .build = mantissa, .is_exact = 1},
    {"exponent", .build = exponent},
    {"ldexp", .build = ldexp_of, .is_exact = 1},
    {"nextafter", .build = next_after, .is_exact = 1},
    {"floor_divide", .build = floor_divide, .is_exact = 1},
    {"mod", .build = remainder_of, .is_exact = 1},
    {"degrees", .map = gg_degrees, .formula = "np.degrees(x)"},
    {"radians", .map = gg_radians, .formula = "np.radians(x)"},
};

const numpy_table numpy_elements = {cases, COUNT(cases)};
