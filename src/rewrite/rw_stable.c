/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms that remain finite and accurate where the plain ones overflow, cancel
 * or take the log of 0. */
#include <math.h>

#include "rewrite/rw_axes.h"

/* --- logarithms and exponentials --- */

/* log(1 + x) and log(1 - x) */
static gg_var *log_one_plus(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_add);
  gg_var *x = gg__one_minus(a->in[0]);

  if (b != NULL && gg__is_number(b->in[0], 1))
    return gg_log1p(b->in[1]);
  return x != NULL ? gg_log1p(gg_neg(x)) : NULL;
}

static gg_var *log_of_exp(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_exp);

  return b != NULL ? b->in[0] : NULL;
}

static gg_var *log_of_sigmoid(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_sigmoid);

  return b != NULL ? gg_neg(gg_softplus(gg__opposite(b->in[0]))) : NULL;
}

/* max + log(1 + exp(min - max)). Equal operands are a case of their own, as
 * they may be infinite. */
static gg_var *log_add_exp(gg_var *x, gg_var *y) {
  gg_var *d = gg_neg(gg_abs(gg_sub(x, y)));
  gg_var *far = gg_softplus(d); /* in a statement of its own, so that all
                                   compilers build nodes in one order */
  gg_var *v = gg_add(gg_maximum(x, y), far);

  return gg_where(gg_eq(x, y), gg_add(x, gg__num(x, log(2))), v);
}

/* The log of v if v is a sum of nothing but exponentials, else NULL. */
static gg_var *log_of_exps(const gg_var *v, unsigned int depth) {
  gg_apply *a = gg__node(v, &gg__op_exp);

  if (a != NULL)
    return a->in[0];
  a = gg__node(v, &gg__op_add);
  if (a == NULL || depth == 0)
    return NULL;
  gg_var *x = log_of_exps(a->in[0], depth - 1);
  gg_var *y = x != NULL ? log_of_exps(a->in[1], depth - 1) : NULL;
  return y != NULL ? log_add_exp(x, y) : NULL;
}

static gg_var *log_of_sum(gg_apply *a) {
  enum { MOST_NESTED = 4 };

  return gg__node(a->in[0], &gg__op_add) != NULL
             ? log_of_exps(a->in[0], MOST_NESTED)
             : NULL;
}

static gg_var *log1p_of_exp(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_exp);

  return b != NULL ? gg_softplus(b->in[0]) : NULL;
}

/* log(1 - sigmoid(x)) is -softplus(x). */
static gg_var *log1p_of_sigmoid(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_neg);

  b = b != NULL ? gg__node(b->in[0], &gg__op_sigmoid) : NULL;
  return b != NULL ? gg_neg(gg_softplus(b->in[0])) : NULL;
}

/* 1 / (1 + exp(x)) */
static gg_var *logistic(gg_apply *a) {
  gg_var *u = gg__one_plus_exp(a->in[a->n_in - 1]);

  if (u == NULL || (a->n_in == 2 && !gg__is_number(a->in[0], 1)))
    return NULL;
  return gg_sigmoid(gg__opposite(u));
}

static gg_var *exp_minus_one(gg_apply *a) {
  gg_apply *b = gg__node(a->in[1], &gg__op_exp);

  return b != NULL && gg__is_number(a->in[0], -1) ? gg_expm1(b->in[0]) : NULL;
}

/* 1 - sigmoid(x), unless sigmoid(x) is computed anyway. */
static gg_var *one_minus_sigmoid(const gg_rewriting *rw, gg_apply *a) {
  gg_var *s = gg__one_minus(a->out[0]);
  gg_apply *b = s != NULL ? gg__node(s, &gg__op_sigmoid) : NULL;

  if (b == NULL || gg_rule_uses(rw, s) > 1)
    return NULL;
  return gg_sigmoid(gg__opposite(b->in[0]));
}

/* where(b, x, 0) y as where(b, x y, 0), since y may be infinite where the
 * result is 0. */
static gg_var *choose_product(const gg_rewriting *rw, gg_apply *a,
                              unsigned int k) {
  gg_apply *w = gg__node(a->in[k], &gg__op_where);
  gg_var *in[3], *factor[2] = {a->in[0], a->in[1]};

  if (w == NULL || gg__settled_uses(rw, a->in[k]) > 1 ||
      !gg__is_float(a->out[0]))
    return NULL;
  unsigned int zero = gg__is_number(w->in[1], 0) ? 1 : 2;
  if (!gg__is_number(w->in[zero], 0))
    return NULL;
  factor[k] = w->in[3 - zero];
  in[0] = w->in[0];
  in[zero] = w->in[zero];
  in[3 - zero] = gg__apply_like(a, factor);
  return gg__apply_like(w, in);
}

static gg_var *product_of_where(const gg_rewriting *rw, gg_apply *a) {
  gg_var *v = choose_product(rw, a, 0);

  return v != NULL || a->op == &gg__op_div ? v : choose_product(rw, a, 1);
}

/* --- softmax --- */

/* The node if v is a reduction `op` along the last axis that keeps its axis,
 * else NULL. */
static gg_apply *along_rows(const gg_var *v, gg_reduction op) {
  gg_apply *a = gg__node(v, &gg__op_reduce);

  if (a == NULL)
    return NULL;
  const gg_reduce_props *p = a->props;
  unsigned int nd = a->in[0]->type.nd;
  return p->op == op && p->keepdims && p->axes_mask == 1u << (nd - 1) ? a
                                                                      : NULL;
}

/* z if v is exp(z) or exp(z - max(z)), else NULL. */
static gg_var *logits(const gg_var *v) {
  gg_apply *e = gg__node(v, &gg__op_exp);

  if (e == NULL)
    return NULL;
  gg_apply *d = gg__node(e->in[0], &gg__op_sub);
  gg_apply *m = d != NULL ? along_rows(d->in[1], GG_MAX) : NULL;
  return m != NULL && m->in[0] == d->in[0] ? d->in[0] : e->in[0];
}

/* exp(z) / sum(exp(z)) */
static gg_var *find_softmax(gg_apply *a) {
  gg_apply *sum = along_rows(a->in[1], GG_SUM);
  gg_var *z = sum != NULL && sum->in[0] == a->in[0] ? logits(a->in[0]) : NULL;

  return z != NULL ? gg_softmax(z) : NULL;
}

/* z - log(sum(exp(z))) */
static gg_var *find_log_softmax(gg_apply *a) {
  gg_apply *l = gg__node(a->in[1], &gg__op_log);
  gg_apply *sum = l != NULL ? along_rows(l->in[0], GG_SUM) : NULL;
  gg_apply *e = sum != NULL ? gg__node(sum->in[0], &gg__op_exp) : NULL;

  if (e == NULL || e->in[0] != a->in[0])
    return NULL;
  return gg_log_softmax(logits(e->out[0]));
}

static gg_var *log_of_softmax(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_softmax);

  return b != NULL ? gg_log_softmax(b->in[0]) : NULL;
}

static gg_var *exp_of_log_softmax(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_log_softmax);

  return b != NULL ? gg_softmax(b->in[0]) : NULL;
}

static gg_var *crossentropy_of_softmax(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_softmax);

  return b != NULL ? gg__softmax_xent(b->in[0], a->in[1]) : NULL;
}

/* The gradient of crossentropy(softmax(z), y). */
static gg_var *crossentropy_grad(gg_apply *a) {
  gg_apply *d = gg__node(a->in[0], &gg__op_crossentropy_grad);
  gg_apply *p = gg__node(a->in[1], &gg__op_softmax);

  if (d == NULL || p == NULL || d->in[1] != a->in[1])
    return NULL;
  return gg__softmax_xent_grad(d->in[0], p->in[0], d->in[2]);
}

/* g, with any scalars and signs around it, if v is g / p with these around it;
 * else NULL. */
static gg_var *times_divisor(gg_var *v, const gg_var *p) {
  gg_var *scale = gg__num(v, 1);
  gg_apply *a;

  for (unsigned int i = 0; i < 8 && (a = v->owner) != NULL; i++) {
    if (a->op == &gg__op_div)
      return a->in[1] == p ? gg_mul(scale, a->in[0]) : NULL;
    if (a->op == &gg__op_neg) {
      scale = gg_neg(scale);
      v = a->in[0];
    } else if (a->op == &gg__op_mul && gg__wide(a->in[0]) == 0) {
      scale = gg_mul(scale, a->in[0]);
      v = a->in[1];
    } else {
      return NULL;
    }
  }
  return NULL;
}

/* The gradient of log(softmax(z)) is p (g / p - sum(g)). This form does not
 * divide by p. */
static gg_var *log_softmax_grad(gg_apply *a) {
  gg_var *p = a->in[1], *g;
  const int axis = -1;

  if (gg__node(p, &gg__op_softmax) == NULL)
    return NULL;
  g = times_divisor(a->in[0], p);
  if (g == NULL)
    return NULL;
  if (gg__wide(g) != gg__wide(p))
    g = gg_fill(p, g);
  return gg_sub(g, gg_mul(p, gg_reduce(GG_SUM, g, 1, &axis, 1)));
}

/* --- log of a sum of exponentials --- */

/* Has a maximum been subtracted from x already? */
static int is_centred(const gg_var *x) {
  gg_apply *a = x->owner;

  if (a == NULL || (a->op != &gg__op_sub && a->op != &gg__op_add))
    return 0;
  x = a->in[1];
  for (unsigned int i = 0; i < 4 && x->owner != NULL; i++) {
    a = x->owner;
    if (a->op == &gg__op_reduce)
      return ((const gg_reduce_props *)a->props)->op == GG_MAX;
    x = a->in[a->n_in - 1];
  }
  return 0;
}

/* m + log(sum(exp(x - m))) with m = max(x), or 0 where that is infinite. */
static gg_var *shifted(gg_var *x, const gg_reduce_props *p) {
  gg_var *m = gg__reduce(GG_MAX, x, p->axes_mask, p->keepdims);

  m = gg_where(gg_isinf(m), gg__num(x, 0), m);
  return gg_add(m, gg_log(gg__reduce(GG_SUM, gg_exp(gg_sub(x, m)), p->axes_mask,
                                     p->keepdims)));
}

/* Is a sum over the axes of `mask` known to have no elements? Then there is no
 * maximum. */
static int is_empty(const gg_var *x, unsigned int mask) {
  for (unsigned int d = 0; d < x->type.nd; d++)
    if ((mask >> d & 1u) && x->type.dims[d] == 0)
      return 1;
  return 0;
}

static gg_var *log_sum_exp(gg_apply *a) {
  gg_apply *view = gg__node(a->in[0], &gg__op_dimshuffle);
  gg_apply *r = gg__node(view != NULL ? view->in[0] : a->in[0], &gg__op_reduce);
  const gg_reduce_props *p = r != NULL ? r->props : NULL;
  gg_apply *e = r != NULL ? gg__node(r->in[0], &gg__op_exp) : NULL;

  if (e == NULL || p->op != GG_SUM || !p->keepdims || is_centred(e->in[0]) ||
      is_empty(e->in[0], p->axes_mask))
    return NULL;
  gg_var *v = shifted(e->in[0], p);
  return view != NULL && v != NULL ? gg__apply_like(view, &v) : v;
}

const gg_rule gg__rules_stable[] = {
    GG_RULE("log(exp(x))", GG_CANON, log_of_exp, &gg__op_log),
    GG_RULE("log(sigmoid(x))", GG_CANON, log_of_sigmoid, &gg__op_log),
    GG_RULE("log(1 + x)", GG_CANON, log_one_plus, &gg__op_log),
    GG_RULE("log(exp(x) + exp(y))", GG_CANON, log_of_sum, &gg__op_log),
    GG_RULE("log1p(exp(x))", GG_CANON, log1p_of_exp, &gg__op_log1p),
    GG_RULE("log1p(-sigmoid(x))", GG_CANON, log1p_of_sigmoid, &gg__op_log1p),
    GG_RULE("exp(x) - 1", GG_CANON, exp_minus_one, &gg__op_add),
    GG_RULE("1 / (1 + exp(x))", GG_CANON, logistic, &gg__op_div,
            &gg__op_reciprocal),
    GG_RULE_COUNTED("1 - sigmoid(x)", GG_LATE, one_minus_sigmoid, &gg__op_sub),
    GG_RULE_COUNTED("product of where", GG_LATE, product_of_where, &gg__op_mul,
                    &gg__op_div),
    GG_RULE("exp(x) / sum(exp(x))", GG_STABLE, find_softmax, &gg__op_div),
    GG_RULE("x - log(sum(exp(x)))", GG_STABLE, find_log_softmax, &gg__op_sub),
    GG_RULE("log(softmax(x))", GG_STABLE, log_of_softmax, &gg__op_log),
    GG_RULE("exp(log_softmax(x))", GG_STABLE, exp_of_log_softmax, &gg__op_exp),
    GG_RULE("crossentropy(softmax(x))", GG_STABLE, crossentropy_of_softmax,
            &gg__op_crossentropy),
    GG_RULE("gradient of crossentropy(softmax(x))", GG_STABLE,
            crossentropy_grad, &gg__op_softmax_grad),
    GG_RULE("gradient of log(softmax(x))", GG_STABLE, log_softmax_grad,
            &gg__op_softmax_grad),
    GG_RULE("log(sum(exp(x)))", GG_SHIFT, log_sum_exp, &gg__op_log),
    {0}};
