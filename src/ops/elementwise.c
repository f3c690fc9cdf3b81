/* SPDX-License-Identifier: BSD-2-Clause */
/* The elementwise ops of one and two operands, from their table. An op is a
 * line of elementwise.def, and its gradient a function here. */
#include <math.h>

#include "ops/elementwise.h"

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402
#define TWO_OVER_SQRT_PI 1.12837916709551257390

/* --- kinds of ops: what becomes of the operands' dtypes --- */

static int common_dtype(unsigned int n, gg_var *const *x) {
  int dtype = gg_var_type(x[0])->dtype;

  for (unsigned int i = 1; i < n; i++)
    dtype = gg__common_dtype(dtype, gg_var_type(x[i])->dtype);
  return dtype;
}

static gg_var *apply_as(int dtype, const gg_op *op, unsigned int n,
                        gg_var *const *x) {
  gg_var *in[2];

  for (unsigned int i = 0; i < n; i++)
    in[i] = gg_cast(x[i], dtype);
  return gg_op_elemwise(op, NULL, n, in);
}

/* Any numbers; bools count as small integers. */
static gg_var *number(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = common_dtype(n, x);

  return apply_as(dtype == GA_BOOL ? GA_BYTE : dtype, op, n, x);
}

/* The same, with a bool result. */
static gg_var *comparison(const gg_op *op, unsigned int n, gg_var *const *x) {
  return number(op, n, x);
}

/* Floats: integers do not have the op. */
static gg_var *real(const gg_op *op, unsigned int n, gg_var *const *x) {
  return apply_as(gg__float_dtype(common_dtype(n, x)), op, n, x);
}

/* The same, with a bool result. */
static gg_var *predicate(const gg_op *op, unsigned int n, gg_var *const *x) {
  return real(op, n, x);
}

/* Floats. Integers are whole already. */
static gg_var *whole(const gg_op *op, unsigned int n, gg_var *const *x) {
  if (ga__dtype_kind(gg_var_type(x[0])->dtype) != GA_KIND_FLOAT)
    return x[0];
  return gg_op_elemwise(op, NULL, n, x);
}

/* Floats, of eight bytes where integers have as many. */
static gg_var *quotient(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = common_dtype(n, x);

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return apply_as(dtype, op, n, x);
  return apply_as(ga__dtype_size(dtype) == 8 ? GA_DOUBLE : GA_FLOAT, op, n, x);
}

/* Integers and bools. */
static gg_var *bits(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = common_dtype(n, x);

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return gg__refuse(op, n, x, GA_VALUE_ERROR, "floats have no bits");
  return apply_as(dtype, op, n, x);
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

/* Floats, and integers with a constant exponent. */
static gg_var *power(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = common_dtype(n, x);
  double exponent;

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return apply_as(dtype, op, n, x);
  if (!gg_var_uniform(x[1], &exponent) || exponent < 0 || exponent > 64)
    return gg__refuse(op, n, x, GA_UNSUPPORTED_ERROR,
                      "the power of integers needs a constant exponent "
                      "of 0 to 64");
  return int_pow(gg_cast(x[0], dtype == GA_BOOL ? GA_BYTE : dtype),
                 (unsigned int)exponent);
}

/* --- on the host --- */

static double floor_remainder(const double *x) {
  const double r = fmod(x[0], x[1]);

  return r != 0 && (r < 0) != (x[1] < 0) ? r + x[1] : r;
}

static double floor_quotient(const double *x) {
  const double r = fmod(x[0], x[1]);
  const double q = rint((x[0] - r) / x[1]);

  return r != 0 && (r < 0) != (x[1] < 0) ? q - 1 : q;
}

/* Integers divided by zero give zero. */
static double int_quotient(const double *x) {
  return x[1] == 0 ? 0 : floor_quotient(x);
}

static double int_remainder(const double *x) {
  return x[1] == 0 ? 0 : floor_remainder(x);
}

static double sign_of(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double softplus_of(double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* The equal ones apart, since infinities have no difference. */
static double logaddexp_of(double x, double y) {
  return x == y ? x + LN2 : fmax(x, y) + log1p(exp(-fabs(x - y)));
}

static double is_zero(const double *x) {
  return x[0] == 0;
}

/* The functions of the table's column, one for each op. */
#define UNARY(name, doc, kind, text, flops, host, ...)                         \
  static double eval_##name(const double *x) {                                 \
    return host;                                                               \
  }
#define BINARY UNARY
#include "ops/elementwise.def"
#undef UNARY
#undef BINARY

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

static int grad_cbrt(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const third = gg_mul(gout[0], gg__num(gout[0], 1.0 / 3));

  gin[0] = gg_div(third, gg_sqr(a->out[0]));
  return GA_NO_ERROR;
}

static int grad_hypot(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const g = gg_div(gout[0], a->out[0]);

  gin[0] = gg_mul(g, a->in[0]);
  gin[1] = gg_mul(g, a->in[1]);
  return GA_NO_ERROR;
}

static int grad_fmod(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const whole_times = gg_trunc(gg_div(a->in[0], a->in[1]));

  gin[0] = gout[0];
  gin[1] = gg_neg(gg_mul(gout[0], whole_times));
  return GA_NO_ERROR;
}

static int grad_copysign(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const sign = gg_copysign(gg_sign(a->in[0]), a->in[1]);

  gin[0] = gg_mul(gout[0], gg_mul(sign, gg_sign(a->in[0])));
  gin[1] = gg__num(gout[0], 0);
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

static int grad_exp(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], a->out[0]);
  return GA_NO_ERROR;
}

static int grad_exp2(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_mul(a->out[0], gg__num(gout[0], LN2)));
  return GA_NO_ERROR;
}

static int grad_exp10(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_mul(a->out[0], gg__num(gout[0], LN10)));
  return GA_NO_ERROR;
}

static int grad_expm1(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_add(a->out[0], gg__num(gout[0], 1)));
  return GA_NO_ERROR;
}

static int grad_log(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], a->in[0]);
  return GA_NO_ERROR;
}

static int grad_log2(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], gg_mul(a->in[0], gg__num(gout[0], LN2)));
  return GA_NO_ERROR;
}

static int grad_log10(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], gg_mul(a->in[0], gg__num(gout[0], LN10)));
  return GA_NO_ERROR;
}

static int grad_log1p(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], gg_add(a->in[0], gg__num(gout[0], 1)));
  return GA_NO_ERROR;
}

static int grad_sin(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_cos(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_cos(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_neg(gg_mul(gout[0], gg_sin(a->in[0])));
  return GA_NO_ERROR;
}

static int grad_tan(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_add(gg__num(gout[0], 1), gg_sqr(a->out[0])));
  return GA_NO_ERROR;
}

/* 1 - x^2 and x^2 + c. */
static gg_var *one_minus_sqr(gg_var *x) {
  return gg_sub(gg__num(x, 1), gg_sqr(x));
}

static gg_var *sqr_plus(gg_var *x, double c) {
  return gg_add(gg_sqr(x), gg__num(x, c));
}

static int grad_asin(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_rsqrt(one_minus_sqr(a->in[0])));
  return GA_NO_ERROR;
}

static int grad_acos(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_neg(gg_mul(gout[0], gg_rsqrt(one_minus_sqr(a->in[0]))));
  return GA_NO_ERROR;
}

static int grad_atan(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], sqr_plus(a->in[0], 1));
  return GA_NO_ERROR;
}

static int grad_atan2(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const y = a->in[0], *const x = a->in[1];
  gg_var *const g = gg_div(gout[0], gg_add(gg_sqr(x), gg_sqr(y)));

  gin[0] = gg_mul(g, x);
  gin[1] = gg_neg(gg_mul(g, y));
  return GA_NO_ERROR;
}

static int grad_sinh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_cosh(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_cosh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_sinh(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_tanh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], one_minus_sqr(a->out[0]));
  return GA_NO_ERROR;
}

static int grad_asinh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_rsqrt(sqr_plus(a->in[0], 1)));
  return GA_NO_ERROR;
}

static int grad_acosh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_rsqrt(sqr_plus(a->in[0], -1)));
  return GA_NO_ERROR;
}

static int grad_atanh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_div(gout[0], one_minus_sqr(a->in[0]));
  return GA_NO_ERROR;
}

/* 2 / sqrt(pi) exp(-x^2) */
static gg_var *bell(gg_var *x) {
  return gg_mul(gg__num(x, TWO_OVER_SQRT_PI), gg_exp(gg_neg(gg_sqr(x))));
}

static int grad_erf(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], bell(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_erfc(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_neg(gg_mul(gout[0], bell(a->in[0])));
  return GA_NO_ERROR;
}

static int grad_sigmoid(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const rest = gg_sub(gg__num(gout[0], 1), a->out[0]);

  gin[0] = gg_mul(gg_mul(gout[0], a->out[0]), rest);
  return GA_NO_ERROR;
}

static int grad_logit(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const rest = gg_sub(gg__num(gout[0], 1), a->in[0]);

  gin[0] = gg_div(gout[0], gg_mul(a->in[0], rest));
  return GA_NO_ERROR;
}

static int grad_logaddexp(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gg_var *const share = gg_sigmoid(gg_sub(a->in[0], a->in[1]));

  gin[0] = gg_mul(gout[0], share);
  gin[1] = gg_sub(gout[0], gin[0]);
  return GA_NO_ERROR;
}

static int grad_softplus(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_sigmoid(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_relu(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const zero = gg__num(gout[0], 0);

  gin[0] = gg_where(gg_gt(a->out[0], zero), gout[0], zero);
  return GA_NO_ERROR;
}

/* --- OpenCL C --- */

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

/* Not of fmax alone, which would drop a NaN. */
#define SOFTPLUS "(fmax(%0, (%T)(0)) + log1p(exp(-fabs(%0))))"
/* The same; infinities that are equal have no difference. */
#define LOGADDEXP                                                              \
  "(%0 == %1 ? %0 + (%T)(0.69314718055994530942) : fmax(%0, %1) + "            \
  "log1p(exp(-fabs(%0 - %1))))"

/* --- the ops --- */

static int infer_bool(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, GA_BOOL, out);
}

#define UNARY(op, doc, rule, text, flops, host, tolerance, lo, hi, ...)        \
  const gg_op gg__op_##op = {.name = #op,                                      \
                             .kind = GG_OP_ELEMWISE,                           \
                             .n_out = 1,                                       \
                             .code = CODE(text, eval_##op, flops),             \
                             __VA_ARGS__};
#define BINARY(op, doc, rule, text, flops, host, tolerance, lo, hi, lo2, hi2,  \
               ...)                                                            \
  UNARY(op, doc, rule, text, flops, host, tolerance, lo, hi, __VA_ARGS__)
#include "ops/elementwise.def"
#undef UNARY
#undef BINARY

/* --- the builders --- */

static gg_var *binary(gg_var *(*kind)(const gg_op *op, unsigned int n,
                                      gg_var *const *x),
                      const gg_op *op, gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  return gg__given(op, 2, in) ? kind(op, 2, in) : NULL;
}

#define UNARY(name, doc, kind, ...)                                            \
  gg_var *gg_##name(gg_var *x) {                                               \
    return x != NULL ? kind(&gg__op_##name, 1, &x) : NULL;                     \
  }
#define BINARY(name, doc, kind, ...)                                           \
  gg_var *gg_##name(gg_var *a, gg_var *b) {                                    \
    return binary(kind, &gg__op_##name, a, b);                                 \
  }
#include "ops/elementwise.def"

#undef UNARY
#undef BINARY

/* --- in texts and files --- */

/* Operands of each kind. */
#define TAKES_number "N"
#define TAKES_comparison "N"
#define TAKES_bits "L"
#define TAKES_real "F"
#define TAKES_predicate "F"
#define TAKES_whole "F"
#define TAKES_quotient "F"
#define TAKES_power "F"

#define UNARY(name, doc, kind, ...) GG_FORM(name, TAKES_##kind, NULL),
#define BINARY(name, doc, kind, ...)                                           \
  GG_FORM(name, TAKES_##kind TAKES_##kind, NULL),
const gg_op_form gg__forms_elementwise[] = {
#include "ops/elementwise.def"
    GG_FORMS_END};
