/* SPDX-License-Identifier: BSD-2-Clause */
/* IEEE binary16 on the host: 1 sign bit, 5 exponent bits, 10 fraction bits. */
#include "base/half.h"

#include <string.h>

uint16_t ga__half_from_float(float f) {
  return ga__half_from_double((double)f);
}

uint16_t ga__half_from_double(double d) {
  const uint64_t one = 1;
  uint64_t u;
  unsigned shift = 42; /* 52 - 10 fraction bits are dropped */

  memcpy(&u, &d, sizeof u);
  unsigned sign = (unsigned)(u >> 48) & 0x8000u;
  uint64_t frac = u & ((one << 52) - 1);
  int e = (int)((u >> 52) & 0x7ffu) - 1023;
  if (e == 1024 && frac != 0) /* a NaN; make it quiet */
    return (uint16_t)(sign | 0x7e00u | (unsigned)(frac >> 42));
  if (e > 15)
    return (uint16_t)(sign | 0x7c00u);
  if (e < -25) /* less than half of the smallest subnormal */
    return (uint16_t)sign;

  frac |= one << 52;
  if (e < -14)
    shift += (unsigned)(-14 - e);
  unsigned half = (unsigned)(frac >> shift);
  uint64_t rest = frac & ((one << shift) - 1);
  uint64_t tie = one << (shift - 1);
  if (rest > tie || (rest == tie && (half & 1u) != 0))
    half++;
  /* The leading bit of a normal number adds 1 to the exponent field. So does a
   * carry out of the fraction, which may give infinity. */
  if (e >= -14)
    half += (unsigned)(e + 14) << 10;
  return (uint16_t)(sign | half);
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
