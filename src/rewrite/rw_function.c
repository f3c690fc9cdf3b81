/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of one operand: signs, inverses, powers. */
#include <string.h>

#include "rewrite/rw_match.h"

/* --- for any op with a property --- */

gg_var *gg_rule_even(gg_apply *a) {
  gg_apply *b = a->n_in == 1 ? gg__node(a->in[0], &gg__op_neg) : NULL;

  if (b == NULL && a->n_in == 1)
    b = gg__node(a->in[0], &gg__op_abs);
  return b != NULL && gg__is_signed(a->in[0]) ? gg__apply_like(a, b->in) : NULL;
}

gg_var *gg_rule_odd(gg_apply *a) {
  gg_apply *b = a->n_in == 1 ? gg__node(a->in[0], &gg__op_neg) : NULL;

  return b != NULL && gg__is_signed(a->in[0]) ? gg_neg(gg__apply_like(a, b->in))
                                              : NULL;
}

/* The node that computes the first operand of `a`, if it applies the same op
 * with the same properties and other operands; else NULL. */
static const gg_apply *same_below(const gg_apply *a) {
  const gg_apply *b = a->n_in != 0 ? a->in[0]->owner : NULL;

  if (b == NULL || b->op != a->op || b->n_in != a->n_in || a->n_out != 1 ||
      (a->op->props_bytes != 0 &&
       memcmp(a->props, b->props, a->op->props_bytes) != 0))
    return NULL;
  for (unsigned int i = 1; i < a->n_in; i++)
    if (a->in[i] != b->in[i])
      return NULL;
  return b;
}

gg_var *gg_rule_own_inverse(gg_apply *a) {
  const gg_apply *b = same_below(a);

  return b != NULL ? b->in[0] : NULL;
}

gg_var *gg_rule_idempotent(gg_apply *a) {
  return same_below(a) != NULL ? a->in[0] : NULL;
}

gg_var *gg_rule_first_operand(gg_apply *a) {
  return a->n_in != 0 ? a->in[0] : NULL;
}

/* --- inverses --- */

/* outer(inner(x)) is x wherever inner(x) is defined. The reverse would depend
 * on the branch of x: asin(sin(x)) need not be x. */
static const struct inverse {
  const gg_op *outer, *inner;
} inverses[] = {{&gg__op_exp, &gg__op_log},
                {&gg__op_exp2, &gg__op_log2},
                {&gg__op_log2, &gg__op_exp2},
                {&gg__op_expm1, &gg__op_log1p},
                {&gg__op_log1p, &gg__op_expm1},
                {&gg__op_sin, &gg__op_asin},
                {&gg__op_cos, &gg__op_acos},
                {&gg__op_tan, &gg__op_atan},
                {&gg__op_sinh, &gg__op_asinh},
                {&gg__op_asinh, &gg__op_sinh},
                {&gg__op_cosh, &gg__op_acosh},
                {&gg__op_tanh, &gg__op_atanh},
                {&gg__op_atanh, &gg__op_tanh},
                {&gg__op_sqr, &gg__op_sqrt},
                {&gg__op_reciprocal, &gg__op_reciprocal}};

static gg_var *of_inverse(gg_apply *a) {
  gg_apply *b = a->in[0]->owner;

  for (size_t i = 0; i < sizeof inverses / sizeof inverses[0] && b != NULL; i++)
    if (inverses[i].outer == a->op && inverses[i].inner == b->op)
      return b->in[0];
  return NULL;
}

/* --- powers --- */

/* x^n by products is rounded at most n times; pow of OpenCL is exact to 16
 * units in the last place. */
enum { MOST_PRODUCTS = 16 };

static gg_var *pow_number(gg_apply *a) {
  gg_var *x = a->in[0];
  double c;

  if (!gg__is_float(x) || !gg__number(a->in[1], &c))
    return NULL;
  if (c == 0)
    return gg_ones_like(x);
  if (c >= 1 && c <= MOST_PRODUCTS && c == (int)c)
    return gg__power(x, (int)c);
  if (c == 0.5)
    return gg_sqrt(x);
  if (c == -0.5)
    return gg_rsqrt(x);
  if (c == -1)
    return gg_reciprocal(x);
  return c == -2 ? gg_reciprocal(gg_sqr(x)) : NULL;
}

static gg_var *sqrt_of_square(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_sqr);

  return b != NULL ? gg_abs(b->in[0]) : NULL;
}

static gg_var *square(gg_apply *a) {
  return a->in[0] == a->in[1] ? gg_sqr(a->in[0]) : NULL;
}

const gg_rule gg__rules_function[] = {
    GG_RULE("even function of -x", GG_CANON, gg_rule_even, &gg__op_sqr,
            &gg__op_abs, &gg__op_cos, &gg__op_cosh),
    GG_RULE("odd function of -x", GG_CANON, gg_rule_odd, &gg__op_sin,
            &gg__op_tan, &gg__op_asin, &gg__op_atan, &gg__op_sinh, &gg__op_tanh,
            &gg__op_asinh, &gg__op_atanh, &gg__op_erf, &gg__op_sign,
            &gg__op_reciprocal),
    GG_RULE("function of its inverse", GG_CANON, of_inverse, &gg__op_exp,
            &gg__op_exp2, &gg__op_log2, &gg__op_expm1, &gg__op_log1p,
            &gg__op_sin, &gg__op_cos, &gg__op_tan, &gg__op_sinh, &gg__op_asinh,
            &gg__op_cosh, &gg__op_tanh, &gg__op_atanh, &gg__op_sqr,
            &gg__op_reciprocal),
    GG_RULE("power with a number", GG_CANON, pow_number, &gg__op_pow),
    GG_RULE("sqrt(sqr(x))", GG_CANON, sqrt_of_square, &gg__op_sqrt),
    GG_RULE("x * x", GG_LATE, square, &gg__op_mul),
    {0}};
