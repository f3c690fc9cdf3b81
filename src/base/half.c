/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions of narrow floats: a sign bit, exponent bits, fraction bits. */
#include "base/half.h"

#include <string.h>

typedef struct format {
  int frac_bits;
  int max_exp; /* of finite numbers */
} format;

static const format half = {10, 15}, bfloat = {7, 127};

/* Round to nearest even. */
static uint16_t narrow(double d, format f) {
  const uint64_t one = 1;
  const int min_exp = 1 - f.max_exp; /* of normal numbers */
  const unsigned inf = (2 * (unsigned)f.max_exp + 1) << f.frac_bits;
  uint64_t u;
  int shift = 52 - f.frac_bits; /* fraction bits that are dropped */

  memcpy(&u, &d, sizeof u);
  unsigned sign = (unsigned)(u >> 48) & 0x8000u;
  uint64_t frac = u & ((one << 52) - 1);
  int e = (int)((u >> 52) & 0x7ffu) - 1023;
  if (e == 1024 && frac != 0) /* a NaN; make it quiet */
    return (uint16_t)(sign | inf | 1u << (f.frac_bits - 1) |
                      (unsigned)(frac >> shift));
  if (e > f.max_exp)
    return (uint16_t)(sign | inf);
  /* Less than half of the smallest subnormal? */
  if (e < min_exp - f.frac_bits - 1)
    return (uint16_t)sign;

  frac |= one << 52;
  if (e < min_exp)
    shift += min_exp - e;
  unsigned bits = (unsigned)(frac >> shift);
  uint64_t rest = frac & ((one << shift) - 1);
  uint64_t tie = one << (shift - 1);
  if (rest > tie || (rest == tie && (bits & 1u) != 0))
    bits++;
  /* The leading bit of a normal number adds 1 to the exponent field. So does a
   * carry out of the fraction, which may give infinity. */
  if (e >= min_exp)
    bits += (unsigned)(e - min_exp) << f.frac_bits;
  return (uint16_t)(sign | bits);
}

uint16_t ga__half_from_float(float f) {
  return narrow((double)f, half);
}

uint16_t ga__half_from_double(double d) {
  return narrow(d, half);
}

float ga__half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t e = (h >> 10) & 0x1fu;
  uint32_t frac = h & 0x3ffu;
  float f;

  if (e == 0) {
    f = (float)frac * 0x1p-24f; /* exact */
    return sign != 0 ? -f : f;
  }
  uint32_t u = sign | (e == 31 ? 255u : e + 112u) << 23 | frac << 13;
  memcpy(&f, &u, sizeof f);
  return f;
}

uint16_t ga__bfloat_from_float(float f) {
  return narrow((double)f, bfloat);
}

uint16_t ga__bfloat_from_double(double d) {
  return narrow(d, bfloat);
}

float ga__bfloat_to_float(uint16_t b) {
  const uint32_t u = (uint32_t)b << 16;
  float f;

  memcpy(&f, &u, sizeof f);
  return f;
}
