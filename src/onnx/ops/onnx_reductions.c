/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions over axes, and ops along one axis. */
#include <gpugraph/create.h>
#include <gpugraph/cumulate.h>
#include <gpugraph/op.h>
#include <gpugraph/statistics.h>
#include <gpugraph/topk.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* Values of `arg` in op_table.def. */
enum { SUM, MEAN, MAX, MIN, PROD, L1, L2, LOG_SUM, LOG_SUM_EXP, SUM_SQUARE };

/* The axes of a reduction, as indices; *n is 0 if the node gives none. */
static int read_axes(gg__onnx_call *c, unsigned int nd, size_t *n, int *axes) {
  int64_t known[GG_MAX_ND];
  const int64_t *list = gg__call_ints(c, "axes", n);

  if (*n == 0 && gg__call_has(c, 1)) {
    GA_TRY(gg__call_known(c, 1, GG_MAX_ND, n, known));
    list = known;
  }
  if (*n > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%zu axes of %u", *n, nd);
  for (size_t i = 0; i < *n; i++)
    GA_TRY(gg__call_axis(list[i], nd, &axes[i]));
  return GA_NO_ERROR;
}

typedef struct reduction {
  unsigned int n; /* 0: all axes */
  int axes[GG_MAX_ND];
  int keepdims, none; /* none: no axis is reduced */
} reduction;

static gg_var *apply(const reduction *r, gg_reduction op, gg_var *x) {
  if (r->none || x == NULL)
    return x;
  return gg_reduce(op, x, r->n, r->axes, r->keepdims);
}

/* Nonzero if the reduced axes are known to have no elements. */
static int is_empty(const reduction *r, const gg_var *x) {
  const gg_type *t = gg_var_type(x);
  int empty = 0;

  for (unsigned int i = 0; i < (r->n == 0 ? t->nd : r->n); i++)
    empty |= t->dims[r->n == 0 ? (int)i : r->axes[i]] == 0;
  return empty && !r->none;
}

/* The maximum or minimum over no elements: the limit of the dtype, in the shape
 * of the sum. */
static gg_var *extremum_of_none(const reduction *r, gg_var *x, int largest) {
  gg_var *zero = gg_cast(apply(r, GG_SUM, x), gg__dtype_of(x));

  return gg_fill(zero, gg__limit(x, !largest));
}

/* The largest of bools is whether any is true, the smallest whether all are. */
static gg_var *extremum(const reduction *r, gg_var *x, int largest) {
  if (gg__dtype_of(x) == GA_BOOL)
    return apply(r, largest ? GG_ANY_OF : GG_ALL_OF, x);
  if (x != NULL && is_empty(r, x))
    return extremum_of_none(r, x, largest);
  return apply(r, largest ? GG_MAX : GG_MIN, x);
}

static gg_var *mean(const reduction *r, gg_var *x) {
  return r->none ? x : gg_mean_axes(x, r->n, r->axes, r->keepdims);
}

static gg_var *log_sum_exp(const reduction *r, gg_var *x) {
  if (x != NULL && is_empty(r, x))
    return extremum_of_none(r, x, 1);
  return r->none ? x : gg_logsumexp(x, r->n, r->axes, r->keepdims);
}

static gg_var *reduce(const reduction *r, int what, gg_var *x) {
  switch (what) {
  case SUM:
    return apply(r, GG_SUM, x);
  case MEAN:
    return mean(r, x);
  case MAX:
    return extremum(r, x, 1);
  case MIN:
    return extremum(r, x, 0);
  case PROD:
    return apply(r, GG_PROD, x);
  case L1:
    return apply(r, GG_SUM, gg_abs(x));
  case L2:
    return gg_sqrt(apply(r, GG_SUM, gg_sqr(x)));
  case LOG_SUM:
    return gg_log(apply(r, GG_SUM, x));
  case LOG_SUM_EXP:
    return log_sum_exp(r, x);
  default:
    return apply(r, GG_SUM, gg_sqr(x));
  }
}

int gg__from_reduce(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  reduction r = {.keepdims = gg__call_int(c, "keepdims", 1) != 0};
  size_t n;

  GA_TRY(read_axes(c, gg__call_rank(c, 0), &n, r.axes));
  r.n = (unsigned int)n;
  r.none = gg__call_rank(c, 0) == 0 ||
           (n == 0 && gg__call_int(c, "noop_with_empty_axes", 0) != 0);
  c->out[0] = gg_cast(reduce(&r, c->row->arg, x), gg__dtype_of(x));
  return GA_NO_ERROR;
}

/* --- positions of extrema --- */

int gg__from_arg(gg__onnx_call *c) {
  const gg_reduction op = c->row->arg == 0 ? GG_ARGMAX : GG_ARGMIN;
  gg_var *x = gg__call_in(c, 0), *at;
  const int keepdims = gg__call_int(c, "keepdims", 1) != 0;
  int axis;

  GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  if (gg__call_int(c, "select_last_index", 0) == 0) {
    c->out[0] = gg_reduce(op, x, 1, &axis, keepdims);
    return GA_NO_ERROR;
  }
  at = gg_reduce(op, gg_flip(x, axis), 1, &axis, keepdims);
  c->out[0] = gg_sub(gg_sub(gg__size_of(x, axis), gg__like(at, 1)), at);
  return GA_NO_ERROR;
}

/* --- the first elements in order --- */

static int topk(gg__onnx_call *c, gg_var *k) {
  int axis, flags = 0;
  gg_var *at;

  GA_TRY(gg__call_axis_attr(c, -1, gg__call_rank(c, 0), &axis));
  if (gg__call_int(c, "largest", 1) == 0)
    flags |= GA_TOPK_SMALLEST;
  if (gg__call_int(c, "sorted", 1) == 0)
    flags |= GA_TOPK_UNSORTED;
  c->out[0] = gg_topk(gg__call_in(c, 0), k, axis, flags, &at);
  if (c->n_out > 1)
    c->out[1] = at;
  return GA_NO_ERROR;
}

int gg__from_topk(gg__onnx_call *c) {
  gg_var *k;

  GA_TRY(gg__call_size(c, 1, &k));
  return topk(c, k);
}

int gg__from_topk_attr(gg__onnx_call *c) {
  return topk(c, gg_i64(c->g, gg__call_int(c, "k", 0)));
}

/* --- running sums and products, by `arg` --- */

int gg__from_cumulate(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int64_t known;
  int axis, flags = 0;

  GA_TRY(gg__call_known_one(c, 1, &known));
  GA_TRY(gg__call_axis(known, gg__call_rank(c, 0), &axis));
  if (gg__call_int(c, "exclusive", 0) != 0)
    flags |= GA_CUMULATE_EXCLUSIVE;
  if (gg__call_int(c, "reverse", 0) != 0)
    flags |= GA_CUMULATE_REVERSED;
  const ga_cumulate_op op =
      c->row->arg == 0 ? GA_CUMULATE_SUM : GA_CUMULATE_PROD;
  c->out[0] = gg_cast(gg_cumulate(op, x, axis, flags), gg__dtype_of(x));
  return GA_NO_ERROR;
}

/* --- softmax and the like --- */

/* 1 at the first largest element of the last axis, 0 elsewhere. */
static gg_var *hardmax(gg_var *x) {
  if (x == NULL)
    return NULL;
  const int last = (int)gg_var_type(x)->nd - 1;
  gg_var *at = gg_reduce(GG_ARGMAX, x, 1, &last, 1);

  return gg_cast(gg_eq(gg_positions(x, last), at), gg__dtype_of(x));
}

static gg_var *along_last(gg__onnx_call *c, gg_var *x) {
  switch (c->row->arg) {
  case 0:
    return gg_softmax(x);
  case 1:
    return gg_log_softmax(x);
  default:
    return hardmax(x);
  }
}

int gg__from_softmax(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int axis;

  GA_TRY(gg__call_axis_attr(c, -1, gg__call_rank(c, 0), &axis));
  x = along_last(c, gg_moveaxis(x, axis, -1));
  c->out[0] = gg_moveaxis(x, -1, axis);
  return GA_NO_ERROR;
}

/* Before opset 13 all axes from `axis` on are treated as one. */
int gg__from_softmax_flat(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int axis;

  GA_TRY(gg__call_axis_attr(c, 1, gg__call_rank(c, 0), &axis));
  c->out[0] =
      gg__as_like(along_last(c, gg__as_matrix(x, (unsigned int)axis)), x);
  return GA_NO_ERROR;
}
