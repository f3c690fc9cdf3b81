/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions. While rules compare them, every reduction keeps its axes, and
 * views stay outside. At the end, views of reductions with no other use become
 * part of them. */
#include <math.h>

#include "rewrite/rw_distance.h"

/* Is the result a position along the axis, not a value? */
static int is_position(gg_reduction op) {
  return op == GG_ARGMAX || op == GG_ARGMIN;
}

/* --- the form that rules compare --- */

static gg_var *keep_axes(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);

  if (p->keepdims)
    return NULL;
  return gg__drop_axes(gg__reduce(p->op, a->in[0], p->axes_mask, 1),
                       p->axes_mask);
}

/* A reduction of a view is a view of a reduction. */
static gg_var *view_outwards(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_dimshuffle);
  const gg__dimshuffle_props *d = b != NULL ? b->props : NULL;
  unsigned int mask = 0;

  if (b == NULL || !p->keepdims)
    return NULL;
  for (unsigned int i = 0; i < d->nd; i++)
    if ((p->axes_mask >> i & 1u) && d->pattern[i] >= 0)
      mask |= 1u << d->pattern[i];
  if (mask == 0 || (is_position(p->op) && (mask & (mask - 1)) != 0))
    return NULL;
  return gg_dimshuffle(gg__reduce(p->op, b->in[0], mask, 1), d->nd, d->pattern);
}

/* Axes of size 1 need not be reduced. */
static gg_var *reduce_fewer(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  const unsigned int mask = p->axes_mask & gg__wide(a->in[0]);

  if (mask == p->axes_mask || !p->keepdims || is_position(p->op))
    return NULL;
  if (mask == 0 && p->op == GG_VARIANCE)
    return gg_sub(a->in[0], a->in[0]);
  if (mask == 0)
    return gg_cast(a->in[0], a->out[0]->type.dtype);
  return gg__reduce(p->op, a->in[0], mask, 1);
}

static gg_var *reduce_twice(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_reduce);

  if (b == NULL || is_position(p->op) || p->op == GG_VARIANCE)
    return NULL;
  const gg_reduce_props *q = gg__reduce_props_of(b);
  if (q->op != p->op || !p->keepdims || !q->keepdims)
    return NULL;
  return gg__reduce(p->op, b->in[0], p->axes_mask | q->axes_mask, 1);
}

/* --- results that need no reduction --- */

/* Can the reduction be of no elements, with a result that is a finite number?
 * Extrema of no floats are infinite, and variances of none are NaN, so these do
 * not count. */
static int may_be_of_none(const gg_reduce_props *p, const gg_var *x,
                          unsigned int mask) {
  if (p->op == GG_VARIANCE ||
      (gg__is_float(x) && (p->op == GG_MAX || p->op == GG_MIN)))
    return 0;
  return gg__may_be_empty(x, mask);
}

/* v without its views and casts. */
static const gg_var *bare(const gg_var *v) {
  gg_apply *a;

  for (v = gg__viewed(v); (a = gg__node(v, &gg__op_cast)) != NULL;)
    v = gg__viewed(a->in[0]);
  return v;
}

/* Is v a size, or a product of sizes that is nested less than `depth` deep? */
static int is_count(const gg_var *v, unsigned int depth) {
  const gg_apply *a = gg__viewed(v)->owner;

  if (a == NULL || depth == 0)
    return 0;
  if (a->op == &gg__op_mul)
    return is_count(a->in[0], depth - 1) && is_count(a->in[1], depth - 1);
  return a->op == &gg__op_size || a->op == &gg__op_shape;
}

/* where(n > 0, v, 0) / n is v / n: for n = 0, both are NaN. */
static gg_var *mean_of_some(gg_apply *a) {
  gg_apply *w = gg__node(a->in[0], &gg__op_where), *gt;

  gt = w != NULL ? gg__node(w->in[0], &gg__op_gt) : NULL;
  if (gt == NULL || !gg__is_number(gt->in[1], 0) ||
      !gg__is_number(w->in[2], 0) || !is_count(gt->in[0], GG_MAX_ND) ||
      gg__viewed(gt->in[0]) != bare(a->in[1]))
    return NULL;
  return gg_div(w->in[1], a->in[1]);
}

/* v, the sum of `value`, times the number of elements of `like` along the axes
 * of `mask`. */
static gg_var *times_count(gg_var *v, const gg_var *value, gg_var *like,
                           unsigned int mask) {
  v = gg_mul(gg_cast(gg__count(like, mask), v->type.dtype), v);
  return gg__is_finite(value) ? v : gg__zero_of_none(v, like, mask);
}

/* The sum of v broadcast n times is n v; extrema do not depend on n. If v is
 * broadcast along an axis that stays, so is the result. `like` is then a
 * reduction of which only the shape matters, so that it is not computed. */
static gg_var *reduce_fill(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_fill);

  if (b == NULL || !p->keepdims || ga__dtype_is_narrow(a->out[0]->type.dtype) ||
      p->op == GG_PROD || is_position(p->op))
    return NULL;
  gg_var *like = b->in[0];
  unsigned int stretched = gg__wide(like) & ~gg__wide(b->in[1]);
  unsigned int gone = stretched & p->axes_mask;
  if (p->op != GG_SUM && may_be_of_none(p, a->in[0], gone))
    return NULL;
  gg_var *v = gg__reduce(p->op, b->in[1], p->axes_mask, 1);
  if (p->op == GG_SUM && gone != 0 && v != NULL)
    v = times_count(v, b->in[1], like, gone);
  if (gone != stretched)
    v = gg_fill(gg__reduce(p->op, like, p->axes_mask, 1), v);
  return v;
}

/* The greatest probability belongs to the greatest logit. */
static gg_var *argmax_of_softmax(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_softmax);

  if (b == NULL)
    b = gg__node(a->in[0], &gg__op_log_softmax);
  if (b == NULL || !is_position(p->op) ||
      p->axes_mask != 1u << (b->in[0]->type.nd - 1))
    return NULL;
  return gg__apply_like(a, b->in);
}

/* Increasing functions that are defined everywhere keep the order. */
static gg_var *argmax_of_growing(gg_apply *a) {
  static const gg_op *const growing[] = {
      &gg__op_exp,  &gg__op_expm1, &gg__op_sigmoid, &gg__op_softplus,
      &gg__op_tanh, &gg__op_atan,  &gg__op_asinh,   &gg__op_erf};
  gg_apply *b = a->in[0]->owner;

  for (size_t i = 0; i < sizeof growing / sizeof growing[0]; i++)
    if (b != NULL && b->op == growing[i] &&
        is_position(gg__reduce_props_of(a)->op))
      return gg__apply_like(a, b->in);
  return NULL;
}

/* --- of joined values --- */

/* The op that combines the results of two parts, by reduction. */
static gg_var *(*const unite[])(gg_var *, gg_var *) = {
    [GG_SUM] = gg_add,     [GG_PROD] = gg_mul,  [GG_MAX] = gg_maximum,
    [GG_MIN] = gg_minimum, [GG_ANY_OF] = gg_or, [GG_ALL_OF] = gg_and};

/* May some operands of a join have no elements, whose extrema are errors, while
 * another one surely has some? */
static int joins_none(const gg_apply *b, unsigned int mask) {
  unsigned int n = 0;

  for (unsigned int i = 0; i < b->n_in; i++)
    n += gg__may_be_empty(b->in[i], mask) != 0;
  return n > 0 && n < b->n_in;
}

/* Operands that are reduced along the joined axis need not be joined in
 * memory. */
static gg_var *reduce_join(const gg_rewriting *rw, gg_apply *a) {
  enum { MOST_OPERANDS = 4 };
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_join);
  gg_var *v = NULL;

  if (b == NULL || b->n_in > MOST_OPERANDS || gg_rule_uses(rw, a->in[0]) > 1 ||
      !(p->axes_mask >> ((const gg__axis_props *)b->props)->axis & 1u) ||
      ga__dtype_is_narrow(a->in[0]->type.dtype))
    return NULL;
  if ((size_t)p->op >= sizeof unite / sizeof unite[0] || unite[p->op] == NULL)
    return NULL;
  if ((p->op == GG_MAX || p->op == GG_MIN) && joins_none(b, p->axes_mask))
    return NULL;
  for (unsigned int i = 0; i < b->n_in; i++) {
    if ((p->op == GG_MAX || p->op == GG_MIN) &&
        may_be_of_none(p, b->in[i], p->axes_mask))
      return NULL;
    gg_var *x = gg__apply_like(a, &b->in[i]);
    v = v == NULL ? x : unite[p->op](v, x);
  }
  return v;
}

/* --- variances --- */

/* Are the elements rows, which a kernel walks several times without reading
 * memory again? */
static int are_rows(const gg_var *x, unsigned int mask) {
  return gg__are_rows(&x->type, mask, gg__is_on_cpu(x));
}

/* The sum of (x - c)^2, where c is computed from sum(x), needs a second pass
 * over x. n (var(x) + (mean(x) - c)^2) is as accurate, and one pass computes
 * variance and sum. Rows stay as they are. */
static gg_var *sum_of_distances(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *square = gg__node(a->in[0], &gg__op_sqr);
  gg__distance d;

  if (square == NULL || !gg__find_distance(a, square->in[0], &d) ||
      are_rows(d.x, p->axes_mask))
    return NULL;
  gg_var *v = gg__reduce(GG_VARIANCE, d.x, p->axes_mask,
                         gg__reduce_props_of(d.sum)->keepdims);
  gg_var *n = gg_cast(gg__count(d.x, p->axes_mask), d.x->type.dtype);
  gg_var *c = gg_sub(gg_div(gg__with_axes(d.sum, d.sum->out[0]), n), d.c);
  v = gg_mul(n, gg_add(gg__with_axes(d.sum, v), gg_sqr(c)));
  v = gg__zero_of_none(v, d.x, p->axes_mask);
  return p->keepdims ? v : gg__drop_axes(v, p->axes_mask);
}

/* The sum of distances from the mean is 0. */
static gg_var *sum_of_deviations(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg__distance d;

  if (!gg__is_deviation(a, a->in[0]) || !gg__find_distance(a, a->in[0], &d))
    return NULL;
  gg_var *v = gg__with_axes(d.sum, d.sum->out[0]);
  v = gg_fill(v, gg__num(v, 0));
  return p->keepdims ? v : gg__drop_axes(v, p->axes_mask);
}

/* The reverse of sum_of_distances(): row programs compute sums but no
 * variances. */
static gg_var *variance_of_rows(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_var *x = a->in[0], *n, *d;

  if (p->op != GG_VARIANCE || !gg__regroups(x) || !are_rows(x, p->axes_mask))
    return NULL;
  n = gg_cast(gg__count(x, p->axes_mask), x->type.dtype);
  d = gg_sub(x, gg_div(gg__reduce(GG_SUM, x, p->axes_mask, 1), n));
  d = gg_div(gg__reduce(GG_SUM, gg_sqr(d), p->axes_mask, 1), n);
  return p->keepdims ? d : gg__drop_axes(d, p->axes_mask);
}

/* --- signs move out of sums --- */

/* The negative of the least integer is that integer, unless the sum has a wider
 * dtype. */
static gg_var *sum_of_negative(gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);
  gg_apply *b = gg__node(a->in[0], &gg__op_neg);

  if (b == NULL || p->op != GG_SUM || !gg__is_signed(a->in[0]) ||
      a->in[0]->type.dtype != a->out[0]->type.dtype)
    return NULL;
  return gg_neg(gg__apply_like(a, b->in));
}

/* --- the form that runs --- */

/* A view that drops the reduced axes, and is the only use of the reduction,
 * becomes part of it. Other axes that it drops have size 1, and may be reduced
 * as well. */
static gg_var *drop_reduced(const gg_rewriting *rw, gg_apply *a) {
  const gg__dimshuffle_props *d = a->props;
  gg_apply *b = gg__node(a->in[0], &gg__op_reduce);
  const gg_reduce_props *p = b != NULL ? gg__reduce_props_of(b) : NULL;
  int pattern[GG_MAX_ND];
  unsigned int used = 0;

  if (b == NULL || !p->keepdims || gg_rule_uses(rw, a->in[0]) > 1)
    return NULL;
  for (unsigned int i = 0; i < d->nd; i++)
    if (d->pattern[i] >= 0)
      used |= 1u << d->pattern[i];
  if ((used & p->axes_mask) != 0)
    return NULL;
  unsigned int mask = is_position(p->op)
                          ? p->axes_mask
                          : ((1u << b->in[0]->type.nd) - 1) & ~used;
  /* The index of an axis decreases by the number of reduced axes before it. */
  for (unsigned int i = 0; i < d->nd; i++) {
    pattern[i] = d->pattern[i];
    unsigned int below = pattern[i] < 0 ? 0 : mask & ((1u << pattern[i]) - 1);
    for (; below != 0; below &= below - 1)
      pattern[i]--;
  }
  return gg_dimshuffle(gg__reduce(p->op, b->in[0], mask, 0), d->nd, pattern);
}

const gg_rule gg__rules_reduce[] = {
    GG_RULE("reduction keeps axes", GG_EARLY, keep_axes, &gg__op_reduce),
    GG_RULE("reduction of view", GG_CANON, view_outwards, &gg__op_reduce),
    GG_RULE("reduction over size 1", GG_CANON, reduce_fewer, &gg__op_reduce),
    GG_RULE("reduction of reduction", GG_CANON, reduce_twice, &gg__op_reduce),
    GG_RULE("reduction of fill", GG_CANON, reduce_fill, &gg__op_reduce),
    GG_RULE("mean of some", GG_CANON, mean_of_some, &gg__op_div),
    GG_RULE("argmax of softmax", GG_STABLE, argmax_of_softmax, &gg__op_reduce),
    GG_RULE("argmax of growing", GG_CANON, argmax_of_growing, &gg__op_reduce),
    GG_RULE_COUNTED("reduction of join", GG_LATE, reduce_join, &gg__op_reduce),
    GG_RULE("sum of -x", GG_CANON, sum_of_negative, &gg__op_reduce),
    GG_RULE("sum of squared distances", GG_LATE, sum_of_distances,
            &gg__op_reduce),
    GG_RULE("sum of deviations", GG_CANON, sum_of_deviations, &gg__op_reduce),
    GG_RULE("variance of rows", GG_LATE, variance_of_rows, &gg__op_reduce),
    GG_RULE_COUNTED("reduction drops axes", GG_LATE, drop_reduced,
                    &gg__op_dimshuffle),
    {0}};
