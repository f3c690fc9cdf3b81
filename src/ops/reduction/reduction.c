/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions: one op, whose properties say which. */
#include <stdio.h>

#include "ops/ops.h"

static const char *const names[] = {
    [GG_SUM] = "sum",           [GG_PROD] = "prod",
    [GG_MAX] = "max",           [GG_MIN] = "min",
    [GG_ANY_OF] = "any_of",     [GG_ALL_OF] = "all_of",
    [GG_ARGMAX] = "argmax",     [GG_ARGMIN] = "argmin",
    [GG_VARIANCE] = "variance", NULL};

/* Sums and products of integers have 64 bits. */
static int result_dtype(gg_reduction op, int dtype) {
  switch (op) {
  case GG_ANY_OF:
  case GG_ALL_OF:
    return GA_BOOL;
  case GG_ARGMAX:
  case GG_ARGMIN:
    return GA_LONG;
  case GG_MAX:
  case GG_MIN:
    return dtype;
  default:
    break;
  }
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
  case GA_KIND_COMPLEX:
    return dtype;
  case GA_KIND_UINT:
    return GA_ULONG;
  default:
    return GA_LONG;
  }
}

static int infer_reduce(const gg_apply *a, gg_type *out) {
  const gg_reduce_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);

  GA_ASSERT(p->axes_mask != 0 && p->axes_mask >> t->nd == 0);
  out->dtype = result_dtype(p->op, t->dtype);
  for (unsigned int i = 0; i < t->nd; i++) {
    if (!(p->axes_mask >> i & 1u))
      out->dims[out->nd++] = t->dims[i];
    else if (p->keepdims)
      out->dims[out->nd++] = 1;
  }
  return GA_NO_ERROR;
}

static int shape_reduce(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  const gg_reduce_props *p = a->props;

  (void)host;
  out->nd = 0;
  for (unsigned int i = 0; i < in[0].nd; i++) {
    if (!(p->axes_mask >> i & 1u))
      out->dim[out->nd++] = in[0].dim[i];
    else if (p->keepdims)
      out->dim[out->nd++] = 1;
  }
  return GA_NO_ERROR;
}

/* --- gradients --- */

/* Reduce x over the axes of p, which keep size 1. */
static gg_var *reduce_kept(gg_reduction op, gg_var *x,
                           const gg_reduce_props *p) {
  gg_reduce_props kept = *p;

  kept.op = op;
  kept.keepdims = 1;
  return gg_op_apply(NULL, &gg__op_reduce, &kept, 1, &x);
}

/* The gradient of an element is the product of the others. Division gives it
 * unless elements are 0: a single zero gets the product of the rest and the
 * others get 0; with two zeros all get 0. */
static gg_var *grad_prod(gg_var *x, gg_var *g, const gg_reduce_props *p) {
  gg_var *const zero = gg__num(x, 0), *const one = gg__num(x, 1);
  gg_var *const is_zero = gg_eq(x, zero);
  gg_var *const safe = gg_where(is_zero, one, x);
  gg_var *const rest = reduce_kept(GG_PROD, safe, p);
  gg_var *const zeros = reduce_kept(GG_SUM, gg_where(is_zero, one, zero), p);

  gg_var *at_zero = gg_where(gg_eq(zeros, one), rest, zero);
  gg_var *elsewhere = gg_where(gg_eq(zeros, zero), gg_div(rest, safe), zero);
  return gg_mul(g, gg_where(is_zero, at_zero, elsewhere));
}

/* The number of elements that are reduced to one, in the dtype of x. */
static gg_var *count(gg_var *x, const gg_reduce_props *p) {
  gg_var *n = NULL;

  for (unsigned int i = 0; i < gg_var_type(x)->nd; i++) {
    if (!(p->axes_mask >> i & 1u))
      continue;
    gg_var *m = gg_shape(x, (int)i);
    n = n != NULL ? gg_mul(n, m) : m;
  }
  return gg_cast(n, gg_var_type(x)->dtype);
}

/* 2 (x - mean) / n. */
static gg_var *grad_variance(gg_var *x, gg_var *g, const gg_reduce_props *p) {
  gg_var *const n = count(x, p);
  gg_var *const mean = gg_div(reduce_kept(GG_SUM, x, p), n);

  return gg_mul(gg_mul(g, gg_div(gg__num(x, 2), n)), gg_sub(x, mean));
}

/* All elements that equal the extremum share the gradient evenly. */
static gg_var *grad_extremum(gg_var *x, gg_var *g, gg_var *best,
                             const gg_reduce_props *p) {
  gg_var *const zero = gg__num(x, 0), *const one = gg__num(x, 1);
  gg_var *const hit = gg_where(gg_eq(x, best), one, zero);

  return gg_mul(hit, gg_div(g, reduce_kept(GG_SUM, hit, p)));
}

static int grad_reduce(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg_reduce_props *p = a->props;
  gg_var *const x = a->in[0];
  gg_var *g = gg__spread(gout[0], x, p);

  if (p->op == GG_SUM)
    gin[0] = g;
  else if (p->op == GG_PROD)
    gin[0] = grad_prod(x, g, p);
  else if (p->op == GG_MAX || p->op == GG_MIN)
    gin[0] = grad_extremum(x, g, gg__spread(a->out[0], x, p), p);
  else if (p->op == GG_VARIANCE)
    gin[0] = grad_variance(x, g, p);
  return GA_NO_ERROR;
}

static void print_reduce(const gg_apply *a, char *buf, size_t bytes) {
  const gg_reduce_props *p = a->props;
  const unsigned int nd = gg_var_type(a->in[0])->nd;
  const char *between = " axis=";

  int k = snprintf(buf, bytes, "%s", names[p->op]);
  size_t n = k > 0 ? (size_t)k : 0;
  for (unsigned int i = 0;
       i < nd && n < bytes && p->axes_mask != (1u << nd) - 1; i++) {
    if (!(p->axes_mask >> i & 1u))
      continue;
    k = snprintf(buf + n, bytes - n, "%s%u", between, i);
    n += k > 0 ? (size_t)k : 0;
    between = ",";
  }
  if (p->keepdims && n < bytes)
    snprintf(buf + n, bytes - n, " keepdims");
}

const gg_op gg__op_reduce = {.name = "reduce",
                             .kind = GG_OP_REDUCE,
                             .props_bytes = sizeof(gg_reduce_props),
                             .n_out = 1,
                             .infer = infer_reduce,
                             .shape = shape_reduce,
                             .grad = grad_reduce,
                             .complex_use = GG_ANALYTIC,
                             .print = print_reduce};

/* --- builders --- */

int gg__mean_dtype(int dtype) {
  if (gg__float_dtype(dtype) == dtype)
    return dtype;
  return ga__dtype_size(dtype) == 8 ? GA_DOUBLE : GA_FLOAT;
}

/* The reduction of a scalar. */
static gg_var *reduce_scalar(gg_reduction op, gg_var *x) {
  if (op == GG_VARIANCE)
    return gg_sub(x, x);
  if (op == GG_ARGMAX || op == GG_ARGMIN)
    return gg_i64(gg_var_graph(x), 0);
  return gg_cast(x, result_dtype(op, gg_var_type(x)->dtype));
}

/* Change *op and x to a pair that kernels support: bools are not compared. */
static gg_var *normalise(gg_reduction *op, gg_var *x) {
  const int is_bool = gg_var_type(x)->dtype == GA_BOOL;

  if (is_bool && *op == GG_MAX)
    *op = GG_ANY_OF;
  if (is_bool && *op == GG_MIN)
    *op = GG_ALL_OF;
  if (*op == GG_ANY_OF || *op == GG_ALL_OF)
    return gg_cast(x, GA_BOOL);
  if (*op == GG_VARIANCE)
    return gg_cast(x, gg__mean_dtype(gg_var_type(x)->dtype));
  return is_bool ? gg_cast(x, GA_BYTE) : x;
}

/* The variance of complex numbers is that of both parts, together. They have no
 * order, and so no extrema. */
static gg_var *reduce_complex(gg_reduction op, gg_var *x, unsigned int naxes,
                              const int *axes, int keepdims) {
  if (op != GG_VARIANCE)
    return gg__refuse(&gg__op_reduce, 1, &x, GA_VALUE_ERROR,
                      "%s has no order, which %s needs",
                      ga__dtype_name(gg_var_type(x)->dtype), names[op]);
  return gg_add(gg_reduce(op, gg_real(x), naxes, axes, keepdims),
                gg_reduce(op, gg_imag(x), naxes, axes, keepdims));
}

gg_var *gg_reduce(gg_reduction op, gg_var *x, unsigned int naxes,
                  const int *axes, int keepdims) {
  gg_reduce_props p = {op, 0, keepdims != 0};
  unsigned int k;

  if (x == NULL)
    return NULL;
  if ((int)op < 0 || op > GG_VARIANCE)
    return gg__refuse(&gg__op_reduce, 1, &x, GA_VALUE_ERROR,
                      "%d is not a reduction", (int)op);
  if (!gg__listed(&gg__op_reduce, x, naxes, axes))
    return NULL;
  for (unsigned int i = 0; i < naxes; i++) {
    if (gg__axis(x, &gg__op_reduce, axes[i], &k) != GA_NO_ERROR)
      return NULL;
    if (p.axes_mask >> k & 1u)
      return gg__refuse(&gg__op_reduce, 1, &x, GA_VALUE_ERROR,
                        "axis %u is listed twice", k);
    p.axes_mask |= 1u << k;
  }
  x = normalise(&p.op, x);
  if (x == NULL)
    return NULL;
  if (ga__dtype_is_complex(gg_var_type(x)->dtype) && p.op != GG_SUM &&
      p.op != GG_PROD)
    return reduce_complex(op, x, naxes, axes, keepdims);
  if (gg_var_type(x)->nd == 0)
    return reduce_scalar(p.op, x);
  if (naxes == 0)
    p.axes_mask = (1u << gg_var_type(x)->nd) - 1;
  return gg_op_apply(NULL, &gg__op_reduce, &p, 1, &x);
}

gg_var *gg_sum(gg_var *x) {
  return gg_reduce(GG_SUM, x, 0, NULL, 0);
}

gg_var *gg_prod(gg_var *x) {
  return gg_reduce(GG_PROD, x, 0, NULL, 0);
}

gg_var *gg_max(gg_var *x) {
  return gg_reduce(GG_MAX, x, 0, NULL, 0);
}

gg_var *gg_min(gg_var *x) {
  return gg_reduce(GG_MIN, x, 0, NULL, 0);
}

gg_var *gg_sum_axis(gg_var *x, int axis) {
  return gg_reduce(GG_SUM, x, 1, &axis, 0);
}

gg_var *gg_max_axis(gg_var *x, int axis) {
  return gg_reduce(GG_MAX, x, 1, &axis, 0);
}

gg_var *gg_argmax_axis(gg_var *x, int axis) {
  return gg_reduce(GG_ARGMAX, x, 1, &axis, 0);
}

/* --- in texts and files --- */

static int check_reduce(const gg_apply *a) {
  const gg_reduce_props *p = a->props;
  const int is_bool = gg_var_type(a->in[0])->dtype == GA_BOOL;
  const int wants_bool = p->op == GG_ANY_OF || p->op == GG_ALL_OF;

  if (p->axes_mask == 0 || p->axes_mask >> gg__rank(a, 0) != 0)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected axes of the operand, at least one");
  if (is_bool != wants_bool)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %s operand",
                      wants_bool ? "a bool" : "another");
  if (ga__dtype_is_complex(gg_var_type(a->in[0])->dtype) && p->op != GG_SUM &&
      p->op != GG_PROD)
    return gg_op_fail(a, GA_VALUE_ERROR, "%s of complex numbers", names[p->op]);
  if (p->op == GG_VARIANCE &&
      ga__dtype_kind(gg_var_type(a->in[0])->dtype) != GA_KIND_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected a float operand");
  return GA_NO_ERROR;
}

static const gg_field fields[] = {
    {GG_FIELD("op", WORD, gg_reduce_props, op), .words = names},
    {GG_FIELD("axes", AXES, gg_reduce_props, axes_mask)},
    {GG_FIELD("keepdims", FLAG, gg_reduce_props, keepdims), .optional = 1}};

const gg_op_form gg__forms_reduction[] = {
    GG_FORM_PROPS(reduce, "x", fields, check_reduce), GG_FORMS_END};
