/* SPDX-License-Identifier: BSD-2-Clause */
/* Kronecker products, as one expression of views with axes of size 1. */
#include <gpuarray/elemwise.h>

#include "base/dtype.h"
#include "factor/matrix.h"

/* View matrices, [..., m, n], with two more axes: as [..., m, 1, n, 1], or with
 * `is_inner` as [..., 1, m, 1, n]. */
static int spread(GpuArray *v, const GpuArray *a, unsigned int is_inner) {
  const unsigned int lead = a->nd - 2;
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX];

  for (unsigned int d = 0; d < lead; d++) {
    dims[d] = a->dimensions[d];
    strides[d] = a->strides[d];
  }
  for (unsigned int k = 0; k < 2; k++) {
    const unsigned int at = lead + 2 * k;

    dims[at + is_inner] = a->dimensions[lead + k];
    strides[at + is_inner] = a->strides[lead + k];
    dims[at + !is_inner] = 1;
    strides[at + !is_inner] = 0;
  }
  return GpuArray_fromdata(v, a->data, a->offset, a->typecode, lead + 4, dims,
                           strides, 1);
}

static int multiply(GpuArray *x, const GpuArray *a, const GpuArray *b) {
  const int is_complex = ga__dtype_is_complex(a->typecode);

  return ga__matrix_map(is_complex ? "x.r = a.r * b.r - a.i * b.i;"
                                     "x.i = a.r * b.i + a.i * b.r"
                                   : "x = a * b",
                        3,
                        (ga__term[]){{"x", x, GE_WRITE, 0},
                                     {"a", a, GE_READ, 0},
                                     {"b", b, GE_READ, 0}});
}

/* Make the result with the axes of both views, [..., m, p, n, q]. */
static int make(GpuArray *x, const GpuArray *a, const GpuArray *b) {
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < a->nd; d++)
    dims[d] = a->dimensions[d] == 1 ? b->dimensions[d] : a->dimensions[d];
  return GpuArray_empty(x, GpuArray_context(a), a->typecode, a->nd, dims,
                        GA_C_ORDER);
}

/* Join the axes to [..., m p, n q]. */
static int join(GpuArray *x) {
  const unsigned int nd = x->nd - 2;
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < nd; d++)
    dims[d] = x->dimensions[d];
  dims[nd - 2] = x->dimensions[nd - 2] * x->dimensions[nd - 1];
  dims[nd - 1] = x->dimensions[nd] * x->dimensions[nd + 1];
  return GpuArray_reshape_inplace(x, nd, dims, GA_C_ORDER);
}

static int check(const GpuArray *a, const GpuArray *b) {
  const ga__factor_array first = {.name = "a", .array = a},
                         second = {.name = "b", .array = b};

  GA_TRY(ga__factor_check(&second, &first, 0));
  if (a->nd + 2 > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %u dimensions, at most %d", a->nd,
                    GA_ND_MAX - 2);
  return GA_NO_ERROR;
}

int GpuArray_kron(GpuArray *x, const GpuArray *a, const GpuArray *b) {
  GpuArray outer = {0}, inner = {0};
  int err;

  if (x != NULL && x == b)
    return ga__fail(GA_VALUE_ERROR,
                    "a result is the same array as another argument");
  GA_TRY(ga__matrix_open(x, "x", a));
  GA_TRY(check(a, b));
  GA_CHECK(spread(&outer, a, 0));
  GA_CHECK(spread(&inner, b, 1));
  GA_CHECK(make(x, &outer, &inner));
  GA_CHECK(multiply(x, &outer, &inner));
  GA_CHECK(join(x));

done:
  GpuArray_clear(&inner);
  GpuArray_clear(&outer);
  if (err != GA_NO_ERROR)
    GpuArray_clear(x);
  return err;
}
