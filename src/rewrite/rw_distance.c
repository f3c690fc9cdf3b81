/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognising distances from sums and means. */
#include "rewrite/rw_distance.h"

/* Is `a` sum(x) over the axes of `mask`? */
static int is_sum_of(const gg_apply *a, const gg_var *x, unsigned int mask) {
  return a->op == &gg__op_reduce && gg__reduce_props_of(a)->op == GG_SUM &&
         gg__reduce_props_of(a)->axes_mask == mask && a->in[0] == x;
}

/* The sum of x that v is computed from, through at most *budget elementwise ops
 * and views; NULL if there is none. */
static gg_apply *find_sum(const gg_var *v, const gg_var *x, unsigned int mask,
                          unsigned int *budget) {
  gg_apply *a = v->owner, *found = NULL;

  if (a == NULL || *budget == 0)
    return NULL;
  --*budget;
  if (is_sum_of(a, x, mask))
    return a;
  if (a->op->kind != GG_OP_ELEMWISE && a->op != &gg__op_dimshuffle)
    return NULL;
  for (unsigned int i = 0; i < a->n_in && found == NULL; i++)
    found = find_sum(a->in[i], x, mask, budget);
  return found;
}

gg_var *gg__with_axes(const gg_apply *a, gg_var *v) {
  const gg_reduce_props *p = gg__reduce_props_of(a);

  for (unsigned int i = 0; i < a->in[0]->type.nd && !p->keepdims; i++)
    if (p->axes_mask >> i & 1u)
      v = gg__expand(v, i);
  return v;
}

int gg__find_distance(const gg_apply *a, const gg_var *v, gg__distance *d) {
  enum { MOST_NODES = 32 }; /* nodes examined between c and the sum */
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(v, &gg__op_sub);
  unsigned int budget = MOST_NODES;

  if (b == NULL || p->op != GG_SUM || !gg__regroups(v))
    return 0;
  unsigned int i = (gg__wide(b->in[0]) & p->axes_mask) == 0;
  d->x = b->in[i];
  d->c = b->in[!i];
  if ((gg__wide(d->c) & p->axes_mask) != 0 ||
      gg__wide(d->x) != gg__wide(a->in[0]))
    return 0;
  d->sum = find_sum(d->c, d->x, p->axes_mask, &budget);
  return d->sum != NULL;
}

/* --- from the mean --- */

/* A product of sizes and numbers. */
typedef struct sizes {
  unsigned int axes; /* axes whose sizes are read from arrays */
  double number;     /* the product of the numbers */
} sizes;

/* Is v a product of numbers and of sizes of arrays with x's shape, each axis at
 * most once? Enters them in *s. */
static int read_sizes(const gg_var *v, gg_var *x, sizes *s) {
  const gg_apply *a = v->owner;
  double number;

  if (gg__number(v, &number)) {
    s->number *= number;
    return 1;
  }
  if (a == NULL || gg__wide(v) != 0)
    return 0;
  if (a->op == &gg__op_cast || a->op == &gg__op_dimshuffle)
    return read_sizes(a->in[0], x, s);
  if (a->op == &gg__op_mul)
    return read_sizes(a->in[0], x, s) && read_sizes(a->in[1], x, s);
  if ((a->op != &gg__op_shape && a->op != &gg__op_size) ||
      gg__shape_root(a->in[0]) != gg__shape_root(x))
    return 0;
  unsigned int axes = a->op == &gg__op_size
                          ? gg__wide(x)
                          : 1u << ((const gg__axis_props *)a->props)->axis;
  axes &= gg__wide(x);
  if ((s->axes & axes) != 0)
    return 0;
  s->axes |= axes;
  return 1;
}

/* A scalar, without the views that change its rank. */
static const gg_var *behind_views(const gg_var *v) {
  while (gg__wide(v) == 0 && gg__node(v, &gg__op_dimshuffle) != NULL)
    v = v->owner->in[0];
  return v;
}

/* The number of elements of x along the axes of `mask`, except those of `but`;
 * below 0 if a size is unknown. */
static double static_count(const gg_var *x, unsigned int mask,
                           unsigned int but) {
  double n = 1;

  for (unsigned int i = 0; i < x->type.nd; i++) {
    if (!((mask & ~but) >> i & 1u))
      continue;
    if (x->type.dims[i] == GG_ANY)
      return -1;
    n *= (double)x->type.dims[i];
  }
  return n;
}

static int is_rounded(double x, double rounded) {
  return x == rounded || (double)(float)x == rounded;
}

/* Is v = s / n, where n is the number of elements of x along the axes of
 * `mask`? */
static int is_part(const gg_var *v, const gg_var *s, gg_var *x,
                   unsigned int mask) {
  const gg_apply *a = behind_views(v)->owner;
  sizes n = {0, 1};
  double k;

  if (a == NULL)
    return 0;
  if (a->op == &gg__op_mul)
    return gg__number(a->in[0], &k) &&
           behind_views(a->in[1]) == behind_views(s) &&
           is_rounded(1 / static_count(x, mask, 0), k);
  return a->op == &gg__op_div && behind_views(a->in[0]) == behind_views(s) &&
         read_sizes(a->in[1], x, &n) && (n.axes & ~mask) == 0 &&
         is_rounded(static_count(x, mask, n.axes), n.number);
}

int gg__is_deviation(const gg_apply *a, const gg_var *v) {
  gg__distance d;

  return gg__find_distance(a, v, &d) &&
         is_part(d.c, gg__with_axes(d.sum, d.sum->out[0]), d.x,
                 gg__reduce_props_of(a)->axes_mask);
}
