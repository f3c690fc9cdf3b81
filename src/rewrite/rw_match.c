/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules ask of a variable, and the small nodes they build. */
#include <float.h>
#include <math.h>

#include "rewrite/rewrite.h"

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

/* Smallest normal and greatest number of a float dtype. */
static void float_range(int dtype, double *min, double *max) {
  switch (dtype) {
  case GA_HALF:
    *min = 6.103515625e-05;
    *max = 65504;
    break;
  case GA_DOUBLE:
    *min = DBL_MIN;
    *max = DBL_MAX;
    break;
  default:
    *min = FLT_MIN;
    *max = FLT_MAX;
  }
}

int gg__number_fits(int dtype, double c) {
  double min, max, back, room[2] = {0, 0};

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT) {
    float_range(dtype, &min, &max);
    return c == 0 || (fabs(c) >= min && fabs(c) <= max);
  }
  if (!(fabs(c) < GG_MAX_EXACT))
    return 0;
  ga__dtype_from_double(dtype, room, c);
  back = ga__dtype_to_double(dtype, room);
  return back == c;
}

unsigned int gg__wide(const gg_var *v) {
  unsigned int wide = 0;

  for (unsigned int i = 0; i < v->type.nd; i++)
    if (v->type.dims[i] != 1)
      wide |= 1u << i;
  return wide;
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

gg_var *gg__times(double c, gg_var *v) {
  if (c == 1)
    return v;
  return c == -1 ? gg_neg(v) : gg_mul(gg__num(v, c), v);
}

gg_var *gg__one_minus(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_sub);

  return a != NULL && gg__is_number(a->in[0], 1) ? a->in[1] : NULL;
}

/* u when v is exp(u), else NULL. */
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
