/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudo-inverses, from singular values. */
#include <gpuarray/elemwise.h>
#include <math.h>

#include "base/dtype.h"
#include "factor/matrix.h"

/* Divide the rows of vt by their singular values, or make them 0. */
static int divide_rows(const GpuArray *vt, const GpuArray *values,
                       double rcond) {
  const int is_complex = ga__dtype_is_complex(vt->typecode);
  GpuArray first = {0}, most = {0}, s = {0};
  int err;

  GA_CHECK(ga__matrix_element(&first, values, 0));
  GA_CHECK(ga__matrix_column(&most, &first));
  GA_CHECK(ga__matrix_column(&s, values));
  GA_CHECK(ga__matrix_map(is_complex ? "v.r = s <= most * part ? 0 : v.r / s;"
                                       "v.i = s <= most * part ? 0 : v.i / s"
                                     : "v = s <= most * part ? 0 : v / s",
                          4,
                          (ga__term[]){{"v", vt, GE_READ | GE_WRITE, 0},
                                       {"s", &s, GE_READ, 0},
                                       {"most", &most, GE_READ, 0},
                                       {.name = "part", .value = rcond}}));

done:
  GpuArray_clear(&s);
  GpuArray_clear(&most);
  GpuArray_clear(&first);
  return err;
}

static int make_empty(GpuArray *x, const GpuArray *a) {
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < a->nd; d++)
    dims[d] = a->dimensions[d];
  dims[a->nd - 2] = a->dimensions[a->nd - 1];
  dims[a->nd - 1] = a->dimensions[a->nd - 2];
  return GpuArray_empty(x, GpuArray_context(a), a->typecode, a->nd, dims,
                        GA_C_ORDER);
}

int GpuArray_pinv(GpuArray *x, const GpuArray *a, double rcond) {
  GpuArray u = {0}, values = {0}, vt = {0};
  int err;

  GA_TRY(ga__matrix_open(x, "x", a));
  if (isnan(rcond))
    return ga__fail(GA_VALUE_ERROR, "rcond is NaN");
  if (ga__matrix_is_empty(a))
    return make_empty(x, a);
  GA_CHECK(GpuArray_svd(&u, &values, &vt, a, 0));
  GA_CHECK(divide_rows(&vt, &values, rcond < 0 ? ga__matrix_limit(a) : rcond));
  GA_CHECK(ga__matrix_multiply(x, &vt, &u, GA_FACTOR_CONJ_TRANS));

done:
  GpuArray_clear(&vt);
  GpuArray_clear(&values);
  GpuArray_clear(&u);
  return err;
}
