/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements for tests of order. */
#ifndef ORDER_ELEMENTS_H
#define ORDER_ELEMENTS_H

#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "support/device.h"
#include "support/lcg.h"

/* n elements that repeat; floats with NaN, both zeros and infinities. The
 * caller frees them. */
static inline char *make_elements(int dtype, size_t n) {
  static const double odd[] = {NAN, -0.0, 0.0, INFINITY, -INFINITY};
  char *data = calloc(n + 1, 8);
  uint64_t state = 5;

  test_fill(data, dtype, n, -60, 60, 3);
  for (size_t i = 0; ga__dtype_kind(dtype) == GA_KIND_FLOAT && i < n; i += 4)
    test_set(data, dtype, i, odd[lcg_below(&state, 5)]);
  return data;
}

/* The first element of row r along an axis whose elements are `step` apart, in
 * an array in C order with n elements in each row. */
static inline size_t first_of_row(size_t r, size_t n, size_t step) {
  return r / step * n * step + r % step;
}

#endif
