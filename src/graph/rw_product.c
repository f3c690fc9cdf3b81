/* SPDX-License-Identifier: BSD-2-Clause */
/* Products as sets of factors: what stands above and below cancels, sigmoids
 * are recognised, and common factors leave sums.
 *
 * Factors are collected through nested products, quotients, signs and squares,
 * shared or not. A variable is expanded when no younger one is left, so that
 * every path to it has been counted: x^64 by squaring is seven steps. Nothing
 * is built unless something was gained. */
#include <math.h>
#include <stdlib.h>

#include "graph/rewrite.h"

#define MAX_FACTORS 64
#define MAX_POWER 1024
#define MAX_STEPS 64 /* nodes looked through */
#define SUM_STEPS 24 /* the same around a sum that is multiplied out */
#define MAX_TERMS 8  /* of that sum */

/* key^power. The key stands for equal values that are written differently:
 * 1 - sigmoid(x) is sigmoid(-x), 1 + exp(x) is sigmoid(-x)^-1. */
typedef struct factor {
  gg_var *key;
  gg_var *direct;  /* how the key is written, or NULL */
  gg_var *inverse; /* how 1 / key is written, or NULL */
  int power;
} factor;

typedef struct product {
  double c; /* all numbers in it */
  factor f[MAX_FACTORS];
  unsigned int n;
  gg_var *widest; /* a factor that had the most axes */
  int gained;     /* something cancelled or was recognised */
} product;

/* --- collecting --- */

static unsigned int count_bits(unsigned int x) {
  unsigned int n = 0;

  for (; x != 0; x &= x - 1)
    n++;
  return n;
}

static void note_shape(product *p, gg_var *v) {
  if (p->widest == NULL ||
      count_bits(gg__wide(v)) > count_bits(gg__wide(p->widest)))
    p->widest = v;
}

static factor *find_factor(product *p, const gg_var *key) {
  unsigned int i;

  for (i = 0; i < p->n; i++)
    if (p->f[i].key == key)
      return &p->f[i];
  return NULL;
}

/* Multiply by what `new` describes. */
static int multiply_factor(product *p, const factor *new) {
  factor *f = find_factor(p, new->key);

  if (f == NULL) {
    if (p->n == MAX_FACTORS)
      return 0;
    p->f[p->n++] = *new;
    return 1;
  }
  if ((f->power > 0 && new->power < 0) || (f->power < 0 && new->power > 0))
    p->gained = 1;
  f->power += new->power;
  if (f->direct == NULL)
    f->direct = new->direct;
  if (f->inverse == NULL)
    f->inverse = new->inverse;
  return 1;
}

static int multiply_leaf(product *p, gg_var *v, int power) {
  factor f = {v, v, NULL, power};
  gg_var *x = gg__one_minus(v), *u = gg__one_plus_exp(v);
  gg_apply *s = x != NULL ? gg__node(x, &gg__op_sigmoid) : NULL;

  note_shape(p, v);
  if (s != NULL) {
    f.key = gg_sigmoid(gg__opposite(s->in[0]));
  } else if (u != NULL) {
    f.key = gg_sigmoid(gg__opposite(u));
    f.direct = NULL;
    f.inverse = v;
    f.power = -power;
  }
  return f.key != NULL && multiply_factor(p, &f);
}

/* Variables that wait to be expanded, the youngest last. */
typedef struct waiting {
  gg_var *v[MAX_FACTORS];
  int power[MAX_FACTORS];
  unsigned int n;
} waiting;

static int wait(product *p, waiting *w, gg_var *v, int power) {
  unsigned int i = w->n, k;

  while (i > 0 && w->v[i - 1]->id > v->id)
    i--;
  if (i > 0 && w->v[i - 1] == v) {
    if ((w->power[i - 1] > 0) != (power > 0))
      p->gained = 1;
    w->power[i - 1] += power;
    return abs(w->power[i - 1]) <= MAX_POWER;
  }
  if (w->n == MAX_FACTORS)
    return 0;
  for (k = w->n++; k > i; k--) {
    w->v[k] = w->v[k - 1];
    w->power[k] = w->power[k - 1];
  }
  w->v[i] = v;
  w->power[i] = power;
  return 1;
}

/* Expand v^power one step, or make it a factor. 0 when it is too much. */
static int expand(product *p, waiting *w, gg_var *v, int power) {
  gg_apply *a = v->owner;
  double c;

  if (gg__number(v, &c) && c != 0) {
    p->c *= pow(c, power);
    return 1;
  }
  if (a == NULL)
    return multiply_leaf(p, v, power);
  if (a->op == &gg__op_mul)
    return wait(p, w, a->in[0], power) && wait(p, w, a->in[1], power);
  if (a->op == &gg__op_div)
    return wait(p, w, a->in[0], power) && wait(p, w, a->in[1], -power);
  if (a->op == &gg__op_reciprocal)
    return wait(p, w, a->in[0], -power);
  if (a->op == &gg__op_sqr)
    return abs(2 * power) <= MAX_POWER && wait(p, w, a->in[0], 2 * power);
  if (a->op == &gg__op_neg) {
    p->c = power % 2 != 0 ? -p->c : p->c;
    return wait(p, w, a->in[0], power);
  }
  return multiply_leaf(p, v, power);
}

/* The factors of v, looking through at most `steps` nodes; what is left then
 * counts as a factor. 0 when there are too many. */
static int collect(product *p, gg_var *v, unsigned int steps) {
  waiting w;

  p->c = 1;
  p->n = 0;
  p->gained = 0;
  p->widest = NULL;
  w.n = 0;
  if (!wait(p, &w, v, 1))
    return 0;
  while (w.n > 0) {
    w.n--;
    if (w.power[w.n] == 0) {
      note_shape(p, w.v[w.n]);
    } else if (steps > 0) {
      steps--;
      if (!expand(p, &w, w.v[w.n], w.power[w.n]))
        return 0;
    } else if (!multiply_leaf(p, w.v[w.n], w.power[w.n])) {
      return 0;
    }
  }
  return isfinite(p->c) && p->c != 0;
}

/* --- building --- */

static int compare_factors(const void *x, const void *y) {
  const factor *a = x, *b = y;
  const int wa = gg__wide(a->key) != 0, wb = gg__wide(b->key) != 0;

  if (wa != wb)
    return wa - wb;
  return a->key->id < b->key->id ? -1 : a->key->id > b->key->id;
}

/* v^n for n >= 1 */
static gg_var *raise(gg_var *v, int n) {
  gg_var *y = NULL;

  for (; n != 0; n /= 2) {
    if (n % 2 != 0)
      y = y != NULL ? gg_mul(y, v) : v;
    if (n > 1)
      v = gg_sqr(v);
  }
  return y;
}

static gg_var *times(gg_var *x, gg_var *y) {
  return x == NULL ? y : gg_mul(x, y);
}

/* Multiply the factor into what stands above or below the line. */
static void place(const factor *f, gg_var **above, gg_var **below) {
  if (f->power > 0)
    *above =
        times(*above, raise(f->direct != NULL ? f->direct : f->key, f->power));
  else if (f->power < 0 && f->inverse != NULL)
    *above = times(*above, raise(f->inverse, -f->power));
  else if (f->power < 0)
    *below = times(*below, raise(f->direct, -f->power));
}

static gg_var *quotient(gg_var *like, gg_var *above, gg_var *below) {
  if (below == NULL)
    return above;
  return gg_div(above != NULL ? above : gg__num(like, 1), below);
}

/* c (scalars) (others), the parts that are there. NULL when the dtype does not
 * have the number. */
static gg_var *build(product *p, gg_var *like) {
  gg_var *part[2][2] = {{NULL, NULL}, {NULL, NULL}}; /* scalar or not, above,
                                                        below */
  gg_var *s, *x;
  unsigned int i;

  if (!gg__number_fits(like->type.dtype, p->c))
    return NULL;
  qsort(p->f, p->n, sizeof p->f[0], compare_factors);
  for (i = 0; i < p->n; i++) {
    gg_var **const at = part[gg__wide(p->f[i].key) != 0];

    place(&p->f[i], &at[0], &at[1]);
  }
  s = quotient(like, part[0][0], part[0][1]);
  if (part[1][0] == NULL && part[1][1] == NULL)
    return s != NULL ? gg__times(p->c, s) : gg__num(like, p->c);
  if (part[1][0] == NULL) {
    s = s != NULL ? gg__times(p->c, s) : gg__num(like, p->c);
    return gg_div(s, part[1][1]);
  }
  x = quotient(like, part[1][0], part[1][1]);
  return s != NULL ? gg_mul(gg__times(p->c, s), x) : gg__times(p->c, x);
}

/* Give v the rank and shape of the node's output, if a factor had that. */
static gg_var *fit(const gg_apply *a, const product *p, gg_var *v) {
  const gg_type *t = &a->out[0]->type;

  if (v == NULL || v->type.nd > t->nd)
    return NULL;
  v = gg__pad_rank(v, t->nd - v->type.nd);
  if (v == NULL || gg__wide(v) == gg__wide(a->out[0]) || p->widest == NULL ||
      gg__wide(p->widest) != gg__wide(a->out[0]))
    return v;
  return gg_fill(p->widest, v);
}

/* --- cancelling --- */

/* exp(u) sigmoid(-u) is sigmoid(u), whatever the signs of their powers. */
static int pair_exp(product *p, unsigned int at) {
  factor *e = &p->f[at], *s, new = {NULL, NULL, NULL, 0};
  gg_apply *a = gg__node(e->key, &gg__op_exp);
  gg_var *u, *other;

  if (a == NULL || e->power == 0)
    return 1;
  u = e->power > 0 ? a->in[0] : gg__opposite(a->in[0]);
  other = e->power > 0 ? gg__opposite(a->in[0]) : a->in[0];
  s = find_factor(p, gg_sigmoid(other));
  if (s == NULL || s->power <= 0)
    return 1;
  new.key = gg_sigmoid(u);
  new.power = abs(e->power) < s->power ? abs(e->power) : s->power;
  if (new.key == NULL)
    return 0;
  s->power -= new.power;
  e->power += e->power > 0 ? -new.power : new.power;
  p->gained = 1;
  return multiply_factor(p, &new);
}

static int has_sigmoid(const product *p) {
  unsigned int i;

  for (i = 0; i < p->n; i++)
    if (p->f[i].power > 0 && gg__node(p->f[i].key, &gg__op_sigmoid) != NULL)
      return 1;
  return 0;
}

/* Find what products of sigmoids can be written better. */
static int recognise(product *p) {
  unsigned int i, n = p->n;

  for (i = 0; i < n; i++)
    if (p->f[i].inverse != NULL && p->f[i].power > 0)
      p->gained = 1;
  if (!has_sigmoid(p))
    return 1;
  for (i = 0; i < n; i++)
    if (!pair_exp(p, i))
      return 0;
  return 1;
}

static gg_var *cancel(gg_apply *a) {
  product p;

  if (!gg__regroups(a->out[0]) || !collect(&p, a->out[0], MAX_STEPS) ||
      !recognise(&p) || !p.gained)
    return NULL;
  return fit(a, &p, build(&p, a->out[0]));
}

/* --- multiplying out --- */

typedef struct terms {
  gg_var *v[MAX_TERMS];
  int negative[MAX_TERMS];
  unsigned int n;
} terms;

/* The terms of a sum, one level of nesting after the other. 0 when there are
 * too many. */
static int split_sum(terms *t, gg_var *sum) {
  unsigned int i = 0;
  gg_apply *a;

  t->n = 1;
  t->v[0] = sum;
  t->negative[0] = 0;
  while (i < t->n) {
    a = t->v[i]->owner;
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

/* Move from `p` to `need` the factors that cancel what `term` has below the
 * line. 0 when p has not got one. */
static int claim(product *p, product *need, const product *term) {
  unsigned int i;

  for (i = 0; i < term->n; i++) {
    const factor *f = &term->f[i];
    factor *have = find_factor(need, f->key), *from = find_factor(p, f->key);
    int missing = -f->power - (have != NULL ? have->power : 0);

    if (f->power >= 0 || missing <= 0)
      continue;
    if (from == NULL || from->power < missing)
      return 0;
    from->power -= missing;
    if (have == NULL) {
      if (need->n == MAX_FACTORS)
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
static gg_var *multiply_out(terms *t, const product *need) {
  gg_var *sum = NULL, *v;
  product term;
  unsigned int i, k;

  for (i = 0; i < t->n; i++) {
    if (!collect(&term, t->v[i], MAX_STEPS))
      return NULL;
    for (k = 0; k < need->n; k++)
      if (!multiply_factor(&term, &need->f[k]))
        return NULL;
    v = build(&term, t->v[i]);
    if (sum == NULL)
      sum = t->negative[i] ? gg__opposite(v) : v;
    else
      sum = t->negative[i] ? gg_sub(sum, v) : gg_add(sum, v);
    if (v == NULL)
      return NULL;
  }
  return sum;
}

/* If all that stands below the line in the terms of factor number `at`
 * cancels, multiply them out. */
static gg_var *distribute_over(gg_apply *a, const product *all,
                               unsigned int at) {
  product p = *all, need = {.c = 1}, term;
  terms t;
  unsigned int i;
  factor sum = {NULL, NULL, NULL, 1};

  if (!split_sum(&t, p.f[at].key) || t.n < 2)
    return NULL;
  p.f[at].power = 0;
  for (i = 0; i < t.n; i++)
    if (!collect(&term, t.v[i], MAX_STEPS) || !claim(&p, &need, &term))
      return NULL;
  if (need.n == 0)
    return NULL;
  sum.key = sum.direct = multiply_out(&t, &need);
  if (sum.key == NULL || !multiply_factor(&p, &sum))
    return NULL;
  return fit(a, &p, build(&p, a->out[0]));
}

static gg_var *distribute(gg_apply *a) {
  gg_var *v;
  product p;
  unsigned int i;

  if (!gg__regroups(a->out[0]) || !collect(&p, a->out[0], SUM_STEPS))
    return NULL;
  for (i = 0; i < p.n; i++) {
    if (p.f[i].power != 1 || p.f[i].key != p.f[i].direct)
      continue;
    v = distribute_over(a, &p, i);
    if (v != NULL)
      return v;
  }
  return NULL;
}

/* --- common factors --- */

/* Move what both have in common to `common`. */
static int share(product *x, product *y, product *common) {
  unsigned int i;
  factor f, *other;

  for (i = 0; i < x->n; i++) {
    f = x->f[i];
    other = find_factor(y, f.key);
    if (other == NULL || f.power == 0 || (f.power > 0) != (other->power > 0))
      continue;
    if (abs(other->power) < abs(f.power))
      f.power = other->power;
    x->f[i].power -= f.power;
    other->power -= f.power;
    if (!multiply_factor(common, &f))
      return 0;
  }
  return common->n != 0;
}

static int is_one(const product *p) {
  unsigned int i;

  for (i = 0; i < p->n; i++)
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
  product x, y, common = {.c = 1};
  factor sum = {NULL, NULL, NULL, 1};
  gg_var *u, *v;

  if (!gg__regroups(a->out[0]) || !is_product(a->in[0]) ||
      !is_product(a->in[1]) || !collect(&x, a->in[0], SUM_STEPS) ||
      !collect(&y, a->in[1], SUM_STEPS) || !share(&x, &y, &common) ||
      is_one(&x) || is_one(&y))
    return NULL;
  u = build(&x, a->out[0]);
  v = build(&y, a->out[0]);
  sum.key = sum.direct = a->op == &gg__op_add ? gg_add(u, v) : gg_sub(u, v);
  if (sum.key == NULL || !multiply_factor(&common, &sum))
    return NULL;
  return fit(a, &x, build(&common, a->out[0]));
}

/* --- blends --- */

/* (1 - y) p - y (1 - p) is p - y. */
static gg_var *blend(gg_apply *a) {
  gg_apply *x = gg__node(a->in[0], &gg__op_mul);
  gg_apply *y = gg__node(a->in[1], &gg__op_mul);
  unsigned int i, k;

  if (x == NULL || y == NULL || !gg__regroups(a->out[0]))
    return NULL;
  for (i = 0; i < 2; i++)
    for (k = 0; k < 2; k++) {
      gg_var *left = x->in[i], *right = y->in[k];

      /* left + y->in[1 - k] = 1 and x->in[1 - i] + right = 1: the result is
       * left - right; take the plain pair. */
      if (!gg__complements(left, y->in[1 - k]) ||
          !gg__complements(x->in[1 - i], right))
        continue;
      if (gg__one_minus(left) != NULL || gg__one_minus(right) != NULL)
        return gg_sub(x->in[1 - i], y->in[1 - k]);
      return gg_sub(left, right);
    }
  return NULL;
}

const gg__rule gg__rules_product[] = {
    {"cancel factors", &gg__op_mul, GG_CANON, cancel, NULL},
    {"cancel factors", &gg__op_div, GG_CANON, cancel, NULL},
    {"cancel factors", &gg__op_reciprocal, GG_CANON, cancel, NULL},
    {"multiply out", &gg__op_mul, GG_CANON, distribute, NULL},
    {"multiply out", &gg__op_div, GG_CANON, distribute, NULL},
    {"blend of complements", &gg__op_sub, GG_CANON, blend, NULL},
    {"common factor", &gg__op_add, GG_CANON, factor_out, NULL},
    {"common factor", &gg__op_sub, GG_CANON, factor_out, NULL},
    {0}};
