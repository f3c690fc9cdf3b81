/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/order/order_word.h"

#include <math.h>
#include <stdlib.h>
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

static int compare_items(const void *a, const void *b) {
  const gg__order_item *x = a, *y = b;

  if (x->word != y->word)
    return x->word < y->word ? -1 : 1;
  return x->at < y->at ? -1 : 1;
}

void gg__order_items(gg__order_item *items, size_t n) {
  if (n > 0)
    qsort(items, n, sizeof *items, compare_items);
}

gg__host_rows gg__host_rows_of(const GpuArray *x, unsigned int axis) {
  gg__host_rows r = {.count = 1, .n = x->dimensions[axis], .step = 1};

  for (unsigned int d = 0; d < x->nd; d++) {
    r.count *= d != axis ? x->dimensions[d] : 1;
    r.step *= d > axis ? x->dimensions[d] : 1;
  }
  return r;
}

size_t gg__host_row(const gg__host_rows *r, size_t i, size_t n) {
  return i / r->step * n * r->step + i % r->step;
}
