/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic: operands of one numeric dtype give a result of that dtype. */
#include <math.h>

#include "ops/scalar.h"

/* --- on the host --- */

static double eval_add(const double *x) {
  return x[0] + x[1];
}

static double eval_sub(const double *x) {
  return x[0] - x[1];
}

static double eval_mul(const double *x) {
  return x[0] * x[1];
}

static double eval_div(const double *x) {
  return x[0] / x[1];
}

/* The remainder with the sign of the divisor. */
static double eval_mod(const double *x) {
  const double r = fmod(x[0], x[1]);

  return r != 0 && (r < 0) != (x[1] < 0) ? r + x[1] : r;
}

static double eval_floordiv(const double *x) {
  const double r = fmod(x[0], x[1]);
  const double q = rint((x[0] - r) / x[1]);

  return r != 0 && (r < 0) != (x[1] < 0) ? q - 1 : q;
}

/* Integers divided by zero give zero. */
static double eval_int_floordiv(const double *x) {
  return x[1] == 0 ? 0 : eval_floordiv(x);
}

static double eval_int_mod(const double *x) {
  return x[1] == 0 ? 0 : eval_mod(x);
}

static double eval_pow(const double *x) {
  return pow(x[0], x[1]);
}

static double eval_neg(const double *x) {
  return -x[0];
}

static double eval_abs(const double *x) {
  return fabs(x[0]);
}

static double eval_sign(const double *x) {
  return x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0];
}

static double eval_sqr(const double *x) {
  return x[0] * x[0];
}

static double eval_sqrt(const double *x) {
  return sqrt(x[0]);
}

static double eval_rsqrt(const double *x) {
  return 1 / sqrt(x[0]);
}

static double eval_reciprocal(const double *x) {
  return 1 / x[0];
}

static double eval_maximum(const double *x) {
  return x[0] >= x[1] || x[0] != x[0] ? x[0] : x[1];
}

static double eval_minimum(const double *x) {
  return x[0] <= x[1] || x[0] != x[0] ? x[0] : x[1];
}

/* --- gradients --- */

int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  for (unsigned int i = 0; i < a->n_in; i++)
    gin[i] = gg__num(gout[0], 0);
  return GA_NO_ERROR;
}

static int grad_add(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gin[1] = gout[0];
  return GA_NO_ERROR;
}

static int grad_sub(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  gin[1] = gg_neg(gout[0]);
  return GA_NO_ERROR;
}

static int grad_mul(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], a->in[1]);
  gin[1] = gg_mul(gout[0], a->in[0]);
  return GA_NO_ERROR;
}

static int grad_div(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], a->in[1]);
  gin[1] = gg_neg(gg_mul(gin[0], a->out[0]));
  return GA_NO_ERROR;
}

static int grad_mod(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gout[0];
  gin[1] = gg_neg(gg_mul(gout[0], gg_floordiv(a->in[0], a->in[1])));
  return GA_NO_ERROR;
}

/* d x^c / dx for one number c: finite at 0 wherever the true value is. */
static gg_var *grad_pow_number(gg_var *g, gg_var *x, double c) {
  if (c == 0)
    return gg__num(g, 0);
  if (c == 1)
    return g;
  if (c == 2)
    return gg_mul(g, gg_mul(gg__num(g, 2), x));
  return gg_mul(g, gg_mul(gg__num(g, c), gg_pow(x, gg__num(g, c - 1))));
}

static int grad_pow(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const g = gout[0], *const x = a->in[0], *const y = a->in[1];
  gg_var *const zero = gg__num(g, 0), *const one = gg__num(g, 1);
  double c;

  if (gg_var_uniform(y, &c)) {
    gin[0] = grad_pow_number(g, x, c);
    return GA_NO_ERROR;
  }
  /* x^(y - 1) is infinite at x = 0, y = 0, where the gradient is 0, and so is
   * log x at x = 0. */
  gg_var *y1 = gg_where(gg_eq(y, zero), one, gg_sub(y, one));
  gin[0] = gg_mul(g, gg_mul(y, gg_pow(x, y1)));
  gg_var *log_x = gg_log(gg_where(gg_eq(x, zero), one, x));
  gin[1] = gg_mul(g, gg_mul(a->out[0], log_x));
  return GA_NO_ERROR;
}

static int grad_neg(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gg_neg(gout[0]);
  return GA_NO_ERROR;
}

static int grad_abs(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_sign(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_sqr(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_mul(gg__num(gout[0], 2), a->in[0]));
  return GA_NO_ERROR;
}

static int grad_sqrt(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gg_mul(gout[0], gg__num(gout[0], 0.5)), a->out[0]);
  return GA_NO_ERROR;
}

static int grad_rsqrt(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const half = gg_mul(gout[0], gg__num(gout[0], -0.5));

  gin[0] = gg_div(gg_mul(half, a->out[0]), a->in[0]);
  return GA_NO_ERROR;
}

static int grad_reciprocal(const gg_apply *a, gg_var *const *gout,
                           gg_var **gin) {
  gin[0] = gg_neg(gg_mul(gout[0], gg_sqr(a->out[0])));
  return GA_NO_ERROR;
}

/* Each gradient goes to the operand that was chosen. */
static int grad_choice(gg_var *takes_first, gg_var *g, gg_var **gin) {
  gg_var *const zero = gg__num(g, 0);

  gin[0] = gg_where(takes_first, g, zero);
  gin[1] = gg_where(takes_first, zero, g);
  return GA_NO_ERROR;
}

static int grad_maximum(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  return grad_choice(gg_ge(a->in[0], a->in[1]), gout[0], gin);
}

static int grad_minimum(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  return grad_choice(gg_le(a->in[0], a->in[1]), gout[0], gin);
}

/* --- the table --- */

/* Nonzero where quotient and remainder must be moved down by one divisor. */
#define SIGNS_DIFFER(r, d)                                                     \
  "((" r " != (%T)(0)) & ((" r " < (%T)(0)) ^ (" d " < (%T)(0))))"
#define FMOD "fmod(%0, %1)"

/* Divisors that trap, 0 and -1 for the smallest number, are replaced by 1. */
#define DIVISOR "(((%1 == (%T)(0)) | (%1 == (%T)(-1))) ? (%T)(1) : %1)"
#define REMAINDER "(%0 %% " DIVISOR ")"
#define UDIVISOR "(%1 == (%T)(0) ? (%T)(1) : %1)"

#define FLOORDIV                                                               \
  "(rint((%0 - " FMOD                                                          \
  ") / %1) - (" SIGNS_DIFFER(FMOD, "%1") " ? (%T)(1) : (%T)(0)))"
#define FLOORMOD "(" FMOD " + (" SIGNS_DIFFER(FMOD, "%1") " ? %1 : (%T)(0)))"
#define INT_FLOORDIV                                                           \
  "(%1 == (%T)(0) ? (%T)(0) : (%1 == (%T)(-1) ? (%T)(0) - %0 : %0 / " DIVISOR  \
  " - (" SIGNS_DIFFER(REMAINDER, "%1") " ? (%T)(1) : (%T)(0))))"
#define INT_FLOORMOD                                                           \
  "(" REMAINDER " + (" SIGNS_DIFFER(REMAINDER, "%1") " ? %1 : (%T)(0)))"
#define UINT_FLOORDIV "(%1 == (%T)(0) ? (%T)(0) : %0 / " UDIVISOR ")"
#define UINT_FLOORMOD "(%1 == (%T)(0) ? (%T)(0) : %0 %% " UDIVISOR ")"

#define SIGN "(%0 > (%T)(0) ? (%T)(1) : (%0 < (%T)(0) ? (%T)(-1) : %0))"
#define USIGN "(%0 != (%T)(0) ? (%T)(1) : (%T)(0))"

/* clang-format off */
ELEMWISE(add, NULL, grad_add, CODE("(%0 + %1)", eval_add, 1), NULL, NULL);
ELEMWISE(sub, NULL, grad_sub, CODE("(%0 - %1)", eval_sub, 1), NULL, NULL);
ELEMWISE(mul, NULL, grad_mul, CODE("(%0 * %1)", eval_mul, 1), NULL, NULL);
ELEMWISE(div, NULL, grad_div, CODE("(%0 / %1)", eval_div, 1), NULL, NULL);
ELEMWISE(floordiv, NULL, gg__grad_zero, CODE(FLOORDIV, eval_floordiv, 4),
         CODE(INT_FLOORDIV, eval_int_floordiv, 4),
         CODE(UINT_FLOORDIV, eval_int_floordiv, 1));
ELEMWISE(mod, NULL, grad_mod, CODE(FLOORMOD, eval_mod, 4),
         CODE(INT_FLOORMOD, eval_int_mod, 4),
         CODE(UINT_FLOORMOD, eval_int_mod, 1));
ELEMWISE(pow, NULL, grad_pow, CODE("pow(%0, %1)", eval_pow, 16), NULL, NULL);
ELEMWISE(neg, NULL, grad_neg, CODE("(-%0)", eval_neg, 1), NULL, NULL);
ELEMWISE(abs, NULL, grad_abs, CODE("fabs(%0)", eval_abs, 1),
         CODE("(%0 < (%T)(0) ? -%0 : %0)", eval_abs, 1),
         CODE("%0", eval_abs, 0));
ELEMWISE(sign, NULL, gg__grad_zero, CODE(SIGN, eval_sign, 2), NULL,
         CODE(USIGN, eval_sign, 1));
ELEMWISE(sqr, NULL, grad_sqr, CODE("(%0 * %0)", eval_sqr, 1), NULL, NULL);
ELEMWISE(sqrt, NULL, grad_sqrt, CODE("sqrt(%0)", eval_sqrt, 2), NULL, NULL);
ELEMWISE(rsqrt, NULL, grad_rsqrt, CODE("rsqrt(%0)", eval_rsqrt, 2), NULL, NULL);
ELEMWISE(reciprocal, NULL, grad_reciprocal,
         CODE("((%T)(1) / %0)", eval_reciprocal, 1), NULL, NULL);
ELEMWISE(maximum, NULL, grad_maximum,
         CODE("(((%0 >= %1) | (%0 != %0)) ? %0 : %1)", eval_maximum, 1),
         CODE("(%0 >= %1 ? %0 : %1)", eval_maximum, 1), NULL);
ELEMWISE(minimum, NULL, grad_minimum,
         CODE("(((%0 <= %1) | (%0 != %0)) ? %0 : %1)", eval_minimum, 1),
         CODE("(%0 <= %1 ? %0 : %1)", eval_minimum, 1), NULL);
/* clang-format on */

/* --- builders --- */

/* Bools count as small integers. */
static gg_var *numeric(gg_var *x) {
  if (x != NULL && gg_var_type(x)->dtype == GA_BOOL)
    return gg_cast(x, GA_BYTE);
  return x;
}

static gg_var *binary(const gg_op *op, gg_var *a, gg_var *b) {
  gg_var *in[2];

  if (a == NULL || b == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype);
  if (dtype == GA_BOOL)
    dtype = GA_BYTE;
  in[0] = gg_cast(a, dtype);
  in[1] = gg_cast(b, dtype);
  return gg_op_elemwise(op, NULL, 2, in);
}

static gg_var *unary(const gg_op *op, gg_var *x) {
  x = numeric(x);
  return gg_op_elemwise(op, NULL, 1, &x);
}

/* For ops that integers do not have. */
static gg_var *unary_real(const gg_op *op, gg_var *x) {
  if (x == NULL)
    return NULL;
  x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  return gg_op_elemwise(op, NULL, 1, &x);
}

gg_var *gg_add(gg_var *a, gg_var *b) {
  return binary(&gg__op_add, a, b);
}

gg_var *gg_sub(gg_var *a, gg_var *b) {
  return binary(&gg__op_sub, a, b);
}

gg_var *gg_mul(gg_var *a, gg_var *b) {
  return binary(&gg__op_mul, a, b);
}

gg_var *gg_div(gg_var *a, gg_var *b) {
  if (a == NULL || b == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype);
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT)
    a = gg_cast(a, ga__dtype_size(dtype) == 8 ? GA_DOUBLE : GA_FLOAT);
  return binary(&gg__op_div, a, b);
}

gg_var *gg_floordiv(gg_var *a, gg_var *b) {
  return binary(&gg__op_floordiv, a, b);
}

gg_var *gg_mod(gg_var *a, gg_var *b) {
  return binary(&gg__op_mod, a, b);
}

/* x^n by squaring, for integers. */
static gg_var *int_pow(gg_var *x, unsigned int n) {
  gg_var *y = NULL;

  for (; n != 0; n >>= 1) {
    if (n & 1u)
      y = y != NULL ? gg_mul(y, x) : x;
    if (n > 1)
      x = gg_sqr(x);
  }
  return y != NULL ? y : gg_ones_like(x);
}

gg_var *gg_pow(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};
  double n;

  if (a == NULL || b == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype);
  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return binary(&gg__op_pow, a, b);
  if (!gg_var_uniform(b, &n) || n < 0 || n > 64)
    return gg__refuse(&gg__op_pow, 2, in, GA_UNSUPPORTED_ERROR,
                      "the power of integers needs a constant exponent "
                      "of 0 to 64");
  return int_pow(gg_cast(a, dtype == GA_BOOL ? GA_BYTE : dtype),
                 (unsigned int)n);
}

gg_var *gg_neg(gg_var *x) {
  return unary(&gg__op_neg, x);
}

gg_var *gg_abs(gg_var *x) {
  return unary(&gg__op_abs, x);
}

gg_var *gg_sign(gg_var *x) {
  return unary(&gg__op_sign, x);
}

gg_var *gg_sqr(gg_var *x) {
  return unary(&gg__op_sqr, x);
}

gg_var *gg_sqrt(gg_var *x) {
  return unary_real(&gg__op_sqrt, x);
}

gg_var *gg_rsqrt(gg_var *x) {
  return unary_real(&gg__op_rsqrt, x);
}

gg_var *gg_reciprocal(gg_var *x) {
  return unary_real(&gg__op_reciprocal, x);
}

gg_var *gg_maximum(gg_var *a, gg_var *b) {
  return binary(&gg__op_maximum, a, b);
}

gg_var *gg_minimum(gg_var *a, gg_var *b) {
  return binary(&gg__op_minimum, a, b);
}

gg_var *gg_clip(gg_var *x, gg_var *lo, gg_var *hi) {
  return gg_minimum(gg_maximum(x, lo), hi);
}
