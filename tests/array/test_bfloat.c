/* SPDX-License-Identifier: BSD-2-Clause */
/* bfloat16 on the device, bit by bit: every value, every tie, and numbers that
 * must be rounded once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/launch.h>
#include <gpuarray/util.h>

#include "base/dtype.h"
#include "base/half.h"
#include "support/device.h"
#include "support/operand.h"

enum { VALUES = 65536, INFINITE = 0x7f80 };

static uint32_t bits_of(float v) {
  uint32_t u;

  memcpy(&u, &v, sizeof u);
  return u;
}

static float float_of(uint32_t u) {
  float v;

  memcpy(&v, &u, sizeof v);
  return v;
}

/* y = x, by a cast (-1), or an expression with these flags. */
static void convert(void *got, int to, const void *from, int from_type,
                    size_t n, int flags) {
  gpuelemwise_arg args[] = {{"y", to, GE_WRITE}, {"x", from_type, GE_READ}};
  GpuArray x, y;

  test_array(&x, from_type, 1, &n, from);
  assert_ok(GpuArray_empty(&y, test_context(), to, 1, &n, GA_C_ORDER));
  if (flags < 0) {
    assert_ok(GpuArray_setarray(&y, &x));
  } else {
    GpuElemwise *ge = elemwise_make("y = x", 2, args, flags);

    assert_ok(GpuElemwise_call(ge, (void *[]){&y, &x}, 0));
    GpuElemwise_free(ge);
  }
  assert_ok(GpuArray_read(got, n * ga__dtype_size(to), &y));
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

static const int ways[] = {-1, 0, GE_VECTOR};
enum { WAYS = sizeof ways / sizeof ways[0] };

static int is_nan(uint32_t u) {
  return (u & 0x7fffffffu) > 0x7f800000u;
}

/* A conversion may make a NaN quiet. */
static int is_same(uint32_t got, uint32_t want) {
  return got == want || (is_nan(want) && got == (want | 0x400000u));
}

static void all_to_float(void) {
  uint16_t *from = malloc(VALUES * sizeof *from);
  float *got = malloc(VALUES * sizeof *got);

  for (uint32_t i = 0; i < VALUES; i++)
    from[i] = (uint16_t)i;
  for (int k = 0; k < WAYS; k++) {
    convert(got, GA_FLOAT, from, GA_BFLOAT, VALUES, ways[k]);
    for (uint32_t i = 0; i < VALUES; i++)
      if (!is_same(bits_of(got[i]), i << 16))
        fail_msg("%04x: %08x by %d", (unsigned)i, (unsigned)bits_of(got[i]),
                 ways[k]);
  }
  free(from);
  free(got);
}

static void test_all_to_float(void **state) {
  (void)state;
  test_mappings(all_to_float);
}

/* The bits themselves; the middles between neighbours, and the floats on either
 * side of these: of both signs, up to what becomes infinite; NaNs. */
static void all_from_float(void) {
  enum { EACH = 4, N = EACH * VALUES };
  static const uint32_t low[EACH] = {0, 0x7fff, 0x8000, 0x8001};
  float *from = malloc(N * sizeof *from);
  uint16_t *got = malloc(N * sizeof *got);

  for (uint32_t i = 0; i < N; i++)
    from[i] = float_of(i / EACH << 16 | low[i % EACH]);
  for (int k = 0; k < WAYS; k++) {
    convert(got, GA_BFLOAT, from, GA_FLOAT, N, ways[k]);
    for (uint32_t i = 0; i < N; i++)
      if (got[i] != ga__bfloat_from_float(from[i]))
        fail_msg("%08x: %04x, expected %04x by %d", (unsigned)bits_of(from[i]),
                 got[i], ga__bfloat_from_float(from[i]), ways[k]);
  }
  free(from);
  free(got);
}

static void test_all_from_float(void **state) {
  (void)state;
  test_mappings(all_from_float);
}

/* --- by way of float, rounded once --- */

static void check_cast(const void *from, int from_type, const uint16_t *want,
                       size_t n) {
  uint16_t *got = malloc(n * sizeof *got);

  convert(got, GA_BFLOAT, from, from_type, n, -1);
  for (size_t i = 0; i < n; i++)
    if (got[i] != want[i])
      fail_msg("%s %.17g: %04x, expected %04x", ga__dtype_name(from_type),
               test_get(from, from_type, i), got[i], want[i]);
  free(got);
}

/* Middles, and doubles that are so near to them that floats are not, of every
 * exponent. */
static void doubles(void) {
  enum { EACH = 5, N = EACH * INFINITE / 61 };
  double *from = malloc(N * sizeof *from);
  uint16_t *want = malloc(N * sizeof *want);

  for (uint32_t i = 0; i < N; i++) {
    const uint32_t u = (i / EACH * 61) << 16 | 0x8000;
    const double tie = (double)float_of(u);

    from[i] = i % EACH == 0   ? tie
              : i % EACH == 1 ? nextafter(tie, 0)
              : i % EACH == 2 ? nextafter(tie, INFINITY)
              : i % EACH == 3 ? -nextafter(tie, INFINITY)
                              : tie * 1.001;
    want[i] = ga__bfloat_from_double(from[i]);
  }
  from[0] = 1e300;
  want[0] = INFINITE;
  from[1] = -INFINITY;
  want[1] = 0x8000 | INFINITE;
  from[2] = 1e-300;
  want[2] = 0;
  check_cast(from, GA_DOUBLE, want, N);
  double *pairs = calloc(2 * N, sizeof *pairs);
  for (uint32_t i = 0; i < N; i++)
    pairs[2 * i] = from[i];
  check_cast(pairs, GA_CDOUBLE, want, N);
  free(pairs);
  free(from);
  free(want);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  test_mappings(doubles);
}

/* The bfloat nearest to a whole number, by integers alone. */
static uint16_t nearest(uint64_t v) {
  int top = 0; /* of the leading bit */

  if (v == 0)
    return 0;
  while (top < 63 && v >> (top + 1) != 0)
    top++;
  if (top <= 7)
    return (uint16_t)(((127 + top) << 7) + (int)(v << (7 - top)) - 128);
  const int shift = top - 7;
  const uint64_t rest = v & (((uint64_t)1 << shift) - 1);
  const uint64_t tie = (uint64_t)1 << (shift - 1);
  uint64_t frac = v >> shift;

  if (rest > tie || (rest == tie && (frac & 1) != 0))
    frac++;
  return (uint16_t)(((127 + top) << 7) + (int)frac - 128);
}

/* Around the middles between bfloats of every size that the type has. */
static void check_whole(int type, int bits, int has_sign) {
  enum { MOST = 64 * 8 * 3 };
  const size_t size = ga__dtype_size(type);
  char from[MOST * 8];
  uint16_t want[MOST];
  size_t n = 0;

  for (int top = 8; top < bits - has_sign; top++)
    for (uint64_t frac = 0; frac < 8; frac++)
      for (int by = -1; by <= 1; by++, n++) {
        const int shift = top - 7;
        const uint64_t tie = (0x80 | frac * 17) << shift | (uint64_t)1
                                                               << (shift - 1);
        uint64_t v = tie + (uint64_t)(int64_t)by;
        const int is_minus = has_sign && frac % 2 != 0;

        want[n] = (uint16_t)(nearest(v) | (is_minus ? 0x8000 : 0));
        v = is_minus ? 0 - v : v;
        if (size == 8)
          memcpy(from + n * 8, &v, 8);
        else
          memcpy(from + n * 4, &(uint32_t){(uint32_t)v}, 4);
      }
  check_cast(from, type, want, n);
}

static void whole_numbers(void) {
  check_whole(GA_INT, 32, 1);
  check_whole(GA_UINT, 32, 0);
  check_whole(GA_LONG, 64, 1);
  check_whole(GA_ULONG, 64, 0);
}

static void test_whole_numbers(void **state) {
  (void)state;
  assert_int_equal(nearest(1), 0x3f80);
  assert_int_equal(nearest(255), 0x437f);
  assert_int_equal(nearest(257), 0x4380);
  assert_int_equal(nearest(UINT64_MAX), 0x5f80);
  test_mappings(whole_numbers);
}

/* --- with halfs --- */

/* What is between is float: the sum of a half and a bfloat that neither type
 * holds, minus the half again. */
static void mixed(void) {
  enum { N = 100 };
  gpuelemwise_arg args[] = {{"y", GA_BFLOAT, GE_WRITE},
                            {"h", GA_HALF, GE_READ},
                            {"b", GA_BFLOAT, GE_READ},
                            {"s", GA_BFLOAT, GE_READ | GE_SCALAR}};
  const uint16_t two = 0x4000;
  const size_t n = N;
  uint16_t h[N], b[N], want[N];
  GpuArray x[3];

  for (int i = 0; i < N; i++) {
    h[i] = ga__half_from_float(1 + (float)i / 1024);
    b[i] = ga__bfloat_from_float(ldexpf(1, i - 50) * 1.5f);
    const float sum = ga__half_to_float(h[i]) + ga__bfloat_to_float(b[i]);
    want[i] = ga__bfloat_from_float((sum - ga__half_to_float(h[i])) * 2);
  }
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    GpuElemwise *ge = elemwise_make("y = ((h + b) - h) * s", 4, args, flags);

    test_array(&x[1], GA_HALF, 1, &n, h);
    test_array(&x[2], GA_BFLOAT, 1, &n, b);
    assert_ok(
        GpuArray_empty(&x[0], test_context(), GA_BFLOAT, 1, &n, GA_C_ORDER));
    assert_ok(
        GpuElemwise_call(ge, (void *[]){&x[0], &x[1], &x[2], (void *)&two}, 0));
    test_array_equal(&x[0], want);
    for (int i = 0; i < 3; i++)
      GpuArray_clear(&x[i]);
    GpuElemwise_free(ge);
  }
}

static void test_mixed(void **state) {
  (void)state;
  test_mappings(mixed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_to_float),
      cmocka_unit_test(test_all_from_float),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_whole_numbers),
      cmocka_unit_test(test_mixed),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
