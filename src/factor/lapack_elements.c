/* SPDX-License-Identifier: BSD-2-Clause */
#include "factor/lapack_elements.h"

#include <math.h>

/* Others times 0 are NaN. */
int ga__lapack_is_finite(const void *a, size_t n, size_t size) {
  enum { LANES = 8 };
  double sums[LANES] = {0}, sum = 0;
  float narrow[LANES] = {0};
  size_t i = 0;

  if (size == sizeof(double))
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        sums[k] += ((const double *)a)[i + k] * 0;
  else
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        narrow[k] += ((const float *)a)[i + k] * 0;
  for (; i < n; i++)
    sum += 0 * (size == sizeof(double) ? ((const double *)a)[i]
                                       : (double)((const float *)a)[i]);
  for (size_t k = 0; k < LANES; k++)
    sum += sums[k] + (double)narrow[k];
  return sum == 0;
}

void ga__lapack_fill_nan(void *a, size_t n, size_t size) {
  for (size_t i = 0; i < n; i++) {
    if (size == sizeof(double))
      ((double *)a)[i] = NAN;
    else
      ((float *)a)[i] = NAN;
  }
}
