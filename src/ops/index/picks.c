/* SPDX-License-Identifier: BSD-2-Clause */
/* What indices select along an axis. The header has the rules. */
#include "ops/index/picks.h"

int gg__picks_elements(const gg_apply *a) {
  return gg__rank(a, 1) == gg__rank(a, 0);
}

/* Is x read more than once along axis d, other than that of the indices? It is
 * where its size is known to be 1 and that of the indices is not. */
static int repeats(const gg_apply *a, unsigned int d) {
  return a->op->takes != NULL && gg_var_type(a->in[0])->dims[d] == 1 &&
         gg_var_type(a->in[1])->dims[d] != 1;
}

int gg__picks_infer(const gg_apply *a, unsigned int axis, gg_type *out) {
  const gg_type *index = gg_var_type(a->in[1]);

  *out = *gg_var_type(a->in[0]);
  GA_ASSERT(axis < out->nd && (index->nd == 1 || index->nd == out->nd));
  for (unsigned int d = 0; d < out->nd && gg__picks_elements(a); d++) {
    const int64_t n = index->dims[d];
    if (d == axis || n == 1)
      continue;
    if (repeats(a, d))
      out->dims[d] = n;
    if (n != GG_ANY && out->dims[d] != GG_ANY && n != out->dims[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the indices have %lld, expected %lld", d,
                        (long long)n, (long long)out->dims[d]);
    if (out->dims[d] == GG_ANY)
      out->dims[d] = n;
  }
  out->dims[axis] = index->dims[gg__picks_elements(a) ? axis : 0];
  return GA_NO_ERROR;
}

int gg__picks_shape(const gg_apply *a, unsigned int axis, const gg_dims *in,
                    gg_dims *out) {
  const gg_type *index = gg_var_type(a->in[1]);
  const int elements = gg__picks_elements(a);

  *out = in[0];
  for (unsigned int d = 0; d < out->nd && elements; d++) {
    if (d == axis || index->dims[d] == 1)
      continue;
    if (repeats(a, d))
      out->dim[d] = in[1].dim[d];
    if (in[1].dim[d] != out->dim[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the indices have %zu, expected %zu", d,
                        in[1].dim[d], in[0].dim[d]);
  }
  out->dim[axis] = in[1].dim[elements ? axis : 0];
  return GA_NO_ERROR;
}

/* Whether each index selects a whole slice: the indices are a vector, or have
 * size 1 along all other axes. */
static int is_vector(const GpuArray *index, unsigned int axis, int elements) {
  for (unsigned int d = 0; elements && d < index->nd; d++)
    if (d != axis && index->dimensions[d] != 1)
      return 0;
  return 1;
}

int gg__picks_view(const gg_prepare *p, unsigned int axis, GpuArray *out,
                   int *is_slices) {
  const GpuArray *const index = p->in[1];
  const int elements = gg__picks_elements(p->apply);
  size_t dims[GG_MAX_ND];
  ssize_t strides[GG_MAX_ND];
  unsigned int nd = 1;

  *is_slices = is_vector(index, axis, elements);
  if (*is_slices) {
    dims[0] = index->dimensions[elements ? axis : 0];
    strides[0] = index->strides[elements ? axis : 0];
  } else {
    nd = index->nd;
    for (unsigned int d = 0; d < nd; d++) {
      const int is_one = d != axis && index->dimensions[d] == 1;
      dims[d] = (d == axis ? index : p->out[0])->dimensions[d];
      strides[d] = is_one ? 0 : index->strides[d];
    }
  }
  return GpuArray_fromdata(out, index->data, index->offset, index->typecode, nd,
                           dims, strides, 0);
}

int gg__picks_source(const gg_prepare *p, unsigned int axis, GpuArray *out) {
  const GpuArray *const x = p->in[0];
  size_t dims[GG_MAX_ND];
  ssize_t strides[GG_MAX_ND];

  for (unsigned int d = 0; d < x->nd; d++) {
    const int is_one = d != axis && x->dimensions[d] == 1;
    dims[d] = (d == axis ? x : p->out[0])->dimensions[d];
    strides[d] = is_one ? 0 : x->strides[d];
  }
  return GpuArray_fromdata(out, x->data, x->offset, x->typecode, x->nd, dims,
                           strides, 0);
}

size_t gg__pick(const gg_prepare *p, unsigned int axis, size_t k, int *is_out) {
  const GpuArray *const x = p->in[0], *const index = p->in[1];
  const int elements = gg__picks_elements(p->apply);
  const double rows = (double)x->dimensions[axis];
  size_t at = 0, step = 1, row_step = 0, from = 0, index_step = 1;

  for (unsigned int d = x->nd; d-- > 0;) {
    const size_t n = d != axis ? p->out[0]->dimensions[d]
                               : index->dimensions[elements ? axis : 0];
    const size_t i = k % n;
    k /= n;
    if (d == axis)
      row_step = step;
    else if (x->dimensions[d] != 1)
      at += i * step;
    step *= x->dimensions[d];
    if (elements && index->dimensions[d] != 1)
      from += i * index_step;
    if (elements)
      index_step *= index->dimensions[d];
    else if (d == axis)
      from = i;
  }
  double row = ga__dtype_to_double(index->typecode,
                                   (const char *)p->from[1] +
                                       from * ga__dtype_size(index->typecode));
  row += row < 0 ? rows : 0;
  *is_out = row < 0 || row >= rows;
  row = row < 0 ? 0 : row >= rows ? rows - 1 : row;
  return at + (size_t)row * row_step;
}

size_t gg__picks_count(const gg_prepare *p, unsigned int axis) {
  const GpuArray *const out = p->out[0], *const index = p->in[1];
  size_t n = index->dimensions[gg__picks_elements(p->apply) ? axis : 0];

  for (unsigned int d = 0; d < out->nd; d++)
    n *= d != axis ? out->dimensions[d] : 1;
  return n;
}

int gg__picks_check(const gg_apply *a, unsigned int axis) {
  GA_TRY(gg__check_axis_of(a, 0, axis));
  if (gg__rank(a, 1) != 1)
    GA_TRY(gg__check_ranks(a, 0, 1));
  return GA_NO_ERROR;
}

int gg__check_picks(const gg_op *op, gg_var *x, int axis, gg_var *index,
                    int elements, unsigned int *k) {
  gg_var *const in[2] = {x, index};

  if (!gg__given(op, 2, in) || gg__axis(x, op, axis, k) != GA_NO_ERROR)
    return 0;
  if (gg_var_type(index)->nd != (elements ? gg_var_type(x)->nd : 1) ||
      !gg__is_integer(gg_var_type(index)->dtype))
    return gg__refuse(op, 2, in, GA_VALUE_ERROR, "expected %s",
                      elements ? "integers of the same rank"
                               : "a vector of integers") != NULL;
  return 1;
}
