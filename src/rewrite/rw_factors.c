/* SPDX-License-Identifier: BSD-2-Clause */
/* Collecting the factors of a product, and building it again.
 *
 * Factors are collected through nested products, quotients, signs and squares,
 * even if other nodes use these. The youngest variable is always expanded
 * first, so that all paths to a variable are counted before it is expanded.
 * x^64 by squaring takes seven steps. */
#include "rewrite/rw_factors.h"

#include <math.h>
#include <stdlib.h>

#define MAX_POWER 1024

/* --- collecting --- */

static void note_shape(gg__product *p, gg_var *v) {
  if (p->widest == NULL ||
      gg__count_axes(gg__wide(v)) > gg__count_axes(gg__wide(p->widest)))
    p->widest = v;
}

gg__factor *gg__factors_find(gg__product *p, const gg_var *key) {
  for (unsigned int i = 0; i < p->n; i++)
    if (p->f[i].key == key)
      return &p->f[i];
  return NULL;
}

int gg__factors_multiply(gg__product *p, const gg__factor *new) {
  gg__factor *f = gg__factors_find(p, new->key);

  GA_ASSERT(new->key != NULL && p->n <= GG_MAX_FACTORS);
  if (f == NULL) {
    if (p->n == GG_MAX_FACTORS)
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

static int multiply_leaf(gg__product *p, gg_var *v, int power) {
  gg__factor f = {v, v, NULL, power};
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
  return f.key != NULL && gg__factors_multiply(p, &f);
}

/* Variables that wait to be expanded, the youngest last. */
typedef struct waiting {
  gg_var *v[GG_MAX_FACTORS];
  int power[GG_MAX_FACTORS];
  unsigned int n;
} waiting;

static int await(gg__product *p, waiting *w, gg_var *v, int power) {
  unsigned int i = w->n;

  while (i > 0 && w->v[i - 1]->id > v->id)
    i--;
  if (i > 0 && w->v[i - 1] == v) {
    if ((w->power[i - 1] > 0) != (power > 0))
      p->gained = 1;
    w->power[i - 1] += power;
    return abs(w->power[i - 1]) <= MAX_POWER;
  }
  if (w->n == GG_MAX_FACTORS)
    return 0;
  for (unsigned int k = w->n++; k > i; k--) {
    w->v[k] = w->v[k - 1];
    w->power[k] = w->power[k - 1];
  }
  w->v[i] = v;
  w->power[i] = power;
  return 1;
}

/* Expand v^power by one node, or make it a factor. Returns 0 if a limit is
 * exceeded. */
static int expand(gg__product *p, waiting *w, gg_var *v, int power) {
  gg_apply *a = v->owner;
  double c;

  if (gg__number(v, &c) && c != 0) {
    p->c *= pow(c, power);
    return 1;
  }
  if (a == NULL)
    return multiply_leaf(p, v, power);
  if (a->op == &gg__op_mul)
    return await(p, w, a->in[0], power) && await(p, w, a->in[1], power);
  if (a->op == &gg__op_div)
    return await(p, w, a->in[0], power) && await(p, w, a->in[1], -power);
  if (a->op == &gg__op_reciprocal)
    return await(p, w, a->in[0], -power);
  if (a->op == &gg__op_sqr)
    return abs(2 * power) <= MAX_POWER && await(p, w, a->in[0], 2 * power);
  if (a->op == &gg__op_neg) {
    p->c = power % 2 != 0 ? -p->c : p->c;
    return await(p, w, a->in[0], power);
  }
  return multiply_leaf(p, v, power);
}

int gg__factors_collect(gg__product *p, gg_var *v, unsigned int steps) {
  waiting w;

  p->c = 1;
  p->n = 0;
  p->gained = 0;
  p->widest = NULL;
  w.n = 0;
  if (!await(p, &w, v, 1))
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
  const gg__factor *a = x, *b = y;

  return gg__compare_vars(a->key, b->key);
}

/* The base of the power, in numerator or denominator. */
static gg_var *base_of(const gg__factor *f) {
  return f->direct != NULL ? f->direct : f->key;
}

static gg_var *times(gg_var *x, gg_var *y) {
  return x == NULL ? y : gg__mul(x, y);
}

/* Multiply the numerator or the denominator by the factor. */
static void place(const gg__factor *f, gg_var **above, gg_var **below) {
  if (f->power > 0)
    *above = times(*above, gg__power(base_of(f), f->power));
  else if (f->power < 0 && f->inverse != NULL)
    *above = times(*above, gg__power(f->inverse, -f->power));
  else if (f->power < 0)
    *below = times(*below, gg__power(base_of(f), -f->power));
}

static gg_var *quotient(gg_var *like, gg_var *above, gg_var *below) {
  if (below == NULL)
    return above;
  return gg_div(above != NULL ? above : gg__num(like, 1), below);
}

gg_var *gg__factors_build(gg__product *p, gg_var *like) {
  gg_var *part[2][2] = {{NULL, NULL}, {NULL, NULL}}; /* scalars, others; each
                                                        numerator,
                                                        denominator */

  if (!gg__number_fits(like->type.dtype, p->c))
    return NULL;
  qsort(p->f, p->n, sizeof p->f[0], compare_factors);
  for (unsigned int i = 0; i < p->n; i++) {
    gg_var **const at = part[gg__wide(p->f[i].key) != 0];

    place(&p->f[i], &at[0], &at[1]);
  }
  gg_var *s = quotient(like, part[0][0], part[0][1]);
  if (part[1][0] == NULL && part[1][1] == NULL)
    return s != NULL ? gg__times(p->c, s) : gg__num(like, p->c);
  if (part[1][0] == NULL) {
    s = s != NULL ? gg__times(p->c, s) : gg__num(like, p->c);
    return gg_div(s, part[1][1]);
  }
  gg_var *x = quotient(like, part[1][0], part[1][1]);
  return s != NULL ? gg__mul(gg__times(p->c, s), x) : gg__times(p->c, x);
}

gg_var *gg__factors_fit(const gg_apply *a, const gg__product *p, gg_var *v) {
  return gg__fit(a, p->widest, v);
}
