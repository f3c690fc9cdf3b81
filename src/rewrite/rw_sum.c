/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums as sets of terms with coefficients: equal terms merge.
 *
 * Terms are collected through nested sums, differences, signs and products with
 * numbers, as factors of products are (rw_factors.c). A variable that several
 * paths lead to is a merged term, and is not expanded. The sum is built again
 * if something merged and it then takes no more operations. */
#include <math.h>
#include <stdlib.h>

#include "rewrite/rw_match.h"

#define MAX_TERMS 64
#define MAX_STEPS 64 /* nodes that are expanded */
#define WORTH 8      /* terms to build again for each operation saved */

typedef struct term {
  gg_var *v;
  double c;
  unsigned int paths;
} term;

/* `open` holds terms that wait to be expanded, the youngest last; `done` holds
 * the settled ones. Together there are at most MAX_TERMS. */
typedef struct sum {
  term open[MAX_TERMS], done[MAX_TERMS];
  unsigned int n_open, n_done;
  double number;       /* the sum of all numbers */
  unsigned int ops;    /* operations of the collected nodes */
  unsigned int merged; /* merged terms: those that several paths lead to */
} sum;

static int add_open(sum *s, gg_var *v, double c) {
  unsigned int i = s->n_open;

  while (i > 0 && s->open[i - 1].v->id > v->id)
    i--;
  if (i > 0 && s->open[i - 1].v == v) {
    s->open[i - 1].c += c;
    s->open[i - 1].paths++;
    return 1;
  }
  if (s->n_open + s->n_done >= MAX_TERMS)
    return 0;
  for (unsigned int k = s->n_open++; k > i; k--)
    s->open[k] = s->open[k - 1];
  s->open[i] = (term){v, c, 1};
  return 1;
}

static void settle(sum *s, const term *t) {
  double x;

  if (gg__number(t->v, &x)) {
    s->number += t->c * x;
    return;
  }
  GA_ASSERT(s->n_done < MAX_TERMS && t->paths > 0);
  s->merged += t->paths > 1;
  s->done[s->n_done++] = *t;
}

/* Expand a term by one node, or settle it. Returns 0 if there are too many. */
static int expand(sum *s, const term *t) {
  gg_apply *a = t->v->owner;
  double x;

  if (a == NULL || t->paths > 1 || s->ops >= MAX_STEPS) {
    settle(s, t);
    return 1;
  }
  if (a->op == &gg__op_add || a->op == &gg__op_sub) {
    s->ops++;
    return add_open(s, a->in[0], t->c) &&
           add_open(s, a->in[1], a->op == &gg__op_add ? t->c : -t->c);
  }
  if (a->op == &gg__op_neg) {
    s->ops++;
    return add_open(s, a->in[0], -t->c);
  }
  if (a->op == &gg__op_mul && gg__number(a->in[0], &x)) {
    s->ops++;
    return add_open(s, a->in[1], t->c * x);
  }
  settle(s, t);
  return 1;
}

/* Collect the terms of v. Returns 0 if there are too many. */
static int collect(sum *s, gg_var *v) {
  s->n_open = s->n_done = s->ops = s->merged = 0;
  s->number = 0;
  if (!add_open(s, v, 1))
    return 0;
  while (s->n_open > 0) {
    term t = s->open[--s->n_open];
    if (!expand(s, &t))
      return 0;
  }
  return isfinite(s->number);
}

/* Drop terms with the coefficient 0. */
static void drop_zeros(sum *s) {
  unsigned int n = 0;

  for (unsigned int i = 0; i < s->n_done; i++)
    if (s->done[i].c != 0)
      s->done[n++] = s->done[i];
  s->n_done = n;
}

/* The index of the term that keeps its sign when all signs are negative, so
 * that the others are subtracted from it; n_done if something is added
 * anyway. */
static unsigned int find_leader(const sum *s) {
  unsigned int leader = s->n_done;

  for (unsigned int i = 0; i < s->n_done; i++) {
    if (s->done[i].c > 0 || s->number != 0)
      return s->n_done;
    if (leader == s->n_done && s->done[i].c != -1)
      leader = i;
  }
  return leader;
}

/* How many operations building the sum takes: between the terms, and for the
 * coefficients. */
static unsigned int cost(const sum *s) {
  unsigned int n = s->n_done + (s->number != 0), plus = s->number != 0;

  n -= n != 0;
  for (unsigned int i = 0; i < s->n_done; i++) {
    n += fabs(s->done[i].c) != 1;
    plus += s->done[i].c > 0 || s->done[i].c != -1;
  }
  return n + (plus == 0);
}

/* Is building the sum worth it? Long sums wait until enough terms have merged,
 * so that a chain of additions is not built again for each of its terms. */
static int is_worth(const sum *s) {
  const unsigned int after = cost(s);

  return after <= s->ops && s->n_done <= WORTH * (1 + s->ops - after);
}

/* Does x stay the same when it is rounded to `dtype`? */
static int is_exact(int dtype, double x) {
  return dtype == GA_DOUBLE || (double)(float)x == x;
}

/* Coefficients that arise by merging must be exact: w - 0.0002 w as 0.9998 w
 * would round 0.9998, which shows after ten thousand iterations of weight
 * decay. */
static int all_fit(const sum *s, int dtype) {
  for (unsigned int i = 0; i < s->n_done; i++)
    if (!gg__number_fits(dtype, s->done[i].c) ||
        (s->done[i].paths > 1 && !is_exact(dtype, s->done[i].c)))
      return 0;
  return gg__number_fits(dtype, s->number);
}

static int compare_terms(const void *x, const void *y) {
  const term *a = x, *b = y;

  return gg__compare_vars(a->v, b->v);
}

/* Build the sum: the added terms, less the subtracted ones, plus the number. */
static gg_var *build(sum *s, gg_var *like) {
  gg_var *plus = NULL, *minus = NULL;

  qsort(s->done, s->n_done, sizeof s->done[0], compare_terms);
  unsigned int leader = find_leader(s);
  for (unsigned int i = 0; i < s->n_done; i++) {
    double c = s->done[i].c;
    gg_var **side = c > 0 || i == leader ? &plus : &minus;
    gg_var *v = gg__times(i == leader ? c : fabs(c), s->done[i].v);
    *side = *side == NULL ? v : gg__add(*side, v);
  }
  if (plus == NULL && minus == NULL)
    return gg__num(like, s->number);
  if (plus == NULL)
    return s->number != 0 ? gg_sub(gg__num(like, s->number), minus)
                          : gg_neg(minus);
  gg_var *v = minus != NULL ? gg_sub(plus, minus) : plus;
  return s->number != 0 ? gg__add(gg__num(like, s->number), v) : v;
}

/* A settled term that has the shape of the node's output, or NULL. */
static gg_var *find_shape(const gg_apply *a, const sum *s) {
  for (unsigned int i = 0; i < s->n_done; i++)
    if (gg__wide(s->done[i].v) == gg__wide(a->out[0]))
      return s->done[i].v;
  return NULL;
}

static gg_var *merge_terms(gg_apply *a) {
  const gg_type *t = &a->out[0]->type;
  sum s;

  if (!gg__is_signed(a->out[0]) || ga__dtype_is_narrow(t->dtype) ||
      !collect(&s, a->out[0]) || s.merged == 0)
    return NULL;
  gg_var *shape = find_shape(a, &s);
  drop_zeros(&s);
  if (!is_worth(&s) || !all_fit(&s, t->dtype))
    return NULL;
  return gg__fit(a, shape, build(&s, a->out[0]));
}

const gg_rule gg__rules_sum[] = {
    GG_RULE("merge terms", GG_CANON, merge_terms, &gg__op_add, &gg__op_sub),
    {0}};
