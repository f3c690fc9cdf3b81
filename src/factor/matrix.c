/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions of matrices share. */
#include "factor/matrix.h"

#include "array/elemwise_parts.h"
#include "base/assert.h"
#include "base/dtype.h"

int ga__matrix_open(GpuArray *result, const char *name, const GpuArray *a) {
  const ga__factor_array o = {.name = "a", .array = a};

  if (result == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", name);
  if (result == a)
    return ga__fail(GA_VALUE_ERROR,
                    "a result is the same array as another argument");
  *result = (GpuArray){0};
  return ga__factor_check_first(&o);
}

int ga__matrix_square(const GpuArray *a) {
  const ga__factor_array o = {.name = "a", .array = a};

  return ga__factor_check_square(&o);
}

int ga__matrix_is_empty(const GpuArray *a) {
  return a->dimensions[a->nd - 2] == 0 || a->dimensions[a->nd - 1] == 0;
}

int ga__matrix_map(const char *text, unsigned int n, const ga__term *terms) {
  const int real = ga__dtype_real(terms[0].array->typecode);
  gpucontext *const ctx = GpuArray_context(terms[0].array);
  gpuelemwise_arg args[GA_TERMS_MOST];
  void *values[GA_TERMS_MOST];
  double numbers[GA_TERMS_MOST];
  GpuElemwise *ge = NULL;
  int err;

  GA_ASSERT(n <= GA_TERMS_MOST);
  for (unsigned int k = 0; k < n; k++) {
    const GpuArray *const a = terms[k].array;

    if (a != NULL) {
      args[k] = (gpuelemwise_arg){terms[k].name, a->typecode, terms[k].flags};
      values[k] = (void *)a;
    } else {
      args[k] = (gpuelemwise_arg){terms[k].name, real, GE_SCALAR | GE_READ};
      ga__dtype_from_double(real, &numbers[k], terms[k].value);
      values[k] = &numbers[k];
    }
  }
  GA_CHECK(ga__elemwise_new(&ge, ctx, NULL, text, n, args, 0));
  GA_CHECK(GpuElemwise_call(ge, values, GE_BROADCAST));

done:
  GpuElemwise_free(ge);
  return err;
}

int ga__matrix_reduce(GpuArray *to, const GpuArray *a, ga_reduce_op op) {
  const unsigned int last = a->nd - 1;

  return GpuArray_reduction(to, a, op, 1, &last, 0, -1, -1);
}

int ga__matrix_element(GpuArray *v, const GpuArray *a, size_t i) {
  const unsigned int last = a->nd - 1;
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < a->nd; d++)
    dims[d] = d == last ? 1 : a->dimensions[d];
  return GpuArray_fromdata(v, a->data, a->offset + i * (size_t)a->strides[last],
                           a->typecode, a->nd, dims, a->strides, 1);
}

int ga__matrix_column(GpuArray *v, const GpuArray *values) {
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX];

  for (unsigned int d = 0; d < values->nd; d++) {
    dims[d] = values->dimensions[d];
    strides[d] = values->strides[d];
  }
  dims[values->nd] = 1;
  strides[values->nd] = 0;
  return GpuArray_fromdata(v, values->data, values->offset, values->typecode,
                           values->nd + 1, dims, strides, 1);
}

double ga__matrix_limit(const GpuArray *a) {
  const size_t m = a->dimensions[a->nd - 2], n = a->dimensions[a->nd - 1];

  return (double)(m > n ? m : n) * ga__dtype_epsilon(a->typecode);
}
