/* SPDX-License-Identifier: BSD-2-Clause */
/* Determinants, from LU factors. */
#include <gpuarray/create.h>
#include <gpuarray/elemwise.h>

#include "base/dtype.h"
#include "factor/matrix.h"

/* Make an array of the sizes of the diagonals of `a`. */
static int make_vectors(GpuArray *to, const GpuArray *a, int typecode) {
  return GpuArray_empty(to, GpuArray_context(a), typecode, a->nd - 1,
                        a->dimensions, GA_C_ORDER);
}

static int view_diagonal(GpuArray *v, const GpuArray *a) {
  const unsigned int last = a->nd - 1;
  ssize_t strides[GA_ND_MAX];

  for (unsigned int d = 0; d < last; d++)
    strides[d] = a->strides[d];
  strides[last - 1] += a->strides[last];
  return GpuArray_fromdata(v, a->data, a->offset, a->typecode, last,
                           a->dimensions, strides, 1);
}

/* Make the positions 0, 1, ... of pivots, [1, ..., n]. */
static int make_positions(GpuArray *to, const GpuArray *pivots) {
  const unsigned int last = pivots->nd - 1;
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < last; d++)
    dims[d] = 1;
  dims[last] = pivots->dimensions[last];
  GA_TRY(GpuArray_arange(to, GpuArray_context(pivots), GA_INT, 0,
                         (double)dims[last], 1));
  return GpuArray_reshape_inplace(to, pivots->nd, dims, GA_C_ORDER);
}

/* The diagonals of U, of which those elements change their sign whose row was
 * exchanged: their products are the determinants. */
static int find_factors(GpuArray *to, const GpuArray *a) {
  const int is_complex = ga__dtype_is_complex(a->typecode);
  GpuArray lu = {0}, pivots = {0}, diagonal = {0}, positions = {0};
  int err;

  GA_CHECK(ga__matrix_square(a));
  GA_CHECK(GpuArray_lu(&lu, &pivots, NULL, NULL, a));
  GA_CHECK(view_diagonal(&diagonal, &lu));
  GA_CHECK(make_positions(&positions, &pivots));
  GA_CHECK(make_vectors(to, a, a->typecode));
  GA_CHECK(ga__matrix_map(
      is_complex ? "f.r = p != i ? -d.r : d.r; f.i = p != i ? -d.i : d.i"
                 : "f = p != i ? -d : d",
      4,
      (ga__term[]){{"f", to, GE_WRITE, 0},
                   {"d", &diagonal, GE_READ, 0},
                   {"p", &pivots, GE_READ, 0},
                   {"i", &positions, GE_READ, 0}}));

done:
  GpuArray_clear(&positions);
  GpuArray_clear(&diagonal);
  GpuArray_clear(&pivots);
  GpuArray_clear(&lu);
  return err;
}

int GpuArray_det(GpuArray *det, const GpuArray *a) {
  GpuArray factors = {0};
  int err;

  GA_TRY(ga__matrix_open(det, "det", a));
  GA_CHECK(find_factors(&factors, a));
  GA_CHECK(ga__matrix_reduce(det, &factors, GA_REDUCE_PROD));

done:
  GpuArray_clear(&factors);
  return err;
}

/* The signs and the logarithms of the factors. */
static int divide(GpuArray *signs, GpuArray *logs, const GpuArray *factors) {
  const int is_complex = ga__dtype_is_complex(factors->typecode);
  static const char complex_text[] =
      "s.r = f.r == 0 && f.i == 0 ? 0 : f.r / hypot(f.r, f.i);"
      "s.i = f.r == 0 && f.i == 0 ? 0 : f.i / hypot(f.r, f.i);"
      "l = log(hypot(f.r, f.i))";

  return ga__matrix_map(is_complex ? complex_text
                                   : "s = f > 0 ? 1 : f < 0 ? -1 : f;"
                                     "l = log(fabs(f))",
                        3,
                        (ga__term[]){{"f", factors, GE_READ, 0},
                                     {"s", signs, GE_WRITE, 0},
                                     {"l", logs, GE_WRITE, 0}});
}

static int open_both(GpuArray *sign, GpuArray *logdet, const GpuArray *a) {
  if (sign == NULL && logdet == NULL)
    return ga__fail(GA_INVALID_ERROR, "sign and logdet: no array");
  if (sign == logdet)
    return ga__fail(GA_VALUE_ERROR,
                    "a result is the same array as another argument");
  if (sign != NULL)
    GA_TRY(ga__matrix_open(sign, "sign", a));
  return logdet != NULL ? ga__matrix_open(logdet, "logdet", a) : GA_NO_ERROR;
}

int GpuArray_slogdet(GpuArray *sign, GpuArray *logdet, const GpuArray *a) {
  GpuArray factors = {0}, signs = {0}, logs = {0};
  int err;

  GA_TRY(open_both(sign, logdet, a));
  GA_CHECK(find_factors(&factors, a));
  GA_CHECK(make_vectors(&signs, a, a->typecode));
  GA_CHECK(make_vectors(&logs, a, ga__dtype_real(a->typecode)));
  GA_CHECK(divide(&signs, &logs, &factors));
  if (sign != NULL)
    GA_CHECK(ga__matrix_reduce(sign, &signs, GA_REDUCE_PROD));
  if (logdet != NULL)
    GA_CHECK(ga__matrix_reduce(logdet, &logs, GA_REDUCE_SUM));

done:
  if (err != GA_NO_ERROR && sign != NULL)
    GpuArray_clear(sign);
  GpuArray_clear(&logs);
  GpuArray_clear(&signs);
  GpuArray_clear(&factors);
  return err;
}
