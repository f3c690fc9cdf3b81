/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries about variables, and builders of small nodes. */
#include <float.h>
#include <gpuarray/device.h>
#include <math.h>

#include "rewrite/rw_match.h"

int gg__number(const gg_var *v, double *value) {
  return v->kind == GG_VAR_CONST && gg__wide(v) == 0 &&
         gg_var_uniform(v, value) &&
         (gg__is_float(v) || fabs(*value) < GG_MAX_EXACT);
}

int gg__is_number(const gg_var *v, double value) {
  double c;

  return gg__number(v, &c) && c == value;
}

int gg__regroups(const gg_var *v) {
  return v->type.dtype == GA_FLOAT || v->type.dtype == GA_DOUBLE;
}

int gg__is_signed(const gg_var *v) {
  const ga__kind kind = ga__dtype_kind(v->type.dtype);

  return kind == GA_KIND_FLOAT || kind == GA_KIND_INT;
}

/* Is c 0 or a normal number of the float dtype? */
static int is_normal(int dtype, double c) {
  return c == 0 || (fabs(c) >= ga__dtype_smallest(dtype) &&
                    fabs(c) <= ga__dtype_largest(dtype));
}

int gg__number_fits(int dtype, double c) {
  double room[2] = {0, 0};

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return is_normal(dtype, c);
  if (!(fabs(c) < GG_MAX_EXACT))
    return 0;
  ga__dtype_from_double(dtype, room, c);
  return ga__dtype_to_double(dtype, room) == c;
}

int gg__is_on_cpu(const gg_var *v) {
  gpucontext *ctx = v->type.ctx != NULL ? v->type.ctx : v->graph->ctx;

  return ctx != NULL && gpucontext_caps(ctx)->is_cpu;
}

unsigned int gg__wide(const gg_var *v) {
  unsigned int wide = 0;

  for (unsigned int i = 0; i < v->type.nd; i++)
    if (v->type.dims[i] != 1)
      wide |= 1u << i;
  return wide;
}

int gg__is_map(const gg_apply *a) {
  return a != NULL && a->op->kind == GG_OP_ELEMWISE && a->n_out == 1 &&
         a->n_in <= GG_MAX_OPERANDS;
}

int gg__can_replace(const gg_type *want, const gg_var *v) {
  if (!gg__type_fits(&v->type, want) ||
      (v->type.ctx != NULL && v->type.ctx != want->ctx))
    return 0;
  for (unsigned int i = 0; i < want->nd; i++)
    if ((want->dims[i] == 1) != (v->type.dims[i] == 1))
      return 0;
  return 1;
}

gg_var *gg__fit(const gg_apply *a, gg_var *like, gg_var *v) {
  const gg_var *out = a->out[0];

  if (v == NULL || v->type.nd > out->type.nd)
    return NULL;
  v = gg__pad_rank(v, out->type.nd - v->type.nd);
  return v == NULL || like == NULL || gg__wide(v) == gg__wide(out) ||
                 gg__wide(like) != gg__wide(out)
             ? v
             : gg_fill(like, v);
}

gg_var *gg__same_shape(const gg_var *v) {
  gg_apply *a = v->owner;
  gg_var *best = NULL;

  if (a == NULL || a->op->kind != GG_OP_ELEMWISE)
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__wide(a->in[i]) == gg__wide(v) &&
        (best == NULL || a->in[i]->id < best->id))
      best = a->in[i];
  return best;
}

gg_var *gg__shape_root(gg_var *v) {
  for (gg_var *u = v; u != NULL; u = gg__same_shape(u))
    v = u;
  return v;
}

static int operand_class(const gg_var *v) {
  if (v->kind == GG_VAR_CONST)
    return 0;
  return gg__wide(v) == 0 ? 1 : 2;
}

int gg__in_order(const gg_var *x, const gg_var *y) {
  const int cx = operand_class(x), cy = operand_class(y);

  return cx != cy ? cx < cy : x->id <= y->id;
}

gg_var *gg__mul(gg_var *x, gg_var *y) {
  if (x == NULL || y == NULL)
    return NULL;
  return gg__in_order(x, y) ? gg_mul(x, y) : gg_mul(y, x);
}

gg_var *gg__power(gg_var *v, int n) {
  gg_var *y = NULL;

  for (; n != 0; n /= 2) {
    if (n % 2 != 0)
      y = y != NULL ? gg__mul(y, v) : v;
    if (n > 1)
      v = gg_sqr(v);
  }
  return y;
}

gg_var *gg__add(gg_var *x, gg_var *y) {
  if (x == NULL || y == NULL)
    return NULL;
  return gg__in_order(x, y) ? gg_add(x, y) : gg_add(y, x);
}

gg_var *gg__times(double c, gg_var *v) {
  if (c == 1)
    return v;
  return c == -1 ? gg_neg(v) : gg_mul(gg__num(v, c), v);
}

int gg__find_shift(const gg_var *v, gg__shifted *s) {
  gg_apply *a = gg__node(v, &gg__op_add);

  s->negative = a == NULL;
  if (a == NULL)
    a = gg__node(v, &gg__op_sub);
  if (a == NULL || !gg__is_signed(v) || ga__dtype_is_narrow(v->type.dtype) ||
      !gg__number(a->in[0], &s->c))
    return 0;
  s->x = a->in[1];
  return 1;
}

gg_var *gg__shift(double c, gg_var *x, int negative) {
  if (x == NULL || !gg__number_fits(x->type.dtype, c))
    return NULL;
  if (c == 0)
    return negative ? gg__opposite(x) : x;
  return negative ? gg_sub(gg__num(x, c), x) : gg_add(gg__num(x, c), x);
}

gg_var *gg__opposite(gg_var *x) {
  gg_apply *b;
  gg_var *v;
  gg__shifted s;
  double c;

  if ((b = gg__node(x, &gg__op_neg)) != NULL)
    return b->in[0];
  if (gg__find_shift(x, &s) && (v = gg__shift(-s.c, s.x, !s.negative)) != NULL)
    return v;
  if ((b = gg__node(x, &gg__op_sub)) != NULL)
    return gg_sub(b->in[1], b->in[0]);
  if ((b = gg__node(x, &gg__op_mul)) != NULL && gg__number(b->in[0], &c) &&
      gg__number_fits(x->type.dtype, -c))
    return gg__times(-c, b->in[1]);
  if ((b = gg__node(x, &gg__op_div)) != NULL && gg__number(b->in[0], &c))
    return gg_div(gg__num(x, -c), b->in[1]);
  return gg_neg(x);
}

gg_var *gg__one_minus(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_sub);

  return a != NULL && gg__is_number(a->in[0], 1) ? a->in[1] : NULL;
}

/* u if v is exp(u), else NULL. */
static gg_var *exponent(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_exp);

  return a != NULL ? a->in[0] : NULL;
}

gg_var *gg__one_plus_exp(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_add);

  if (a == NULL)
    return NULL;
  if (gg__is_number(a->in[0], 1))
    return exponent(a->in[1]);
  return gg__is_number(a->in[1], 1) ? exponent(a->in[0]) : NULL;
}

int gg__complements(gg_var *u, gg_var *v) {
  gg_apply *a = gg__node(u, &gg__op_sigmoid), *b = gg__node(v, &gg__op_sigmoid);

  if (gg__one_minus(u) == v || gg__one_minus(v) == u)
    return 1;
  return a != NULL && b != NULL && gg__opposite(a->in[0]) == b->in[0];
}

gg_var *gg__apply_like(const gg_apply *a, gg_var *const *in) {
  return gg_op_apply(a->out[0]->graph, a->op, a->props, a->n_in, in);
}

gg_var *gg__multiply_row(const gg_apply *dot, gg_var *y) {
  gg_var *x = dot->in[0], *out = dot->out[0];
  const unsigned int k = x->type.nd - 1; /* its last axis, summed over */

  if (y == NULL || x->type.dims[k] <= 1 || x->type.dims[k] != y->type.dims[0])
    return NULL;
  if (ga__dtype_is_narrow(out->type.dtype)) {
    x = gg_cast(x, GA_FLOAT);
    y = gg_cast(y, GA_FLOAT);
  }
  if (k == 1)
    x = gg_dimshuffle(x, 3, (int[]){0, -1, 1});
  y = gg_transpose(y);
  gg_var *v = gg_reduce(GG_SUM, gg_mul(x, k == 1 ? gg__expand(y, 0) : y), 1,
                        (int[]){(int)k + 1}, 0);
  v = v != NULL ? gg__times(((const gg__dot_props *)dot->props)->alpha, v) : v;
  return v != NULL ? gg_cast(v, out->type.dtype) : NULL;
}

gg_var *gg__with_rank(gg_var *v, unsigned int nd) {
  int pattern[GG_MAX_ND];

  gg__only_new(pattern);
  return gg_dimshuffle(v, nd, pattern);
}

gg_var *gg__drop_axes(gg_var *v, unsigned int mask) {
  int pattern[GG_MAX_ND];
  unsigned int nd = 0;

  if (v == NULL)
    return NULL;
  for (unsigned int i = 0; i < v->type.nd; i++)
    if (!(mask >> i & 1u))
      pattern[nd++] = (int)i;
  return gg_dimshuffle(v, nd, pattern);
}

int gg__compare_vars(const gg_var *x, const gg_var *y) {
  const int wx = gg__wide(x) != 0, wy = gg__wide(y) != 0;

  return wx != wy ? wx - wy : (x->id > y->id) - (x->id < y->id);
}
