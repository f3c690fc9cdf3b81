/* SPDX-License-Identifier: BSD-2-Clause */
/* What all builders need: common ranks, axes, checks, and gradients
 * in the shape of their variable. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"

#define MAX_OPERANDS 8 /* of an elementwise op */

gg_var *gg__refuse(const gg_op *op, unsigned int n, gg_var *const *in, int code,
                   const char *fmt, ...) {
  const gg_apply a = {op, NULL, n, 0, (gg_var **)in, NULL};
  char text[256];
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  gg_op_fail(&a, code, "%s", text);
  return NULL;
}

int gg__given(const gg_op *op, unsigned int n, gg_var *const *in) {
  if (in == NULL && n > 0) {
    ga__fail(GA_VALUE_ERROR, "%s: the list of operands is NULL", op->name);
    return 0;
  }
  for (unsigned int i = 0; i < n; i++)
    if (in[i] == NULL) {
      gg__refuse(op, n, in, GA_VALUE_ERROR, "operand %u is NULL", i);
      return 0;
    }
  return 1;
}

int gg__given_beside(const gg_op *op, gg_var *x, unsigned int n,
                     gg_var *const *beside) {
  if (x == NULL && beside != NULL)
    gg__refuse(op, n, beside, GA_VALUE_ERROR, "the value is NULL");
  return x != NULL;
}

int gg__listed(const gg_op *op, gg_var *x, unsigned int n, const void *list) {
  if (n > 0 && list == NULL)
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "the list of %u is NULL", n);
  return n == 0 || list != NULL;
}

gg_var *gg__num(gg_var *like, double value) {
  if (like == NULL)
    return NULL;
  return gg_scalar(gg_var_graph(like), gg_var_type(like)->dtype, value);
}

/* --- ranks and axes --- */

int gg__axis(gg_var *x, const gg_op *op, int axis, unsigned int *out) {
  const int nd = (int)gg_var_type(x)->nd;

  if (axis < -nd || axis >= nd) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "there is no axis %d", axis);
    return GA_VALUE_ERROR;
  }
  *out = (unsigned int)(axis < 0 ? axis + nd : axis);
  return GA_NO_ERROR;
}

/* A constant stays one: new axes of size 1 do not move its elements. */
static gg_var *pad_constant(gg_var *x, unsigned int before) {
  const gg_type *t = gg_var_type(x);
  size_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < before; i++)
    dims[i] = 1;
  for (unsigned int i = 0; i < t->nd; i++)
    dims[before + i] = (size_t)t->dims[i];
  return gg_constant(gg_var_graph(x), t->dtype, before + t->nd, dims,
                     gg_var_data(x));
}

gg_var *gg__pad_rank(gg_var *x, unsigned int before) {
  int pattern[GG_MAX_ND];

  if (x == NULL || before == 0)
    return x;
  unsigned int nd = gg_var_type(x)->nd + before;
  if (nd <= GG_MAX_ND && gg_var_data(x) != NULL)
    return pad_constant(x, before);
  for (unsigned int i = 0; i < nd && i < GG_MAX_ND; i++)
    pattern[i] = i < before ? -1 : (int)(i - before);
  return gg_dimshuffle(x, nd, pattern);
}

gg_var *gg__expand(gg_var *x, unsigned int axis) {
  int pattern[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  unsigned int nd = gg_var_type(x)->nd + 1;
  for (unsigned int i = 0; i < nd && i < GG_MAX_ND; i++)
    pattern[i] = i == axis ? -1 : (int)(i > axis ? i - 1 : i);
  return gg_dimshuffle(x, nd, pattern);
}

gg_var *gg_op_elemwise(const gg_op *op, const void *props, unsigned int n_in,
                       gg_var *const *in) {
  gg_var *same[MAX_OPERANDS];
  unsigned int nd = 0;

  if (!gg__given(op, n_in, in))
    return NULL;
  for (unsigned int i = 0; i < n_in; i++)
    if (gg_var_type(in[i])->nd > nd)
      nd = gg_var_type(in[i])->nd;
  if (n_in == 0 || n_in > MAX_OPERANDS)
    return gg__refuse(op, n_in, in, GA_VALUE_ERROR,
                      "elementwise ops have 1 to %d operands", MAX_OPERANDS);
  for (unsigned int i = 0; i < n_in; i++)
    same[i] = gg__pad_rank(in[i], nd - gg_var_type(in[i])->nd);
  return gg_op_apply(NULL, op, props, n_in, same);
}

/* --- gradients --- */

gg_var *gg__unbroadcast(gg_var *g, gg_var *like) {
  const gg_type *want = gg_var_type(like);
  int axes[GG_MAX_ND], stretch = 0;
  unsigned int n = 0;

  if (g == NULL || want == NULL)
    return NULL;
  const gg_type *t = gg_var_type(g);
  for (unsigned int i = 0; i < want->nd && i < t->nd; i++) {
    if (want->dims[i] == 1 && t->dims[i] != 1)
      axes[n++] = (int)i;
    stretch |= want->dims[i] != 1 && t->dims[i] == 1;
  }
  if (n != 0)
    g = gg_reduce(GG_SUM, g, n, axes, 1);
  if (stretch)
    g = gg_fill(like, g);
  return gg__cast_gradient(g, want->dtype);
}

gg_var *gg__cast_gradient(gg_var *g, int dtype) {
  if (g != NULL && !ga__dtype_is_complex(dtype) &&
      ga__dtype_is_complex(gg_var_type(g)->dtype))
    g = gg_real(g);
  return gg_cast(g, dtype);
}

gg_var *gg__real_product(gg_var *a, gg_var *b) {
  return gg_sum(gg_real(gg_mul(gg_conj(a), b)));
}

gg_var *gg__spread(gg_var *g, gg_var *x, const gg_reduce_props *p) {
  const unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int i = 0; i < nd && !p->keepdims; i++)
    if (p->axes_mask >> i & 1u)
      g = gg__expand(g, i);
  return gg_fill(x, g);
}

/* --- checks --- */

unsigned int gg__rank(const gg_apply *a, unsigned int i) {
  return gg_var_type(a->in[i])->nd;
}

int gg__check_axis_of(const gg_apply *a, unsigned int i, int64_t axis) {
  if (axis < 0 || axis >= (int64_t)gg__rank(a, i))
    return gg_op_fail(a, GA_VALUE_ERROR, "there is no axis %lld",
                      (long long)axis);
  return GA_NO_ERROR;
}

int gg__check_ranks(const gg_apply *a, unsigned int i, unsigned int k) {
  if (gg__rank(a, i) != gg__rank(a, k))
    return gg_op_fail(a, GA_VALUE_ERROR, "operands %u and %u differ in rank", i,
                      k);
  return GA_NO_ERROR;
}

int gg__check_not_scalar(const gg_apply *a) {
  if (gg__rank(a, 0) == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "a scalar has no axis");
  return GA_NO_ERROR;
}

int gg__check_axis(const gg_apply *a) {
  return gg__check_axis_of(a, 0, ((const gg__axis_props *)a->props)->axis);
}

int gg__check_dtype(const gg_apply *a, int dtype) {
  const ga__kind kind = ga__dtype_kind(dtype);

  if (kind == GA_KIND_NONE)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "graphs have no %s",
                      ga__dtype_name(dtype));
  return GA_NO_ERROR;
}

gg_var *gg__apply_checked(const gg_op *op, const void *props, unsigned int n,
                          gg_var *const *in, int (*check)(const gg_apply *a)) {
  const gg_apply a = {op, props, n, 0, (gg_var **)in, NULL};

  return check(&a) == GA_NO_ERROR ? gg_op_apply(NULL, op, props, n, in) : NULL;
}
