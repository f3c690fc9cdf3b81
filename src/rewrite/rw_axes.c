/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduced axes: how many elements they hold, and sums of no elements. */
#include "rewrite/rw_axes.h"

#include <math.h>

gg_var *gg__reduce(gg_reduction op, gg_var *x, unsigned int mask,
                   int keepdims) {
  const gg_reduce_props p = {op, mask, keepdims};

  GA_ASSERT(x == NULL || mask >> x->type.nd == 0);
  return gg_op_apply(NULL, &gg__op_reduce, &p, 1, &x);
}

gg_var *gg__count(gg_var *x, unsigned int mask) {
  gg_var *n = NULL;

  if ((gg__wide(x) & ~mask) == 0)
    return gg_size(x);
  for (unsigned int i = 0; i < x->type.nd; i++) {
    if (!(mask >> i & 1u))
      continue;
    gg_var *m = gg_shape(x, (int)i);
    n = n != NULL ? gg_mul(n, m) : m;
  }
  return n;
}

int gg__may_be_empty(const gg_var *x, unsigned int mask) {
  for (unsigned int i = 0; i < x->type.nd; i++)
    if ((mask >> i & 1u) && x->type.dims[i] < 1)
      return 1;
  return 0;
}

const gg_var *gg__viewed(const gg_var *v) {
  gg_apply *a;

  while ((a = gg__node(v, &gg__op_dimshuffle)) != NULL)
    v = a->in[0];
  return v;
}

int gg__is_finite(const gg_var *v) {
  double c;

  v = gg__viewed(v);
  gg_apply *a = gg__node(v, &gg__op_cast);
  if (a != NULL && !gg__is_float(a->in[0]))
    return v->type.dtype != GA_HALF; /* all others hold their range */
  return !gg__is_float(v) || (gg__number(v, &c) && isfinite(c));
}

gg_var *gg__zero_of_none(gg_var *v, gg_var *x, unsigned int mask) {
  if (v == NULL || !gg__is_float(v) || !gg__may_be_empty(x, mask))
    return v;
  gg_var *n = gg__count(x, mask);
  return gg_where(gg_gt(n, gg__num(n, 0)), v, gg__num(v, 0));
}

/* --- rows --- */

enum { MOST_ACROSS = 256 /* elements of a row that is read with a stride */ };

/* Do these axes certainly span few elements? */
static int are_short(const gg_type *t, unsigned int mask) {
  int64_t n = 1;

  for (unsigned int i = 0; i < t->nd && n <= MOST_ACROSS; i++)
    if (mask >> i & 1u)
      n = t->dims[i] == GG_ANY ? INT64_MAX : n * t->dims[i];
  return n <= MOST_ACROSS;
}

int gg__are_rows(const gg_type *t, unsigned int mask, int is_cpu) {
  if (mask == 0 || mask == (1u << t->nd) - 1)
    return 0;
  return (mask >> (t->nd - 1) & 1u) || (is_cpu && are_short(t, mask));
}
