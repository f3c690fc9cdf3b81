/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers of square matrices by repeated squaring. */
#include <gpuarray/create.h>

#include "factor/matrix.h"

/* x = the identity, for each matrix. */
static int set_identity(GpuArray *x, const GpuArray *a) {
  const size_t n = a->dimensions[a->nd - 1];
  GpuArray one = {0};
  int err;

  GA_CHECK(GpuArray_eye(&one, GpuArray_context(a), a->typecode, n, n, 0));
  GA_CHECK(GpuArray_empty(x, GpuArray_context(a), a->typecode, a->nd,
                          a->dimensions, GA_C_ORDER));
  GA_CHECK(GpuArray_setarray(x, &one));

done:
  GpuArray_clear(&one);
  return err;
}

/* Replace x by x b, or, if it is not there, by a copy of b. */
static int multiply_by(GpuArray *x, const GpuArray *b) {
  GpuArray to = {0};

  if (x->data == NULL)
    return GpuArray_copy(x, b, GA_C_ORDER);
  GA_TRY(ga__matrix_multiply(&to, x, b, 0));
  GpuArray_clear(x);
  *x = to;
  return GA_NO_ERROR;
}

/* x = a^n, n > 0. */
static int find_power(GpuArray *x, const GpuArray *a, uint64_t n) {
  GpuArray square = {0};
  int err;

  GA_CHECK(GpuArray_view(&square, a));
  for (; n != 0; n >>= 1) {
    if (n & 1)
      GA_CHECK(multiply_by(x, &square));
    if (n > 1)
      GA_CHECK(multiply_by(&square, &square));
  }

done:
  GpuArray_clear(&square);
  return err;
}

int GpuArray_matrix_power(GpuArray *x, const GpuArray *a, int64_t n) {
  GpuArray inverse = {0};
  int err;

  GA_TRY(ga__matrix_open(x, "x", a));
  GA_TRY(ga__matrix_square(a));
  if (n == 0) {
    GA_CHECK(set_identity(x, a));
  } else if (n > 0) {
    GA_CHECK(find_power(x, a, (uint64_t)n));
  } else {
    GA_CHECK(GpuArray_inverse(&inverse, NULL, a, 0));
    GA_CHECK(find_power(x, &inverse, 0 - (uint64_t)n));
  }

done:
  GpuArray_clear(&inverse);
  if (err != GA_NO_ERROR)
    GpuArray_clear(x);
  return err;
}
