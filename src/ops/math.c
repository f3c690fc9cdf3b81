/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of real numbers: floats in, the same float out. */
#include <math.h>

#include "ops/scalar.h"

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402
#define TWO_OVER_SQRT_PI 1.12837916709551257390

/* --- on the host --- */

static double eval_exp(const double *x) {
  return exp(x[0]);
}

static double eval_exp2(const double *x) {
  return exp2(x[0]);
}

static double eval_expm1(const double *x) {
  return expm1(x[0]);
}

static double eval_log(const double *x) {
  return log(x[0]);
}

static double eval_log2(const double *x) {
  return log2(x[0]);
}

static double eval_log10(const double *x) {
  return log10(x[0]);
}

static double eval_log1p(const double *x) {
  return log1p(x[0]);
}

static double eval_sin(const double *x) {
  return sin(x[0]);
}

static double eval_cos(const double *x) {
  return cos(x[0]);
}

static double eval_tan(const double *x) {
  return tan(x[0]);
}

static double eval_asin(const double *x) {
  return asin(x[0]);
}

static double eval_acos(const double *x) {
  return acos(x[0]);
}

static double eval_atan(const double *x) {
  return atan(x[0]);
}

static double eval_sinh(const double *x) {
  return sinh(x[0]);
}

static double eval_cosh(const double *x) {
  return cosh(x[0]);
}

static double eval_tanh(const double *x) {
  return tanh(x[0]);
}

static double eval_asinh(const double *x) {
  return asinh(x[0]);
}

static double eval_acosh(const double *x) {
  return acosh(x[0]);
}

static double eval_atanh(const double *x) {
  return atanh(x[0]);
}

static double eval_erf(const double *x) {
  return erf(x[0]);
}

static double eval_erfc(const double *x) {
  return erfc(x[0]);
}

static double eval_ceil(const double *x) {
  return ceil(x[0]);
}

static double eval_floor(const double *x) {
  return floor(x[0]);
}

static double eval_trunc(const double *x) {
  return trunc(x[0]);
}

static double eval_round(const double *x) {
  return rint(x[0]);
}

static double eval_atan2(const double *x) {
  return atan2(x[0], x[1]);
}

static double eval_sigmoid(const double *x) {
  return 1 / (1 + exp(-x[0]));
}

static double eval_softplus(const double *x) {
  return x[0] > 0 ? x[0] + log1p(exp(-x[0])) : log1p(exp(x[0]));
}

static double eval_relu(const double *x) {
  return x[0] < 0 ? 0 : x[0];
}

/* --- gradients --- */

static int grad_exp(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], a->out[0]);
  return GA_NO_ERROR;
}

static int grad_exp2(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_mul(a->out[0], gg__num(gout[0], LN2)));
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

static int grad_softplus(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_mul(gout[0], gg_sigmoid(a->in[0]));
  return GA_NO_ERROR;
}

static int grad_relu(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const zero = gg__num(gout[0], 0);

  gin[0] = gg_where(gg_gt(a->out[0], zero), gout[0], zero);
  return GA_NO_ERROR;
}

/* --- the table --- */

/* Not of fmax alone, which would drop a NaN. */
#define SOFTPLUS "(fmax(%0, (%T)(0)) + log1p(exp(-fabs(%0))))"
#define SIGMOID "((%T)(1) / ((%T)(1) + exp(-%0)))"
#define RELU "(%0 < (%T)(0) ? (%T)(0) : %0)"

#define FUNCTION(name, text, flops)                                            \
  ELEMWISE(name, NULL, grad_##name, CODE(text, eval_##name, flops), NULL, NULL)
#define STEP(name, text)                                                       \
  ELEMWISE(name, NULL, gg__grad_zero, CODE(text, eval_##name, 1), NULL, NULL)

/* clang-format off */
FUNCTION(exp, "exp(%0)", 8);
FUNCTION(exp2, "exp2(%0)", 8);
FUNCTION(expm1, "expm1(%0)", 12);
FUNCTION(log, "log(%0)", 10);
FUNCTION(log2, "log2(%0)", 10);
FUNCTION(log10, "log10(%0)", 10);
FUNCTION(log1p, "log1p(%0)", 12);
FUNCTION(sin, "sin(%0)", 12);
FUNCTION(cos, "cos(%0)", 12);
FUNCTION(tan, "tan(%0)", 16);
FUNCTION(asin, "asin(%0)", 16);
FUNCTION(acos, "acos(%0)", 16);
FUNCTION(atan, "atan(%0)", 16);
FUNCTION(atan2, "atan2(%0, %1)", 20);
FUNCTION(sinh, "sinh(%0)", 16);
FUNCTION(cosh, "cosh(%0)", 16);
FUNCTION(tanh, "tanh(%0)", 12);
FUNCTION(asinh, "asinh(%0)", 16);
FUNCTION(acosh, "acosh(%0)", 16);
FUNCTION(atanh, "atanh(%0)", 16);
FUNCTION(erf, "erf(%0)", 16);
FUNCTION(erfc, "erfc(%0)", 16);
FUNCTION(sigmoid, SIGMOID, 10);
FUNCTION(softplus, SOFTPLUS, 20);
FUNCTION(relu, RELU, 1);
STEP(ceil, "ceil(%0)");
STEP(floor, "floor(%0)");
STEP(trunc, "trunc(%0)");
STEP(round, "rint(%0)");
/* clang-format on */

/* --- builders --- */

static gg_var *real(const gg_op *op, gg_var *x) {
  if (x == NULL)
    return NULL;
  x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  return gg_op_elemwise(op, NULL, 1, &x);
}

/* Integers are round already. */
static gg_var *rounded(const gg_op *op, gg_var *x) {
  if (x == NULL || ga__dtype_kind(gg_var_type(x)->dtype) != GA_KIND_FLOAT)
    return x;
  return gg_op_elemwise(op, NULL, 1, &x);
}

gg_var *gg_exp(gg_var *x) {
  return real(&gg__op_exp, x);
}

gg_var *gg_exp2(gg_var *x) {
  return real(&gg__op_exp2, x);
}

gg_var *gg_expm1(gg_var *x) {
  return real(&gg__op_expm1, x);
}

gg_var *gg_log(gg_var *x) {
  return real(&gg__op_log, x);
}

gg_var *gg_log2(gg_var *x) {
  return real(&gg__op_log2, x);
}

gg_var *gg_log10(gg_var *x) {
  return real(&gg__op_log10, x);
}

gg_var *gg_log1p(gg_var *x) {
  return real(&gg__op_log1p, x);
}

gg_var *gg_sin(gg_var *x) {
  return real(&gg__op_sin, x);
}

gg_var *gg_cos(gg_var *x) {
  return real(&gg__op_cos, x);
}

gg_var *gg_tan(gg_var *x) {
  return real(&gg__op_tan, x);
}

gg_var *gg_asin(gg_var *x) {
  return real(&gg__op_asin, x);
}

gg_var *gg_acos(gg_var *x) {
  return real(&gg__op_acos, x);
}

gg_var *gg_atan(gg_var *x) {
  return real(&gg__op_atan, x);
}

gg_var *gg_atan2(gg_var *y, gg_var *x) {
  gg_var *in[2];

  if (y == NULL || x == NULL)
    return NULL;
  int dtype = gg__common_dtype(gg_var_type(y)->dtype, gg_var_type(x)->dtype);
  in[0] = gg_cast(y, gg__float_dtype(dtype));
  in[1] = gg_cast(x, gg__float_dtype(dtype));
  return gg_op_elemwise(&gg__op_atan2, NULL, 2, in);
}

gg_var *gg_sinh(gg_var *x) {
  return real(&gg__op_sinh, x);
}

gg_var *gg_cosh(gg_var *x) {
  return real(&gg__op_cosh, x);
}

gg_var *gg_tanh(gg_var *x) {
  return real(&gg__op_tanh, x);
}

gg_var *gg_asinh(gg_var *x) {
  return real(&gg__op_asinh, x);
}

gg_var *gg_acosh(gg_var *x) {
  return real(&gg__op_acosh, x);
}

gg_var *gg_atanh(gg_var *x) {
  return real(&gg__op_atanh, x);
}

gg_var *gg_erf(gg_var *x) {
  return real(&gg__op_erf, x);
}

gg_var *gg_erfc(gg_var *x) {
  return real(&gg__op_erfc, x);
}

gg_var *gg_sigmoid(gg_var *x) {
  return real(&gg__op_sigmoid, x);
}

gg_var *gg_softplus(gg_var *x) {
  return real(&gg__op_softplus, x);
}

gg_var *gg_relu(gg_var *x) {
  return real(&gg__op_relu, x);
}

gg_var *gg_ceil(gg_var *x) {
  return rounded(&gg__op_ceil, x);
}

gg_var *gg_floor(gg_var *x) {
  return rounded(&gg__op_floor, x);
}

gg_var *gg_trunc(gg_var *x) {
  return rounded(&gg__op_trunc, x);
}

gg_var *gg_round(gg_var *x) {
  return rounded(&gg__op_round, x);
}
