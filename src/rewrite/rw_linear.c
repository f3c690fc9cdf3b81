/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums are linear: factors that are constant along the summed axes move out.
 *
 *   sum(f x, 0) is f sum(x, 0): fewer operations per element, and sums
 *   that differ by a factor become one.
 *
 *   sum(f x + h y, 0) is f sum(x, 0) + h sum(y, 0): done where f or h itself
 *   depends on a sum over these axes. Then one pass over memory computes all
 *   sums, which otherwise run one after the other. It loses no accuracy as
 *   long as products were rounded before they were added; sum(x - c) stays. */
#include "rewrite/rw_distance.h"

enum {
  MOST_STEPS = 32, /* nodes that are examined */
  MOST_TERMS = 8,
  MOST_FOUND = 8, /* reductions that factors depend on */
  CHEAP_FLOPS = 2
};

/* (+ or -) above / below * inner. above and below, which may be NULL, are
 * constant along the reduced axes. */
typedef struct term {
  gg_var *above, *below, *inner;
  int negative;
} term;

typedef struct linear {
  const gg_rewriting *rw;
  const gg_apply *a; /* the sum */
  unsigned int mask; /* axes that it reduces and its operand has */
  unsigned int steps;
  term t[MOST_TERMS];
  unsigned int n;
} linear;

static int linear_init(linear *l, const gg_rewriting *rw, const gg_apply *a) {
  const gg_reduce_props *p = gg__reduce_props_of(a);

  l->rw = rw;
  l->a = a;
  l->mask = p->axes_mask & gg__wide(a->in[0]);
  l->steps = MOST_STEPS;
  l->n = 0;
  return p->op == GG_SUM && gg__regroups(a->in[0]) && l->mask != 0;
}

static int is_constant(const linear *l, const gg_var *v) {
  return (gg__wide(v) & l->mask) == 0;
}

static gg_var *times(gg_var *x, gg_var *y) {
  return x != NULL ? gg_mul(x, y) : y;
}

/* --- factors of a product --- */

/* Is computing v as cheap as reading one value from memory: is it a leaf, or
 * one cheap operation on a leaf? */
static int is_at_hand(const gg_var *v) {
  const gg_apply *a = v->owner;
  unsigned int wide = 0;

  if (a == NULL)
    return 1;
  if (a->op->kind != GG_OP_ELEMWISE)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__wide(a->in[i]) == gg__wide(v)) {
      wide++;
      if (a->in[i]->owner != NULL)
        return 0;
    }
  const gg_code *code = gg_apply_code(a);
  return wide == 1 && code != NULL && code->flops <= CHEAP_FLOPS;
}

/* Do several nodes certainly use v, so that it is computed whatever this rule
 * does? */
static int is_shared(const linear *l, const gg_var *v) {
  return v->id < l->rw->n_before && gg_rule_uses(l->rw, v) > 1;
}

static gg_var *strip(linear *l, gg_var *v, term *t);

static gg_var *strip_product(linear *l, gg_var *v, term *t) {
  gg_apply *a = v->owner;

  for (unsigned int i = 0; i < 2; i++)
    if (is_constant(l, a->in[i])) {
      t->above = times(t->above, a->in[i]);
      return strip(l, a->in[1 - i], t);
    }
  gg_var *x = strip(l, a->in[0], t);
  gg_var *y = strip(l, a->in[1], t);
  return x != a->in[0] || y != a->in[1] ? gg_mul(x, y) : v;
}

static gg_var *strip_quotient(linear *l, gg_var *v, term *t) {
  gg_apply *a = v->owner;

  if (is_constant(l, a->in[1])) {
    t->below = times(t->below, a->in[1]);
    return strip(l, a->in[0], t);
  }
  gg_var *x = strip(l, a->in[0], t);
  return x != a->in[0] ? gg_div(x, a->in[1]) : v;
}

/* v without its constant factors, which move to t. If v has other uses, it
 * keeps them unless the rest is as cheap to read. */
static gg_var *strip(linear *l, gg_var *v, term *t) {
  const gg_apply *a = v->owner;
  const term before = *t;
  gg_var *x = v;

  if (a == NULL || l->steps == 0)
    return v;
  l->steps--;
  if (a->op == &gg__op_mul) {
    x = strip_product(l, v, t);
  } else if (a->op == &gg__op_div) {
    x = strip_quotient(l, v, t);
  } else if (a->op == &gg__op_neg) {
    t->negative = !t->negative;
    x = strip(l, a->in[0], t);
  }
  if (x != v && gg__settled_uses(l->rw, v) > 1 && !is_at_hand(x) &&
      !is_shared(l, x)) {
    *t = before;
    return v;
  }
  return x;
}

/* --- terms of a sum --- */

static int has_axes(const linear *l, const gg_var *v) {
  return (gg__wide(v) & l->mask) == l->mask;
}

/* Move a sign or one constant factor from the front of t.inner to t. Returns 0
 * if there is none. */
static int take_factor(const linear *l, term *t) {
  const gg_apply *a = t->inner->owner;
  unsigned int x = 0; /* index of the operand that is left */

  if (a == NULL)
    return 0;
  if (a->op == &gg__op_neg) {
    t->negative = !t->negative;
  } else if (a->op == &gg__op_div && is_constant(l, a->in[1])) {
    t->below = times(t->below, a->in[1]);
  } else if (a->op == &gg__op_mul &&
             (is_constant(l, a->in[0]) || is_constant(l, a->in[1]))) {
    x = is_constant(l, a->in[0]) ? 1 : 0;
    t->above = times(t->above, a->in[1 - x]);
  } else {
    return 0;
  }
  t->inner = a->in[x];
  return 1;
}

/* Collect the terms of t.inner, each with t's factors. Returns 0 if there are
 * too many. */
static int collect(linear *l, term t) {
  const gg_apply *a = t.inner->owner;

  if (a != NULL && l->steps > 0 &&
      (a->op == &gg__op_add || a->op == &gg__op_sub) && has_axes(l, a->in[0]) &&
      has_axes(l, a->in[1])) {
    term u = t;
    l->steps--;
    t.inner = a->in[0];
    u.inner = a->in[1];
    u.negative ^= a->op == &gg__op_sub;
    return collect(l, t) && collect(l, u);
  }
  if (take_factor(l, &t))
    return collect(l, t);
  if (l->n == MOST_TERMS)
    return 0;
  t.inner = strip(l, t.inner, &t);
  l->t[l->n++] = t;
  return 1;
}

/* Reductions over the same axes, the first that are found. */
typedef struct found {
  const gg_apply *r[MOST_FOUND];
  unsigned int n;
} found;

static int is_same_axes(const linear *l, const gg_apply *a) {
  return a->op == &gg__op_reduce &&
         gg__reduce_props_of(a)->axes_mask == l->mask;
}

/* Find reductions over the same axes that v is computed from through few
 * elementwise nodes and views. */
static void find_reductions(const linear *l, const gg_var *v, found *f,
                            unsigned int *budget) {
  const gg_apply *a = v != NULL ? v->owner : NULL;

  if (a == NULL || *budget == 0 || f->n == MOST_FOUND)
    return;
  --*budget;
  if (is_same_axes(l, a))
    f->r[f->n++] = a;
  else if (a->op->kind == GG_OP_ELEMWISE || a->op == &gg__op_dimshuffle)
    for (unsigned int i = 0; i < a->n_in; i++)
      find_reductions(l, a->in[i], f, budget);
}

/* Is v computed from r, through elementwise nodes, views and reductions? Yes if
 * these are too many to tell. */
static int waits_for(const gg_var *v, const gg_apply *r, unsigned int *budget) {
  const gg_apply *a = v->owner;

  if (a == NULL)
    return 0;
  if (a == r || *budget == 0)
    return 1;
  --*budget;
  if (a->op->kind != GG_OP_ELEMWISE && a->op != &gg__op_dimshuffle &&
      a->op != &gg__op_reduce)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (waits_for(a->in[i], r, budget))
      return 1;
  return 0;
}

static int does_inner_wait(const linear *l, const gg_apply *r) {
  for (unsigned int i = 0; i < l->n; i++) {
    unsigned int budget = MOST_STEPS;
    if (waits_for(l->t[i].inner, r, &budget))
      return 1;
  }
  return 0;
}

/* Does a factor depend on a reduction that no `inner` depends on? */
static int unblocks(const linear *l) {
  unsigned int budget = MOST_STEPS;
  found f = {.n = 0};

  for (unsigned int i = 0; i < l->n; i++) {
    find_reductions(l, l->t[i].above, &f, &budget);
    find_reductions(l, l->t[i].below, &f, &budget);
  }
  for (unsigned int i = 0; i < f.n; i++)
    if (!does_inner_wait(l, f.r[i]))
      return 1;
  return 0;
}

/* May the sum be split into its terms? All but one must have been rounded by a
 * factor, and each must have all axes. */
static int may_part(const linear *l) {
  unsigned int plain = 0;

  for (unsigned int i = 0; i < l->n; i++) {
    plain += l->t[i].above == NULL && l->t[i].below == NULL;
    if (!has_axes(l, l->t[i].inner))
      return 0;
  }
  return l->n > 1 && plain <= 1;
}

/* --- building --- */

/* A factor in the rank of the result, which may lack the reduced axes. */
static gg_var *at_result(const linear *l, gg_var *f) {
  const gg_reduce_props *p = gg__reduce_props_of(l->a);

  if (f == NULL || p->keepdims || f->type.nd != l->a->in[0]->type.nd)
    return f;
  return gg__drop_axes(f, p->axes_mask);
}

/* Are the factors certainly finite? */
static int is_finite(const term *t) {
  double c;

  if (t->below != NULL && (!gg__number(t->below, &c) || c == 0))
    return 0;
  return t->above == NULL || gg__is_finite(t->above);
}

/* The sum of one term without its sign. A sum of no elements is 0 whatever the
 * factors are. */
static gg_var *sum_of(const linear *l, const term *t) {
  gg_var *v = gg__apply_like(l->a, (gg_var *[]){t->inner}), *n = t->inner;

  if (t->above != NULL)
    v = gg_mul(at_result(l, t->above), v);
  if (t->below != NULL)
    v = gg_div(v, at_result(l, t->below));
  return is_finite(t) ? v : gg__zero_of_none(v, n, l->mask);
}

static gg_var *factors_leave(const gg_rewriting *rw, gg_apply *a) {
  linear l;
  term t = {NULL, NULL, a->in[0], 0};

  if (!linear_init(&l, rw, a))
    return NULL;
  t.inner = strip(&l, t.inner, &t);
  if ((t.above == NULL && t.below == NULL) || !has_axes(&l, t.inner))
    return NULL;
  gg_var *v = sum_of(&l, &t);
  return t.negative ? gg_neg(v) : v;
}

static gg_var *terms_part(const gg_rewriting *rw, gg_apply *a) {
  gg_var *sum = NULL;
  linear l;

  if (!linear_init(&l, rw, a) ||
      !collect(&l, (term){NULL, NULL, a->in[0], 0}) || !may_part(&l) ||
      !unblocks(&l))
    return NULL;
  for (unsigned int i = 0; i < l.n; i++) {
    if (gg__is_deviation(a, l.t[i].inner) && (sum != NULL || i + 1 < l.n))
      continue;
    gg_var *v = sum_of(&l, &l.t[i]);
    if (sum == NULL)
      sum = l.t[i].negative ? gg_neg(v) : v;
    else
      sum = l.t[i].negative ? gg_sub(sum, v) : gg_add(sum, v);
  }
  return sum;
}

const gg_rule gg__rules_linear[] = {
    GG_RULE_COUNTED("factor out of sum", GG_EARLY | GG_LATE, factors_leave,
                    &gg__op_reduce),
    GG_RULE_COUNTED("sum of terms", GG_EARLY | GG_LATE, terms_part,
                    &gg__op_reduce),
    {0}};
