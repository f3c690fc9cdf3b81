/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic on one node at a time: identities; signs, numbers and scalars move
 * outwards, so that other rules find them at the top. */
#include <math.h>

#include "rewrite/rw_match.h"

/* --- order --- */

static gg_var *order_operands(gg_apply *a) {
  gg_var *const swapped[2] = {a->in[1], a->in[0]};

  if (gg__in_order(a->in[0], a->in[1]))
    return NULL;
  return gg__apply_like(a, swapped);
}

/* --- sums and numbers --- */

/* +-x + y, without a neg. */
static gg_var *join(gg_var *x, int negative, gg_var *y) {
  return negative ? gg_sub(y, x) : gg__add(x, y);
}

/* Is v a shift, and does moving its number out of v leave the other operand as
 * wide as the result? */
static int shift_moves(const gg_apply *a, const gg_var *v, gg__shifted *s) {
  return gg__find_shift(v, s) && gg__wide(s->x) == gg__wide(a->out[0]);
}

static gg_var *add_zero(gg_apply *a) {
  return gg__is_number(a->in[0], 0) ? a->in[1] : NULL;
}

static gg_var *add_negative(gg_apply *a) {
  gg_apply *n = gg__node(a->in[0], &gg__op_neg);

  if (n != NULL)
    return gg_sub(a->in[1], n->in[0]);
  n = gg__node(a->in[1], &gg__op_neg);
  return n != NULL ? gg_sub(a->in[0], n->in[0]) : NULL;
}

/* c1 + (c2 +- x) */
static gg_var *add_number(gg_apply *a) {
  gg__shifted s;
  double c;

  if (!gg__number(a->in[0], &c) || !gg__find_shift(a->in[1], &s))
    return NULL;
  return gg__shift(c + s.c, s.x, s.negative);
}

/* (c +- x) + y, where y is no constant */
static gg_var *add_shifted(gg_apply *a) {
  gg__shifted s;

  if (a->in[0]->kind == GG_VAR_CONST)
    return NULL;
  if (shift_moves(a, a->in[0], &s))
    return gg__shift(s.c, join(s.x, s.negative, a->in[1]), 0);
  if (shift_moves(a, a->in[1], &s))
    return gg__shift(s.c, join(s.x, s.negative, a->in[0]), 0);
  return NULL;
}

static gg_var *sub_zero(gg_apply *a) {
  if (gg__is_number(a->in[1], 0))
    return a->in[0];
  return gg__is_number(a->in[0], 0) && gg__is_signed(a->in[0])
             ? gg_neg(a->in[1])
             : NULL;
}

static gg_var *sub_negative(gg_apply *a) {
  gg_apply *n = gg__node(a->in[1], &gg__op_neg);

  if (n != NULL)
    return gg__add(a->in[0], n->in[0]);
  n = gg__node(a->in[0], &gg__op_neg);
  return n != NULL ? gg_neg(gg__add(n->in[0], a->in[1])) : NULL;
}

/* x - c is -c + x, c1 - (c2 +- x) is (c1 - c2) -+ x */
static gg_var *sub_number(gg_apply *a) {
  gg__shifted s;
  double c;

  if (!gg__is_signed(a->in[0]))
    return NULL;
  if (gg__number(a->in[1], &c))
    return a->in[0]->kind != GG_VAR_CONST ? gg__shift(-c, a->in[0], 0) : NULL;
  if (gg__number(a->in[0], &c) && gg__find_shift(a->in[1], &s))
    return gg__shift(c - s.c, s.x, !s.negative);
  return NULL;
}

/* (c +- x) - y and y - (c +- x), where y is no constant */
static gg_var *sub_shifted(gg_apply *a) {
  gg__shifted s;

  if (a->in[0]->kind != GG_VAR_CONST && shift_moves(a, a->in[0], &s))
    return s.negative ? gg__shift(s.c, gg__add(s.x, a->in[1]), 1)
                      : gg__shift(s.c, gg_sub(s.x, a->in[1]), 0);
  if (a->in[0]->kind != GG_VAR_CONST && shift_moves(a, a->in[1], &s))
    return gg__shift(-s.c, join(s.x, !s.negative, a->in[0]), 0);
  return NULL;
}

/* --- signs --- */

static gg_var *neg_inside(gg_apply *a) {
  return gg__opposite(a->in[0]);
}

/* (-x) y is -(x y); quotients likewise. */
static gg_var *sign_outwards(gg_apply *a) {
  for (unsigned int i = 0; i < 2; i++) {
    gg_apply *n = gg__node(a->in[i], &gg__op_neg);
    gg_var *in[2] = {a->in[0], a->in[1]};
    double c;

    if (n == NULL)
      continue;
    in[i] = n->in[0];
    if (!gg__number(a->in[1 - i], &c) ||
        !gg__number_fits(a->out[0]->type.dtype, -c))
      return gg_neg(gg__apply_like(a, in));
    in[1 - i] = gg__num(a->in[1 - i], -c);
    return a->op == &gg__op_mul ? gg__mul(in[0], in[1]) : gg_div(in[0], in[1]);
  }
  return NULL;
}

/* --- products and numbers --- */

static gg_var *mul_one(gg_apply *a) {
  if (gg__is_number(a->in[0], 1))
    return a->in[1];
  if (gg__is_number(a->in[0], -1) && gg__is_signed(a->in[0]))
    return gg_neg(a->in[1]);
  if (gg__is_number(a->in[0], 0) && !gg__is_float(a->in[0]))
    return gg_fill(a->in[1], a->in[0]);
  return NULL;
}

/* c x; NULL if the dtype cannot hold c. */
static gg_var *scaled(double c, gg_var *x) {
  return gg__number_fits(x->type.dtype, c) ? gg__times(c, x) : NULL;
}

/* c / x; NULL if the dtype cannot hold c. */
static gg_var *inverse(double c, gg_var *x) {
  return gg__number_fits(x->type.dtype, c) ? gg_div(gg__num(x, c), x) : NULL;
}

/* c1 (c2 x), c1 (c2 / x), c1 (x / c2) */
static gg_var *mul_number(gg_apply *a) {
  gg_var *x = a->in[1];
  gg_apply *b;
  double c, d;

  if (!gg__number(a->in[0], &c))
    return NULL;
  if ((b = gg__node(x, &gg__op_mul)) != NULL && gg__number(b->in[0], &d) &&
      gg__is_signed(x))
    return scaled(c * d, b->in[1]);
  if ((b = gg__node(x, &gg__op_div)) == NULL)
    return NULL;
  if (gg__number(b->in[0], &d))
    return inverse(c * d, b->in[1]);
  if (gg__number(b->in[1], &d) && d != 0)
    return scaled(c / d, b->in[0]);
  return NULL;
}

static gg_var *div_number(gg_apply *a) {
  gg_var *x = a->in[0];
  gg_apply *b;
  double c, d;
  int exponent;

  if (gg__number(a->in[0], &c)) {
    /* c1 / (c2 x) */
    b = gg__node(a->in[1], &gg__op_mul);
    return b != NULL && gg__number(b->in[0], &d) && d != 0
               ? inverse(c / d, b->in[1])
               : NULL;
  }
  if (!gg__number(a->in[1], &c) || c == 0)
    return NULL;
  if (c == 1)
    return x;
  if (c == -1)
    return gg_neg(x);
  /* 1 / c is exact for powers of two. */
  if (fabs(frexp(c, &exponent)) == 0.5)
    return scaled(1 / c, x);
  if ((b = gg__node(x, &gg__op_mul)) != NULL && gg__number(b->in[0], &d))
    return scaled(d / c, b->in[1]);
  if ((b = gg__node(x, &gg__op_div)) != NULL && gg__number(b->in[0], &d))
    return inverse(d / c, b->in[1]);
  return NULL;
}

/* x if v is s x with a scalar s and an x of the shape of `a`, else NULL. */
static gg_var *find_scalar(const gg_apply *a, const gg_var *v, gg_var **s) {
  gg_apply *b = gg__node(v, &gg__op_mul);

  if (b == NULL || gg__wide(b->in[0]) != 0 || gg__wide(b->in[1]) == 0 ||
      gg__wide(b->in[1]) != gg__wide(a->out[0]))
    return NULL;
  *s = b->in[0];
  return b->in[1];
}

/* (s x) y is s (x y), and (s t) x for a scalar t. */
static gg_var *mul_scalar(gg_apply *a) {
  if (!gg__regroups(a->out[0]))
    return NULL;
  for (unsigned int i = 0; i < 2; i++) {
    gg_var *s = NULL, *x = find_scalar(a, a->in[i], &s), *y = a->in[1 - i];

    if (x != NULL && gg__wide(y) == 0)
      return gg__mul(gg__mul(s, y), x);
    if (x != NULL)
      return gg__mul(s, gg__mul(x, y));
  }
  return NULL;
}

/* (s x) / y is s (x / y), and (s / t) x for a scalar t. */
static gg_var *div_scalar(gg_apply *a) {
  gg_var *s = NULL, *x = find_scalar(a, a->in[0], &s), *y = a->in[1];

  if (x == NULL || !gg__regroups(a->out[0]))
    return NULL;
  if (gg__wide(y) == 0)
    return gg__mul(gg_div(s, y), x);
  return gg__mul(s, gg_div(x, y));
}

/* x (1 / y) is x / y, unless y is narrower: then few reciprocals are cheaper
 * than many divisions. */
static gg_var *mul_reciprocal(gg_apply *a) {
  gg_apply *b;

  for (unsigned int i = 0; i < 2; i++) {
    gg_var *y = NULL;
    if ((b = gg__node(a->in[i], &gg__op_reciprocal)) != NULL)
      y = b->in[0];
    else if ((b = gg__node(a->in[i], &gg__op_div)) != NULL &&
             gg__is_number(b->in[0], 1))
      y = b->in[1];
    if (y != NULL && gg__wide(y) == gg__wide(a->out[0]))
      return gg_div(a->in[1 - i], y);
  }
  return NULL;
}

/* Integers stay; floats lose their fraction. */
static gg_var *floordiv_one(gg_apply *a) {
  if (!gg__is_number(a->in[1], 1))
    return NULL;
  return gg__is_float(a->in[0]) ? gg_floor(a->in[0]) : a->in[0];
}

/* --- choices, logic, casts --- */

static gg_var *same_operands(gg_apply *a) {
  return a->in[0] == a->in[1] ? a->in[0] : NULL;
}

/* Not for floats, which may be NaN. */
static gg_var *compare_equals(gg_apply *a) {
  const int holds =
      a->op == &gg__op_eq || a->op == &gg__op_le || a->op == &gg__op_ge;

  if (a->in[0] != a->in[1] || gg__is_float(a->in[0]))
    return NULL;
  return gg_fill(a->in[0], gg_scalar(a->out[0]->graph, GA_BOOL, holds));
}

/* x in the shape of the node's output, if an operand has that. */
static gg_var *in_shape(const gg_apply *a, gg_var *x) {
  if (gg__can_replace(&a->out[0]->type, x))
    return x;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__wide(a->in[i]) == gg__wide(a->out[0]))
      return gg_fill(a->in[i], x);
  return NULL;
}

static gg_var *where_known(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_not);
  double c;

  if (a->in[1] == a->in[2])
    return in_shape(a, a->in[1]);
  if (gg__number(a->in[0], &c))
    return in_shape(a, a->in[c != 0 ? 1 : 2]);
  return b != NULL ? gg_where(b->in[0], a->in[2], a->in[1]) : NULL;
}

/* Within a branch, the condition is known. */
static gg_var *where_of_where(gg_apply *a) {
  gg_var *in[3] = {a->in[0], a->in[1], a->in[2]};
  unsigned int changed = 0;

  for (unsigned int k = 1; k < 3; k++) {
    gg_apply *b = gg__node(in[k], &gg__op_where);
    if (b == NULL || b->in[0] != in[0])
      continue;
    in[k] = b->in[k];
    changed = 1;
  }
  return changed ? gg__apply_like(a, in) : NULL;
}

static gg_var *twice(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], a->op);

  return b != NULL ? b->in[0] : NULL;
}

/* A chain of casts is one cast, except from integers through a float to
 * integers that cannot hold all of the first ones: integers wrap around, while
 * floats saturate. */
static gg_var *cast_chain(gg_apply *a) {
  const gg_apply *b = gg__node(a->in[0], &gg__op_cast);
  const int to = a->out[0]->type.dtype, by = a->in[0]->type.dtype;

  if (b == NULL)
    return NULL;
  int from = b->in[0]->type.dtype;
  if (!ga__dtype_holds(by, from) ||
      (ga__dtype_kind(by) == GA_KIND_FLOAT && !gg__is_float(b->in[0]) &&
       to != GA_BOOL && !ga__dtype_holds(to, from)))
    return NULL;
  return gg_cast(b->in[0], to);
}

const gg_rule gg__rules_arith[] = {
    GG_RULE("order operands", GG_CANON, order_operands, &gg__op_add,
            &gg__op_mul, &gg__op_maximum, &gg__op_minimum, &gg__op_and,
            &gg__op_or, &gg__op_xor, &gg__op_eq, &gg__op_ne),
    GG_RULE("x + 0", GG_CANON, add_zero, &gg__op_add),
    GG_RULE("x + -y", GG_CANON, add_negative, &gg__op_add),
    GG_RULE("number + number", GG_CANON, add_number, &gg__op_add),
    GG_RULE("numbers out of sums", GG_CANON, add_shifted, &gg__op_add),
    GG_RULE("x - 0", GG_CANON, sub_zero, &gg__op_sub),
    GG_RULE("x - -y", GG_CANON, sub_negative, &gg__op_sub),
    GG_RULE("number - number", GG_CANON, sub_number, &gg__op_sub),
    GG_RULE("numbers out of differences", GG_CANON, sub_shifted, &gg__op_sub),
    GG_RULE("-(expression)", GG_CANON, neg_inside, &gg__op_neg),
    GG_RULE("x * 1", GG_CANON, mul_one, &gg__op_mul),
    GG_RULE("sign out of product", GG_CANON, sign_outwards, &gg__op_mul),
    GG_RULE("sign out of quotient", GG_CANON, sign_outwards, &gg__op_div),
    GG_RULE("number * number", GG_CANON, mul_number, &gg__op_mul),
    GG_RULE("number / number", GG_CANON, div_number, &gg__op_div),
    GG_RULE("x * (1 / y)", GG_CANON, mul_reciprocal, &gg__op_mul),
    GG_RULE("scalar out of product", GG_CANON, mul_scalar, &gg__op_mul),
    GG_RULE("scalar out of quotient", GG_CANON, div_scalar, &gg__op_div),
    GG_RULE("x // 1", GG_CANON, floordiv_one, &gg__op_floordiv),
    GG_RULE("maximum of equals", GG_CANON, same_operands, &gg__op_maximum),
    GG_RULE("minimum of equals", GG_CANON, same_operands, &gg__op_minimum),
    GG_RULE("and of equals", GG_CANON, same_operands, &gg__op_and),
    GG_RULE("or of equals", GG_CANON, same_operands, &gg__op_or),
    GG_RULE("comparison of equals", GG_CANON, compare_equals, &gg__op_eq,
            &gg__op_le, &gg__op_ge, &gg__op_ne, &gg__op_lt, &gg__op_gt),
    GG_RULE("where without choice", GG_CANON, where_known, &gg__op_where),
    GG_RULE("where of where", GG_CANON, where_of_where, &gg__op_where),
    GG_RULE("not not", GG_CANON, twice, &gg__op_not),
    GG_RULE("cast of cast", GG_CANON, cast_chain, &gg__op_cast),
    GG_RULE("stop_gradient", GG_CANON, gg_rule_first_operand,
            &gg__op_stop_gradient),
    GG_RULE("clip_gradient", GG_CANON, gg_rule_first_operand,
            &gg__op_clip_gradient),
    GG_RULE("scale_gradient", GG_CANON, gg_rule_first_operand,
            &gg__op_scale_gradient),
    GG_RULE("undefined_gradient", GG_CANON, gg_rule_first_operand,
            &gg__op_undefined_gradient),
    {0}};
