/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise ops whose form in a model depends on the dtype. */
#include <string.h>

#include "base/dtype.h"
#include "onnx/save/savers.h"

static int dtype_of(const gg_apply *a) {
  return gg_var_type(a->in[0])->dtype;
}

static int is_float(const gg_apply *a) {
  return ga__dtype_kind(dtype_of(a)) == GA_KIND_FLOAT;
}

gg__name gg__save_first(gg__save *s, const gg_apply *a) {
  return gg__name_in(s, a, 0);
}

gg__name gg__save_cast(gg__save *s, const gg_apply *a) {
  const int to = (int)gg__prop(a, "dtype");

  if (gg__onnx_type_of(to) == 0 || gg__onnx_type_of(dtype_of(a)) == 0)
    return gg__save_problem(s, a, "a model has no such elements");
  return gg__cast_name(s, gg__name_in(s, a, 0), to);
}

/* --- logarithms of sigmoids --- */

/* The operand of a sigmoid, or NULL. */
static gg_var *inside_sigmoid(const gg_var *v) {
  const gg_apply *a = gg_var_owner(v);

  return a != NULL && strcmp(a->op->name, "sigmoid") == 0 ? a->in[0] : NULL;
}

/* The operand of a sigmoid that 1 is reduced by, or NULL. */
static gg_var *inside_rest(const gg_var *v) {
  const gg_apply *a = gg_var_owner(v);
  double one;

  return a != NULL && strcmp(a->op->name, "sub") == 0 &&
                 gg_var_uniform(a->in[0], &one) && one == 1
             ? inside_sigmoid(a->in[1])
             : NULL;
}

/* Functions do so, too: log(sigmoid(x)) = -softplus(-x), and log(1 -
 * sigmoid(x)) = -softplus(x), which are finite where the sigmoid is 0 or 1. */
gg__name gg__save_log(gg__save *s, const gg_apply *a) {
  gg_var *x = inside_sigmoid(a->in[0]), *rest = inside_rest(a->in[0]);

  if (x == NULL && rest == NULL)
    return gg__node(s, "Log", GG_IN(gg__name_in(s, a, 0)), NULL);
  gg__name y = gg__name_of(s, x != NULL ? x : rest);
  if (x != NULL)
    y = gg__node(s, "Neg", GG_IN(y), NULL);
  return gg__node(s, "Neg", GG_IN(gg__node(s, "Softplus", GG_IN(y), NULL)),
                  NULL);
}

/* --- bits --- */

static const char *bitwise(const char *op) {
  return strcmp(op, "and") == 0  ? "BitwiseAnd"
         : strcmp(op, "or") == 0 ? "BitwiseOr"
                                 : "BitwiseXor";
}

gg__name gg__save_bits(gg__save *s, const gg_apply *a) {
  const char *op = bitwise(a->op->name);

  if (dtype_of(a) == GA_BOOL)
    op += strlen("Bitwise");
  return gg__node(s, op, GG_IN(gg__name_in(s, a, 0), gg__name_in(s, a, 1)),
                  NULL);
}

gg__name gg__save_not(gg__save *s, const gg_apply *a) {
  return gg__node(s, dtype_of(a) == GA_BOOL ? "Not" : "BitwiseNot",
                  GG_IN(gg__name_in(s, a, 0)), NULL);
}

/* --- comparisons --- */

/* Bools and integers of 8 and 16 bits are compared as int32, since programs
 * that run models rarely compare the narrow ones. */
gg__name gg__save_compare(gg__save *s, const gg_apply *a) {
  static const char *const ops[] = {"lt", "Less",    "le", "LessOrEqual",
                                    "gt", "Greater", "ge", "GreaterOrEqual",
                                    "eq", "Equal"};
  gg__name x = gg__name_in(s, a, 0), y = gg__name_in(s, a, 1);
  size_t i = 0;

  while (strcmp(ops[i], a->op->name) != 0)
    i += 2;
  if (!is_float(a) && ga__dtype_size(dtype_of(a)) < 4) {
    x = gg__cast_name(s, x, GA_INT);
    y = gg__cast_name(s, y, GA_INT);
  }
  return gg__node(s, ops[i + 1], GG_IN(x, y), NULL);
}

/* --- remainders --- */

static gg__name where(gg__save *s, gg__name cond, gg__name x, gg__name y) {
  return gg__node(s, "Where", GG_IN(cond, x, y), NULL);
}

/* The remainder with the sign of x. */
static gg__name c_remainder(gg__save *s, gg__name x, gg__name y) {
  return gg__node(s, "Mod", GG_IN(x, y), GG_ATTRS(GG_A_INT("fmod", 1)));
}

gg__name gg__save_fmod(gg__save *s, const gg_apply *a) {
  return c_remainder(s, gg__name_in(s, a, 0), gg__name_in(s, a, 1));
}

/* The remainder r of floats with the sign of y: fmod, and y if its sign is
 * another one. */
static gg__name float_mod(gg__save *s, const gg_apply *a) {
  gg__name zero = gg__scalar_name(s, dtype_of(a), 0), y = gg__name_in(s, a, 1);
  gg__name r = c_remainder(s, gg__name_in(s, a, 0), y);
  gg__name differ = gg__two(s, "Xor", gg__two(s, "Less", r, zero),
                            gg__two(s, "Less", y, zero));
  gg__name is_zero = gg__two(s, "Equal", r, zero);

  return where(s, is_zero, r, where(s, differ, gg__two(s, "Add", r, y), r));
}

/* (x - r) / y is whole but for rounding. */
static gg__name float_floordiv(gg__save *s, const gg_apply *a) {
  gg__name x = gg__name_in(s, a, 0), y = gg__name_in(s, a, 1);
  gg__name r = float_mod(s, a);
  gg__name whole = gg__node(
      s, "Round", GG_IN(gg__two(s, "Div", gg__two(s, "Sub", x, r), y)), NULL);

  return where(s, gg__two(s, "Equal", y, gg__scalar_name(s, dtype_of(a), 0)),
               gg__two(s, "Div", x, y), whole);
}

/* Integer ops of a model on x and y, with 1 in place of a y of 0; the result is
 * 0 there. */
typedef gg__name (*whole_op)(gg__save *s, const gg_apply *a, gg__name x,
                             gg__name y);

static gg__name by_whole(gg__save *s, const gg_apply *a, whole_op op) {
  gg__name zero = gg__scalar_name(s, dtype_of(a), 0), y = gg__name_in(s, a, 1);
  gg__name none = gg__two(s, "Equal", y, zero);
  gg__name safe = where(s, none, gg__scalar_name(s, dtype_of(a), 1), y);

  return where(s, none, zero, op(s, a, gg__name_in(s, a, 0), safe));
}

static gg__name whole_mod(gg__save *s, const gg_apply *a, gg__name x,
                          gg__name y) {
  (void)a;
  return gg__two(s, "Mod", x, y);
}

/* x - (x mod y) is a multiple of y. */
static gg__name whole_floordiv(gg__save *s, const gg_apply *a, gg__name x,
                               gg__name y) {
  (void)a;
  return gg__two(s, "Div", gg__two(s, "Sub", x, gg__two(s, "Mod", x, y)), y);
}

gg__name gg__save_mod(gg__save *s, const gg_apply *a) {
  return is_float(a) ? float_mod(s, a) : by_whole(s, a, whole_mod);
}

gg__name gg__save_floordiv(gg__save *s, const gg_apply *a) {
  return is_float(a) ? float_floordiv(s, a) : by_whole(s, a, whole_floordiv);
}
