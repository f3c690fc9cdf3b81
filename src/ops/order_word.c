/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/order_word.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"

static uint64_t float_word(double v) {
  const uint64_t top = UINT64_C(1) << 63;
  uint64_t w;

  if (isnan(v))
    return UINT64_MAX;
  v = v == 0 ? 0 : v; /* no -0 */
  memcpy(&w, &v, sizeof w);
  return w & top ? ~w : w | top;
}

static uint64_t bits(size_t bytes, const void *p) {
  uint8_t a;
  uint16_t b;
  uint32_t c;
  uint64_t d;

  switch (bytes) {
  case 1:
    return memcpy(&a, p, bytes), a;
  case 2:
    return memcpy(&b, p, bytes), b;
  case 4:
    return memcpy(&c, p, bytes), c;
  default:
    return memcpy(&d, p, sizeof d), d;
  }
}

uint64_t gg__order_word(int dtype, const void *p) {
  const size_t bytes = ga__dtype_size(dtype);
  const ga__kind kind = ga__dtype_kind(dtype);

  if (kind == GA_KIND_FLOAT)
    return float_word(ga__dtype_to_double(dtype, p));
  return bits(bytes, p) ^
         (kind == GA_KIND_INT ? UINT64_C(1) << (8 * bytes - 1) : 0);
}
