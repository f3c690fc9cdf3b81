/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the operands of pooling and resizing. */
#include "pooling/pooling_check.h"

#include <gpuarray/device.h>

#include "array/operands.h"
#include "base/err.h"

static const char *const names[GA_POOLING_SLOTS] = {"source", "indices",
                                                    "result"};

static int check_given(const ga__pooling *j, unsigned int n) {
  if ((unsigned int)j->op > GA_POOLING_PICK)
    return ga__fail(GA_VALUE_ERROR, "operation %d, expected 0 to 2",
                    (int)j->op);
  if (n < 1 || n > GA_POOLING_ND)
    return ga__fail(GA_VALUE_ERROR, "windows along %u axes, expected 1 to %d",
                    n, GA_POOLING_ND);
  if (j->bands == NULL)
    return ga__fail(GA_INVALID_ERROR, "no bands");
  for (int k = 0; k < GA_POOLING_SLOTS; k++) {
    const int may_miss = k == GA_POOLING_INDEX
                             ? j->op != GA_POOLING_PICK
                             : k == GA_POOLING_Y && j->op == GA_POOLING_MAX &&
                                   j->array[GA_POOLING_INDEX] != NULL;

    if (j->array[k] == NULL && may_miss)
      continue;
    if (j->array[k] == NULL || j->array[k]->data == NULL)
      return ga__fail(GA_INVALID_ERROR, "%s: no array", names[k]);
  }
  return j->op == GA_POOLING_SUM && j->array[GA_POOLING_INDEX] != NULL
             ? ga__fail(GA_VALUE_ERROR, "a sum has no indices")
             : GA_NO_ERROR;
}

static int check_dtype(const ga__pooling *j) {
  const int code = j->array[GA_POOLING_X]->typecode;
  const ga__kind kind = ga__dtype_kind(code);
  int needs_float = j->op == GA_POOLING_PICK;

  for (int d = 0; d < j->gen.nw && j->op == GA_POOLING_SUM; d++)
    needs_float |= j->bands[d].weights != NULL;
  if (kind == GA_KIND_FLOAT ||
      (!needs_float && (kind == GA_KIND_INT || kind == GA_KIND_UINT)))
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR, "source: %s, expected %s",
                  ga__dtype_name(code),
                  needs_float ? "floats" : "real numbers");
}

static int check_strides(const ga__pooling *j, int k) {
  const GpuArray *a = j->array[k];

  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] > 1 &&
        a->strides[d] % (ssize_t)ga__dtype_size(a->typecode) != 0)
      return ga__fail(GA_COPY_ERROR, "%s: the strides need a copy", names[k]);
  }
  return ga__pooling_is_result(j, k) ? ga__operand_check_places(names[k], a)
                                     : GA_NO_ERROR;
}

/* Bands give the sizes of the source and, if `is_y`, of the results. The source
 * gives those of the batch. */
static int check_sizes(const ga__pooling *j, int k, int is_y) {
  const GpuArray *a = j->array[k], *x = j->array[GA_POOLING_X];
  const unsigned int lead = x->nd - (unsigned int)j->gen.nw;
  size_t dims[GA_ITER_ND];

  for (unsigned int d = 0; d < x->nd; d++) {
    const GpuBand *b = d < lead ? NULL : &j->bands[d - lead];
    dims[d] = b == NULL ? x->dimensions[d] : is_y ? b->n : b->from;
  }
  return ga__operand_place(NULL, names[k], a, x->nd, dims, 0);
}

static int check_arrays(const ga__pooling *j) {
  const GpuArray *x = j->array[GA_POOLING_X];

  if (x->nd < (unsigned int)j->gen.nw || x->nd > GA_ITER_ND)
    return ga__fail(GA_VALUE_ERROR, "source: %u dimensions, expected %d to %d",
                    x->nd, j->gen.nw, GA_ITER_ND);
  for (int k = 0; k < GA_POOLING_SLOTS; k++) {
    const GpuArray *a = j->array[k];
    const int type = k == GA_POOLING_INDEX ? GA_LONG
                     : k == GA_POOLING_Y   ? x->typecode
                                           : -1;

    if (a == NULL)
      continue;
    GA_TRY(ga__pooling_is_result(j, k)
               ? ga__operand_check_result(names[k], a, j->ctx, type)
               : ga__operand_check_array(names[k], a, j->ctx, type));
    GA_TRY(check_sizes(j, k, ga__pooling_is_result(j, k)));
    GA_TRY(check_strides(j, k));
    for (int i = 0; i < k; i++)
      if (j->array[i] != NULL && ga__pooling_is_result(j, k))
        GA_TRY(ga__operand_check_apart(names[k], a, names[i], j->array[i]));
  }
  return GA_NO_ERROR;
}

static int check_device(const ga__pooling *j) {
  if (ga__dtype_canon(j->array[GA_POOLING_X]->typecode) == GA_DOUBLE &&
      !gpucontext_caps(j->ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no float64");
  return GA_NO_ERROR;
}

int ga__pooling_check(ga__pooling *j, unsigned int n) {
  GA_TRY(check_given(j, n));
  j->ctx = GpuArray_context(j->array[GA_POOLING_X]);
  j->gen.nw = (int)n;
  for (unsigned int d = 0; d < n; d++)
    GA_TRY(ga__band_check(&j->bands[d]));
  GA_TRY(check_dtype(j));
  GA_TRY(check_arrays(j));
  return check_device(j);
}
