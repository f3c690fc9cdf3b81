/* SPDX-License-Identifier: BSD-2-Clause */
/* The error function and its complement, where they would cancel or
 * underflow. */
#include "rewrite/rw_factors.h"

/* --- 1 - erf(x) --- */

/* 1 - erf(x) and 1 - erfc(x), unless the function is computed anyway. */
static gg_var *one_minus_erf(const gg_rewriting *rw, gg_apply *a) {
  gg_var *f = gg__one_minus(a->out[0]);
  gg_apply *erf = f != NULL ? gg__node(f, &gg__op_erf) : NULL;
  gg_apply *erfc = f != NULL ? gg__node(f, &gg__op_erfc) : NULL;

  if ((erf == NULL && erfc == NULL) || gg_rule_uses(rw, f) > 1)
    return NULL;
  return erf != NULL ? gg_erfc(erf->in[0]) : gg_erf(erfc->in[0]);
}

/* 1 + erf(x), -1 + erf(x) and -1 + erfc(x), unless the function is computed
 * anyway. */
static gg_var *one_plus_erf(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *erf = gg__node(a->in[1], &gg__op_erf);
  gg_apply *erfc = gg__node(a->in[1], &gg__op_erfc);

  if ((erf == NULL && erfc == NULL) || gg_rule_uses(rw, a->in[1]) > 1)
    return NULL;
  if (gg__is_number(a->in[0], 1))
    return erf != NULL ? gg_erfc(gg__opposite(erf->in[0])) : NULL;
  if (!gg__is_number(a->in[0], -1))
    return NULL;
  return gg_neg(erf != NULL ? gg_erfc(erf->in[0]) : gg_erf(erfc->in[0]));
}

/* --- great x, where erfc(x) nearly underflows --- */

/* From here on, the series below is exact in the dtype. erfc(x) and exp(-x x)
 * are still normal numbers here. */
static gg_var *far(gg_var *x) {
  return gg__num(x, x->type.dtype == GA_DOUBLE ? 26 : 8);
}

/* exp(-x x) / erfc(x) for great x: sqrt(pi) x / (1 - z (1 - 3 z (1 - 5 z (1 - 7
 * z (1 - 9 z))))) with z = 1 / (2 x x) (Abramowitz and Stegun 7.1.23). */
static gg_var *scaled_inverse(gg_var *x) {
  static const double sqrt_pi = 1.7724538509055160273;
  gg_var *z = gg_div(gg__num(x, 0.5), gg_sqr(x)), *one = gg__num(x, 1);
  gg_var *s = one;

  for (int k = 9; k > 0; k -= 2)
    s = gg_sub(one, gg_mul(gg_mul(gg__num(x, k), z), s));
  return gg_div(gg_mul(gg__num(x, sqrt_pi), x), s);
}

static gg_var *log_of_erfc(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_erfc);

  if (b == NULL || !gg__regroups(a->in[0]))
    return NULL;
  gg_var *x = b->in[0];
  return gg_where(gg_lt(x, far(x)), a->out[0],
                  gg_neg(gg_add(gg_sqr(x), gg_log(scaled_inverse(x)))));
}

/* The gradient of log(erfc(x)) divides exp(-x x) by erfc(x). If factor `at` is
 * such a divisor, unite both. Returns 0 if there are too many factors. */
static int pair_erfc(gg__product *p, unsigned int at) {
  gg__factor *f = &p->f[at], *e, new = {NULL, NULL, NULL, 1};
  gg_apply *a = gg__node(f->key, &gg__op_erfc);

  if (a == NULL || f->power >= 0)
    return 1;
  gg_var *x = a->in[0];
  e = gg__factors_find(p, gg_exp(gg_neg(gg_sqr(x))));
  if (e == NULL || e->power <= 0)
    return 1;
  f->power++;
  e->power--;
  new.key =
      gg_where(gg_lt(x, far(x)), gg_div(e->key, f->key), scaled_inverse(x));
  new.direct = new.key;
  p->gained = 1;
  return new.key != NULL &&gg__factors_multiply(p, &new);
}

static gg_var *exp_over_erfc(gg_apply *a) {
  enum { MAX_STEPS = 24 }; /* nodes that are expanded */
  gg__product p;

  if (!gg__regroups(a->out[0]) ||
      !gg__factors_collect(&p, a->out[0], MAX_STEPS))
    return NULL;
  p.gained = 0;
  for (unsigned int i = 0, n = p.n; i < n; i++)
    if (!pair_erfc(&p, i))
      return NULL;
  return p.gained ? gg__factors_fit(a, &p, gg__factors_build(&p, a->out[0]))
                  : NULL;
}

const gg_rule gg__rules_erf[] = {
    GG_RULE_COUNTED("1 - erf(x)", GG_LATE, one_minus_erf, &gg__op_sub),
    GG_RULE_COUNTED("1 + erf(x)", GG_LATE, one_plus_erf, &gg__op_add),
    GG_RULE("log(erfc(x))", GG_SHIFT, log_of_erfc, &gg__op_log),
    GG_RULE("exp(-sqr(x)) / erfc(x)", GG_SHIFT, exp_over_erfc, &gg__op_mul,
            &gg__op_div),
    {0}};
