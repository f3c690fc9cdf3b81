/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain C versions of what is not elementwise: sizes, views, indices,
 * reductions. */
#include "support/interp_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "ops/ops.h"

/* --- sizes --- */

static void op_shape(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__axis_props *p = a->props;

  tensor_make(out, 0, NULL);
  out->v[0] = (double)in[0]->dim[p->axis];
}

static void op_size(const gg_apply *a, const tensor *const *in, tensor *out) {
  (void)a;
  tensor_make(out, 0, NULL);
  out->v[0] = (double)in[0]->n;
}

static void op_iota(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__axis_props *p = a->props;

  tensor_make(out, 1, &in[0]->dim[p->axis]);
  for (size_t i = 0; i < out->n; i++)
    out->v[i] = (double)i;
}

/* Bitwise for integers, logical for bool: not is both. */
static void op_not(const gg_apply *a, const tensor *const *in, tensor *out) {
  const int is_bool = gg_var_type(a->in[0])->dtype == GA_BOOL;

  tensor_make(out, in[0]->nd, in[0]->dim);
  for (size_t i = 0; i < out->n; i++)
    out->v[i] = is_bool ? in[0]->v[i] == 0 : -in[0]->v[i] - 1;
}

/* Integers divided by 0 give 0. */
static void guard_zero(const gg_apply *a, const tensor *const *in,
                       tensor *out) {
  size_t coord[GG_MAX_ND], i;

  if (ga__dtype_kind(gg_var_type(a->in[0])->dtype) == GA_KIND_FLOAT)
    return;
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    if (in[1]->v[tensor_at(in[1], coord)] == 0)
      out->v[i] = 0;
  }
}

static void int_divide(const gg_apply *a, const tensor *const *in,
                       tensor *out) {
  size_t coord[GG_MAX_ND], dims[GG_MAX_ND], i;
  double x[2];
  int known;

  for (unsigned int k = 0; k < in[0]->nd; k++)
    dims[k] = in[0]->dim[k] == 1 ? in[1]->dim[k] : in[0]->dim[k];
  tensor_make(out, in[0]->nd, dims);
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    x[0] = in[0]->v[tensor_at(in[0], coord)];
    x[1] = in[1]->v[tensor_at(in[1], coord)];
    out->v[i] = interp_scalar(a->op->name, x, &known);
  }
  guard_zero(a, in, out);
}

/* --- views --- */

static void op_dimshuffle(const gg_apply *a, const tensor *const *in,
                          tensor *out) {
  const gg__dimshuffle_props *p = a->props;
  size_t dims[GG_MAX_ND], to[GG_MAX_ND], from[GG_MAX_ND] = {0}, i;

  for (unsigned int k = 0; k < p->nd; k++)
    dims[k] = p->pattern[k] < 0 ? 1 : in[0]->dim[p->pattern[k]];
  tensor_make(out, p->nd, dims);
  if (out->n != in[0]->n)
    fail_msg("dimshuffle drops an axis that is not 1");
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, to);
    for (unsigned int k = 0; k < p->nd; k++)
      if (p->pattern[k] >= 0)
        from[p->pattern[k]] = to[k];
    out->v[i] = in[0]->v[tensor_at(in[0], from)];
  }
}

static void same_elements(const tensor *in, tensor *out, unsigned int nd,
                          const size_t *dims) {
  tensor_make(out, nd, dims);
  if (out->n != in->n)
    fail_msg("reshape: %zu elements do not fill %zu", in->n, out->n);
  memcpy(out->v, in->v, in->n * sizeof *in->v);
}

static void op_reshape(const gg_apply *a, const tensor *const *in,
                       tensor *out) {
  const gg__reshape_props *p = a->props;
  size_t dims[GG_MAX_ND], rest = 1;

  for (unsigned int k = 0; k < (unsigned int)p->nd; k++)
    if (p->dims[k] >= 0)
      rest *= (size_t)p->dims[k];
  for (unsigned int k = 0; k < (unsigned int)p->nd; k++)
    dims[k] = p->dims[k] >= 0 ? (size_t)p->dims[k]
                              : in[0]->n / (rest != 0 ? rest : 1);
  same_elements(in[0], out, (unsigned int)p->nd, dims);
}

static void op_reshape_like(const gg_apply *a, const tensor *const *in,
                            tensor *out) {
  (void)a;
  same_elements(in[0], out, in[1]->nd, in[1]->dim);
}

static void op_extent(const gg_apply *a, const tensor *const *in, tensor *out) {
  size_t dims[GG_MAX_ND], i;

  for (i = 0; i < a->n_in; i++)
    dims[i] = (size_t)in[i]->v[0];
  tensor_make(out, a->n_in, dims);
  for (i = 0; i < out->n; i++)
    out->v[i] = 0;
}

static void op_vector(const gg_apply *a, const tensor *const *in, tensor *out) {
  const size_t n = a->n_in;

  tensor_make(out, 1, &n);
  for (size_t i = 0; i < n; i++)
    out->v[i] = in[i]->v[0];
}

/* Sizes are operands of one number each. */
static void op_reshape_sizes(const gg_apply *a, const tensor *const *in,
                             tensor *out) {
  size_t dims[GG_MAX_ND], rest = 1;

  for (unsigned int k = 1; k < a->n_in; k++)
    if (in[k]->v[0] >= 0)
      rest *= (size_t)in[k]->v[0];
  for (unsigned int k = 1; k < a->n_in; k++)
    dims[k - 1] = in[k]->v[0] >= 0 ? (size_t)in[k]->v[0]
                                   : in[0]->n / (rest != 0 ? rest : 1);
  same_elements(in[0], out, a->n_in - 1, dims);
}

static void op_specify_shape(const gg_apply *a, const tensor *const *in,
                             tensor *out) {
  (void)a;
  same_elements(in[0], out, in[0]->nd, in[0]->dim);
}

/* The indices of a slice of n elements, Python's way: count them one by one. */
static size_t slice_indices(const gg__slice_props *p, int64_t n, int64_t *idx) {
  const int64_t step = p->step;
  int64_t start = p->start, stop = p->stop;
  size_t count = 0;

  if (start == GG_END)
    start = step > 0 ? 0 : n - 1;
  else if (start < 0)
    start = start + n < 0 ? (step > 0 ? 0 : -1) : start + n;
  else if (start >= n)
    start = step > 0 ? n : n - 1;
  if (stop == GG_END)
    stop = step > 0 ? n : -1;
  else if (stop < 0)
    stop = stop + n < 0 ? -1 : stop + n;
  else if (stop > n)
    stop = n;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    idx[count++] = i;
    if (step > n || step < -n)
      break; /* the sum might overflow */
  }
  return count;
}

/* Along `axis`, out index i is in index idx[i]. */
static void gather_axis(const tensor *in, tensor *out, size_t axis, size_t n,
                        const int64_t *idx) {
  size_t dims[GG_MAX_ND], coord[GG_MAX_ND], i;

  memcpy(dims, in->dim, sizeof dims);
  dims[axis] = n;
  tensor_make(out, in->nd, dims);
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    coord[axis] = (size_t)idx[coord[axis]];
    out->v[i] = in->v[tensor_at(in, coord)];
  }
}

/* Add `in` into `out` at idx[i] along `axis`. */
static void scatter_axis(const tensor *in, tensor *out, size_t axis,
                         const int64_t *idx) {
  size_t coord[GG_MAX_ND], i;

  for (i = 0; i < in->n; i++) {
    tensor_coord(in, i, coord);
    coord[axis] = (size_t)idx[coord[axis]];
    out->v[tensor_at(out, coord)] += in->v[i];
  }
}

#define MAX_AXIS 4096 /* size of an axis that is sliced or taken from */

/* The slice of a node: its properties, or its last three operands. */
static gg__slice_props slice_of(const gg_apply *a, const tensor *const *in) {
  const gg__axis_props *axis = a->props;
  const tensor *const *bound = in + a->n_in - 3;

  if (a->op->number_only == 0)
    return *(const gg__slice_props *)a->props;
  return (gg__slice_props){axis->axis, (int64_t)bound[0]->v[0],
                           (int64_t)bound[1]->v[0], (int64_t)bound[2]->v[0]};
}

static void op_slice(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__slice_props p = slice_of(a, in);
  int64_t idx[MAX_AXIS];
  size_t n = slice_indices(&p, (int64_t)in[0]->dim[p.axis], idx);

  gather_axis(in[0], out, (size_t)p.axis, n, idx);
}

static void op_slice_grad(const gg_apply *a, const tensor *const *in,
                          tensor *out) {
  const gg__slice_props p = slice_of(a, in);
  int64_t idx[MAX_AXIS];
  size_t n = slice_indices(&p, (int64_t)in[0]->dim[p.axis], idx);

  if (n != in[1]->dim[p.axis])
    fail_msg("slice_grad: %zu indices, %zu values", n, in[1]->dim[p.axis]);
  tensor_make(out, in[0]->nd, in[0]->dim);
  scatter_axis(in[1], out, (size_t)p.axis, idx);
}

static void op_slice_set(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  const gg__slice_props p = slice_of(a, in);
  int64_t idx[MAX_AXIS];
  tensor ones = *in[1], where;

  slice_indices(&p, (int64_t)in[0]->dim[p.axis], idx);
  tensor_make(&ones, in[1]->nd, in[1]->dim);
  tensor_make(&where, in[0]->nd, in[0]->dim);
  tensor_make(out, in[0]->nd, in[0]->dim);
  for (size_t i = 0; i < ones.n; i++)
    ones.v[i] = 1;
  scatter_axis(&ones, &where, (size_t)p.axis, idx);
  scatter_axis(in[1], out, (size_t)p.axis, idx);
  for (size_t i = 0; i < out->n; i++)
    if (where.v[i] == 0)
      out->v[i] = in[0]->v[i];
  free(ones.v);
  free(where.v);
}

static void op_index(const gg_apply *a, const tensor *const *in, tensor *out) {
  const int given = a->op->number_only != 0;
  const gg__index_props *p = a->props;
  const size_t axis =
      given ? ((const gg__axis_props *)a->props)->axis : (size_t)p->axis;
  const int64_t n = (int64_t)in[0]->dim[axis];
  int64_t at = given ? (int64_t)in[1]->v[0] : p->index;

  at += at < 0 ? n : 0;
  if (at < 0 || at >= n)
    fail_msg("index %lld of %lld", (long long)at, (long long)n);
  gather_axis(in[0], out, axis, 1, &at);
  for (size_t k = axis; k + 1 < out->nd; k++)
    out->dim[k] = out->dim[k + 1];
  out->nd--;
}

/* --- join and take --- */

static void range(int64_t *idx, size_t first, size_t n) {
  for (size_t i = 0; i < n; i++)
    idx[i] = (int64_t)(first + i);
}

static void op_join(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__axis_props *p = a->props;
  size_t dims[GG_MAX_ND], first = 0;
  int64_t idx[MAX_AXIS];

  memcpy(dims, in[0]->dim, sizeof dims);
  for (unsigned int i = 1; i < a->n_in; i++)
    dims[p->axis] += in[i]->dim[p->axis];
  tensor_make(out, in[0]->nd, dims);
  for (unsigned int i = 0; i < a->n_in; i++) {
    range(idx, first, in[i]->dim[p->axis]);
    scatter_axis(in[i], out, p->axis, idx);
    first += in[i]->dim[p->axis];
  }
}

static void op_part(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__part_props *p = a->props;
  const size_t n = in[1 + p->part]->dim[p->axis];
  int64_t idx[MAX_AXIS];
  size_t first = 0;

  for (unsigned int i = 0; i < p->part; i++)
    first += in[1 + i]->dim[p->axis];
  range(idx, first, n);
  gather_axis(in[0], out, p->axis, n, idx);
}

/* Element `coord` of what indices pick along `axis`: `coord` becomes that of x,
 * which repeats along other axes of size 1. Returns 0 if the index is out of
 * range; then it is clamped. */
static int pick(const tensor *x, const tensor *index, size_t axis,
                size_t *coord) {
  const double rows = (double)x->dim[axis];
  size_t at[GG_MAX_ND];

  for (size_t d = 0; d < index->nd; d++)
    at[d] = index->dim[d] == 1 ? 0 : coord[d];
  if (index->nd < x->nd)
    at[0] = coord[axis];
  for (size_t d = 0; d < x->nd; d++)
    coord[d] = d != axis && x->dim[d] == 1 ? 0 : coord[d];
  double k = index->v[tensor_at(index, at)];
  k += k < 0 ? rows : 0;
  coord[axis] = (size_t)fmin(fmax(k, 0), rows - 1);
  return k >= 0 && k < rows;
}

static void op_take(const gg_apply *a, const tensor *const *in, tensor *out) {
  const size_t axis = ((const gg__axis_props *)a->props)->axis;
  size_t dims[GG_MAX_ND], coord[GG_MAX_ND];

  memcpy(dims, in[0]->dim, sizeof dims);
  for (size_t d = 0; d < in[0]->nd && in[0]->nd == in[1]->nd; d++)
    dims[d] = dims[d] == 1 ? in[1]->dim[d] : dims[d];
  dims[axis] = in[1]->dim[in[1]->nd < in[0]->nd ? 0 : axis];
  tensor_make(out, in[0]->nd, dims);
  for (size_t i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    pick(in[0], in[1], axis, coord);
    out->v[i] = in[0]->v[tensor_at(in[0], coord)];
  }
}

static void op_take_grad(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  const size_t axis = ((const gg__axis_props *)a->props)->axis;
  size_t coord[GG_MAX_ND];

  tensor_make(out, in[0]->nd, in[0]->dim);
  for (size_t i = 0; i < in[2]->n; i++) {
    tensor_coord(in[2], i, coord);
    pick(in[0], in[1], axis, coord);
    out->v[tensor_at(out, coord)] += in[2]->v[i];
  }
}

static double put_one(int how, double x, double v) {
  switch (how) {
  case GG_PUT_ADD:
    return x + v;
  case GG_PUT_MUL:
    return x * v;
  case GG_PUT_MAX:
    return isnan(x) || isnan(v) ? NAN : fmax(x, v);
  case GG_PUT_MIN:
    return isnan(x) || isnan(v) ? NAN : fmin(x, v);
  default:
    return v;
  }
}

/* The values go to a copy of x, in their order; bad indices are left out. */
static void op_put(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__put_props *p = a->props;
  size_t coord[GG_MAX_ND];

  tensor_make(out, in[0]->nd, in[0]->dim);
  memcpy(out->v, in[0]->v, out->n * sizeof *out->v);
  for (size_t i = 0; i < in[2]->n; i++) {
    tensor_coord(in[2], i, coord);
    if (!pick(in[0], in[1], p->axis, coord))
      continue;
    double *to = &out->v[tensor_at(out, coord)];
    *to = put_one(p->how, *to, in[2]->v[i]);
  }
}

/* --- reductions --- */

/* Combine x, at position `at` along the reduced axes, into *acc. */
static void combine(gg_reduction op, double *acc, double *best, double x,
                    size_t at) {
  const int first = at == 0;
  double d;

  switch (op) {
  case GG_SUM:
    *acc += x;
    break;
  case GG_PROD:
    *acc = first ? x : *acc * x;
    break;
  case GG_MAX:
    *acc = first || isnan(x) ? x : isnan(*acc) ? *acc : fmax(*acc, x);
    break;
  case GG_MIN:
    *acc = first || isnan(x) ? x : isnan(*acc) ? *acc : fmin(*acc, x);
    break;
  case GG_ANY_OF:
    *acc = *acc != 0 || x != 0;
    break;
  case GG_ALL_OF:
    *acc = (first || *acc != 0) && x != 0;
    break;
  case GG_ARGMAX:
    if (first || (x > *best || (isnan(x) && !isnan(*best)))) {
      *best = x;
      *acc = (double)at;
    }
    break;
  case GG_ARGMIN:
    if (first || (x < *best || (isnan(x) && !isnan(*best)))) {
      *best = x;
      *acc = (double)at;
    }
    break;
  case GG_VARIANCE: /* of the elements so far, whose mean is *best */
    d = x - (first ? x : *best);
    *best = first ? x : *best + d / (double)(at + 1);
    *acc = first ? d : *acc + (d * (x - *best) - *acc) / (double)(at + 1);
    break;
  }
}

/* What a reduction of nothing comes to. */
static double neutral(gg_reduction op, int is_float) {
  switch (op) {
  case GG_VARIANCE:
    return NAN;
  case GG_MAX:
    return is_float ? -INFINITY : 0;
  case GG_MIN:
    return is_float ? INFINITY : 0;
  default:
    return op == GG_PROD || op == GG_ALL_OF ? 1 : 0;
  }
}

/* Visits elements in C order, so each result sees its own in C order too. */
static void op_reduce(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg_reduce_props *p = a->props;
  const tensor *x = in[0];
  tensor kept = {0}, best, count;
  size_t dims[GG_MAX_ND], coord[GG_MAX_ND], i, at;
  unsigned int n = 0;

  for (unsigned int k = 0; k < x->nd; k++)
    dims[k] = p->axes_mask >> k & 1u ? 1 : x->dim[k];
  tensor_make(&kept, x->nd, dims);
  tensor_make(&best, x->nd, dims);
  tensor_make(&count, x->nd, dims);
  for (i = 0; i < kept.n; i++)
    kept.v[i] = neutral(p->op, gg__is_float(a->in[0]));
  for (i = 0; i < x->n; i++) {
    tensor_coord(x, i, coord);
    at = tensor_at(&kept, coord);
    combine(p->op, &kept.v[at], &best.v[at], x->v[i], (size_t)count.v[at]++);
  }
  for (unsigned int k = 0; k < x->nd; k++)
    if (p->keepdims || !(p->axes_mask >> k & 1u))
      dims[n++] = dims[k];
  same_elements(&kept, out, n, dims);
  free(kept.v);
  free(best.v);
  free(count.v);
}

/* --- by name --- */

static const struct {
  const char *name;
  interp_fn fn;
} functions[] = {
    {"shape", op_shape},
    {"size", op_size},
    {"iota", op_iota},
    {"not", op_not},
    {"floordiv", int_divide},
    {"mod", int_divide},
    {"extent", op_extent},
    {"vector", op_vector},
    {"dimshuffle", op_dimshuffle},
    {"reshape", op_reshape},
    {"reshape_like", op_reshape_like},
    {"specify_shape", op_specify_shape},
    {"reshape_sizes", op_reshape_sizes},
    {"specify_sizes", op_specify_shape},
    {"slice", op_slice},
    {"slice_grad", op_slice_grad},
    {"index", op_index},
    {"slice_at", op_slice},
    {"slice_grad_at", op_slice_grad},
    {"slice_set_at", op_slice_set},
    {"index_at", op_index},
    {"join", op_join},
    {"part", op_part},
    {"take", op_take},
    {"take_grad", op_take_grad},
    {"put", op_put},
    {"slice_set", op_slice_set},
    {"reduce", op_reduce},
    {"cumulate", interp_cumulate},
    {"recurrence", interp_cumulate},
    {"run_value", interp_run_value},
    {"cumulate_by", interp_combined},
    {"sort", interp_sort},
    {"argsort", interp_argsort},
    {"partition", interp_partition},
    {"topk", interp_select},
    {"kth", interp_select},
    {"positions_of", interp_positions},
    {"compress", interp_compress},
    {"searchsorted", interp_search},
    {"bincount", interp_bins},
    {"histogram", interp_bins},
    {"dot", interp_dot},
    {"gemm", interp_gemm},
    {"gemv", interp_gemm},
    {"ger", interp_ger},
    {"batched_dot", interp_batched_dot},
    {"batched_gemm", interp_batched_gemm},
    {"softmax", interp_softmax},
    {"log_softmax", interp_log_softmax},
    {"softmax_grad", interp_softmax_grad},
    {"crossentropy", interp_crossentropy},
    {"crossentropy_grad", interp_crossentropy_grad},
    {"softmax_xent", interp_softmax_xent},
    {"softmax_xent_grad", interp_softmax_xent_grad},
};

interp_fn interp_find(const char *name, unsigned int output) {
  if (output == 1 && strcmp(name, "cumulate_by") == 0)
    return interp_combined_1;
  if (output == 1 && strcmp(name, "partition") == 0)
    return interp_argpartition;
  if (output == 1)
    return strcmp(name, "topk") == 0 || strcmp(name, "kth") == 0
               ? interp_select_at
               : NULL;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].fn;
  return NULL;
}
