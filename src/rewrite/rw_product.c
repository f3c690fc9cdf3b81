/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on products as sets of factors: factors of numerator and denominator
 * cancel, sigmoids are recognised, and common factors move out of sums. Nothing
 * is built unless something is gained. */
#include <stdlib.h>

#include "rewrite/rw_factors.h"

#define MAX_STEPS 64 /* nodes that are expanded */
#define SUM_STEPS 24 /* the same around a sum that is multiplied out */
#define MAX_TERMS 8  /* of that sum */

/* --- cancelling --- */

/* exp(u) sigmoid(-u) is sigmoid(u); powers of either sign unite. Returns 0 if
 * there are too many factors. */
static int pair_exp(gg__product *p, unsigned int at) {
  gg__factor *e = &p->f[at], *s, new = {NULL, NULL, NULL, 0};
  gg_apply *a = gg__node(e->key, &gg__op_exp);

  if (a == NULL || e->power == 0)
    return 1;
  gg_var *u = e->power > 0 ? a->in[0] : gg__opposite(a->in[0]);
  gg_var *other = e->power > 0 ? gg__opposite(a->in[0]) : a->in[0];
  s = gg__factors_find(p, gg_sigmoid(other));
  if (s == NULL || s->power <= 0)
    return 1;
  new.key = gg_sigmoid(u);
  new.power = abs(e->power) < s->power ? abs(e->power) : s->power;
  if (new.key == NULL)
    return 0;
  s->power -= new.power;
  e->power += e->power > 0 ? -new.power : new.power;
  p->gained = 1;
  return gg__factors_multiply(p, &new);
}

static int has_sigmoid(const gg__product *p) {
  for (unsigned int i = 0; i < p->n; i++)
    if (p->f[i].power > 0 && gg__node(p->f[i].key, &gg__op_sigmoid) != NULL)
      return 1;
  return 0;
}

/* Look for products of sigmoids that have a better form. Returns 0 if there are
 * too many factors. */
static int recognise(gg__product *p) {
  unsigned int n = p->n;

  for (unsigned int i = 0; i < n; i++)
    if (p->f[i].inverse != NULL && p->f[i].power > 0)
      p->gained = 1;
  if (!has_sigmoid(p))
    return 1;
  for (unsigned int i = 0; i < n; i++)
    if (!pair_exp(p, i))
      return 0;
  return 1;
}

static gg_var *cancel(gg_apply *a) {
  gg__product p;

  if (!gg__regroups(a->out[0]) ||
      !gg__factors_collect(&p, a->out[0], MAX_STEPS) || !recognise(&p) ||
      !p.gained)
    return NULL;
  return gg__factors_fit(a, &p, gg__factors_build(&p, a->out[0]));
}

/* --- multiplying out --- */

typedef struct terms {
  gg_var *v[MAX_TERMS];
  int negative[MAX_TERMS];
  unsigned int n;
} terms;

/* Find the terms of a sum, through nested sums and signs. Returns 0 if there
 * are too many. */
static int split_sum(terms *t, gg_var *sum) {
  unsigned int i = 0;

  t->n = 1;
  t->v[0] = sum;
  t->negative[0] = 0;
  while (i < t->n) {
    gg_apply *a = t->v[i]->owner;
    if (a != NULL && a->op == &gg__op_neg) {
      t->v[i] = a->in[0];
      t->negative[i] = !t->negative[i];
    } else if (a != NULL && (a->op == &gg__op_add || a->op == &gg__op_sub)) {
      if (t->n == MAX_TERMS)
        return 0;
      t->v[t->n] = a->in[1];
      t->negative[t->n++] = t->negative[i] ^ (a->op == &gg__op_sub);
      t->v[i] = a->in[0];
    } else {
      i++;
    }
  }
  return 1;
}

/* Move the factors that cancel the denominator of `term` from `p` to `need`.
 * Returns 0 if `p` lacks one. */
static int claim(gg__product *p, gg__product *need, const gg__product *term) {
  for (unsigned int i = 0; i < term->n; i++) {
    const gg__factor *f = &term->f[i];
    gg__factor *have = gg__factors_find(need, f->key),
               *from = gg__factors_find(p, f->key);
    int missing = -f->power - (have != NULL ? have->power : 0);

    if (f->power >= 0 || missing <= 0)
      continue;
    if (from == NULL || from->power < missing)
      return 0;
    from->power -= missing;
    if (have == NULL) {
      if (need->n == GG_MAX_FACTORS)
        return 0;
      have = &need->f[need->n++];
      *have = *from;
      have->power = 0;
    }
    have->power += missing;
  }
  return 1;
}

/* The sum of the terms, each multiplied by `need`. */
static gg_var *multiply_out(terms *t, const gg__product *need) {
  gg_var *sum = NULL;
  gg__product term;

  for (unsigned int i = 0; i < t->n; i++) {
    if (!gg__factors_collect(&term, t->v[i], MAX_STEPS))
      return NULL;
    for (unsigned int k = 0; k < need->n; k++)
      if (!gg__factors_multiply(&term, &need->f[k]))
        return NULL;
    gg_var *v = gg__factors_build(&term, t->v[i]);
    if (sum == NULL)
      sum = t->negative[i] ? gg__opposite(v) : v;
    else
      sum = t->negative[i] ? gg_sub(sum, v) : gg__add(sum, v);
    if (v == NULL)
      return NULL;
  }
  return sum;
}

/* If factor `at` is a sum, and other factors cancel the denominators of all its
 * terms, multiply it out. Else NULL. */
static gg_var *distribute_over(gg_apply *a, const gg__product *all,
                               unsigned int at) {
  gg__product p = *all, need = {.c = 1}, term;
  terms t;
  gg__factor sum = {NULL, NULL, NULL, 1};

  if (!split_sum(&t, p.f[at].key) || t.n < 2)
    return NULL;
  p.f[at].power = 0;
  for (unsigned int i = 0; i < t.n; i++)
    if (!gg__factors_collect(&term, t.v[i], MAX_STEPS) ||
        !claim(&p, &need, &term))
      return NULL;
  if (need.n == 0)
    return NULL;
  sum.key = sum.direct = multiply_out(&t, &need);
  if (sum.key == NULL || !gg__factors_multiply(&p, &sum))
    return NULL;
  return gg__factors_fit(a, &p, gg__factors_build(&p, a->out[0]));
}

static gg_var *distribute(gg_apply *a) {
  gg__product p;

  if (!gg__regroups(a->out[0]) ||
      !gg__factors_collect(&p, a->out[0], SUM_STEPS))
    return NULL;
  for (unsigned int i = 0; i < p.n; i++) {
    if (p.f[i].power != 1 || p.f[i].key != p.f[i].direct)
      continue;
    gg_var *v = distribute_over(a, &p, i);
    if (v != NULL)
      return v;
  }
  return NULL;
}

/* --- common factors --- */

/* Move the common factors of x and y to `common`. Returns 0 if there are none
 * or too many. */
static int share(gg__product *x, gg__product *y, gg__product *common) {
  for (unsigned int i = 0; i < x->n; i++) {
    gg__factor f = x->f[i];
    gg__factor *other = gg__factors_find(y, f.key);
    if (other == NULL || f.power == 0 || (f.power > 0) != (other->power > 0))
      continue;
    if (abs(other->power) < abs(f.power))
      f.power = other->power;
    x->f[i].power -= f.power;
    other->power -= f.power;
    if (!gg__factors_multiply(common, &f))
      return 0;
  }
  return common->n != 0;
}

static int is_one(const gg__product *p) {
  for (unsigned int i = 0; i < p->n; i++)
    if (p->f[i].power != 0)
      return 0;
  return 1;
}

static int is_product(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_neg);

  if (a != NULL)
    v = a->in[0];
  return gg__node(v, &gg__op_mul) != NULL || gg__node(v, &gg__op_div) != NULL;
}

/* f x + f y is f (x + y). */
static gg_var *factor_out(gg_apply *a) {
  gg__product x, y, common = {.c = 1};
  gg__factor sum = {NULL, NULL, NULL, 1};

  if (!gg__regroups(a->out[0]) || !is_product(a->in[0]) ||
      !is_product(a->in[1]) || !gg__factors_collect(&x, a->in[0], SUM_STEPS) ||
      !gg__factors_collect(&y, a->in[1], SUM_STEPS) ||
      !share(&x, &y, &common) || is_one(&x) || is_one(&y))
    return NULL;
  gg_var *u = gg__factors_build(&x, a->out[0]);
  gg_var *v = gg__factors_build(&y, a->out[0]);
  sum.key = sum.direct = a->op == &gg__op_add ? gg__add(u, v) : gg_sub(u, v);
  if (sum.key == NULL || !gg__factors_multiply(&common, &sum))
    return NULL;
  return gg__factors_fit(a, &x, gg__factors_build(&common, a->out[0]));
}

/* --- blends --- */

/* (1 - y) p - y (1 - p) is p - y. */
static gg_var *blend(gg_apply *a) {
  gg_apply *x = gg__node(a->in[0], &gg__op_mul);
  gg_apply *y = gg__node(a->in[1], &gg__op_mul);

  if (x == NULL || y == NULL || !gg__regroups(a->out[0]))
    return NULL;
  for (unsigned int i = 0; i < 2; i++)
    for (unsigned int k = 0; k < 2; k++) {
      gg_var *left = x->in[i], *right = y->in[k];

      /* left + y->in[1 - k] = 1 and x->in[1 - i] + right = 1: the result is
       * left - right; prefer the pair without 1 - x. */
      if (!gg__complements(left, y->in[1 - k]) ||
          !gg__complements(x->in[1 - i], right))
        continue;
      if (gg__one_minus(left) != NULL || gg__one_minus(right) != NULL)
        return gg_sub(x->in[1 - i], y->in[1 - k]);
      return gg_sub(left, right);
    }
  return NULL;
}

const gg_rule gg__rules_product[] = {
    GG_RULE("cancel factors", GG_CANON, cancel, &gg__op_mul, &gg__op_div,
            &gg__op_reciprocal),
    GG_RULE("multiply out", GG_CANON, distribute, &gg__op_mul, &gg__op_div),
    GG_RULE("blend of complements", GG_CANON, blend, &gg__op_sub),
    GG_RULE("common factor", GG_CANON, factor_out, &gg__op_add, &gg__op_sub),
    {0}};
