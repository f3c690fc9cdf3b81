/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/fresh.h"

#include "base/err.h"

int ga__fresh(unsigned int n, GpuArray *const *results, unsigned int n_operands,
              const GpuArray *const *operands) {
  for (unsigned int i = 0; i < n; i++) {
    if (results[i] == NULL)
      continue;
    for (unsigned int k = 0; k < n_operands; k++) {
      if (results[i] == operands[k])
        return ga__fail(GA_VALUE_ERROR,
                        "a result is the same array as an operand");
    }
    for (unsigned int k = 0; k < i; k++) {
      if (results[i] == results[k])
        return ga__fail(GA_VALUE_ERROR, "two results are the same array");
    }
  }
  for (unsigned int i = 0; i < n; i++) {
    if (results[i] != NULL)
      *results[i] = (GpuArray){0};
  }
  return GA_NO_ERROR;
}

int ga__fresh_one(GpuArray *result, unsigned int n_operands,
                  const GpuArray *const *operands) {
  if (result == NULL)
    return ga__fail(GA_INVALID_ERROR, "the result is NULL");
  return ga__fresh(1, &result, n_operands, operands);
}
