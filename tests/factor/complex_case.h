/* SPDX-License-Identifier: BSD-2-Clause */
/* Dtypes of tests of complex factors, and their integers. */
#ifndef FACTOR_COMPLEX_CASE_H
#define FACTOR_COMPLEX_CASE_H

#include "factor/complex_matrices.h"

/* Of the matrices, and whether there are but a few cases. */
static int tested, is_short;

/* Run `each` with complex64, as for a GPU, too, and a few cases with
 * complex128. */
static inline void with_dtypes(void (*each)(void)) {
  tested = GA_CFLOAT;
  is_short = test_is_quick();
  test_mappings(each);
  if (gpucontext_caps(test_context())->fp64) {
    tested = GA_CDOUBLE;
    is_short = 1;
    each();
  }
}

/* Integers of a result, on the host; what they hold before is no result. */
static inline void ints_array(GpuArray *a, unsigned int lead,
                              const size_t *dims, unsigned int more, size_t n) {
  size_t sizes[MOST_ND], count = 1;

  for (unsigned int d = 0; d < lead; d++)
    count *= sizes[d] = dims[d];
  sizes[lead] = n;
  int32_t *v = malloc((count * (n + 1) + 1) * sizeof *v);
  memset(v, 0x55, (count * (n + 1) + 1) * sizeof *v);
  test_array(a, GA_INT, lead + more, sizes, v);
  free(v);
}

/* Reads and clears the array; the caller frees the integers. */
static inline int32_t *ints_of(GpuArray *a) {
  int32_t *v = calloc(test_size(a) + 1, sizeof *v);

  test_gather(a, v);
  GpuArray_clear(a);
  return v;
}

static inline int is_nan(number v) {
  return isnan(creal(v)) && isnan(cimag(v));
}

#endif
