/* SPDX-License-Identifier: BSD-2-Clause */
/* The elementwise ops of one to three operands, from their table. Each op is a
 * line of elementwise.def; its gradient is a line here. */
#include <complex.h>
#undef complex /* a name of ops */
#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_texts.h"
#include "ops/elementwise/neighbours.h"
#include "ops/elementwise/special.h"

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402
#define TWO_OVER_SQRT_PI 1.12837916709551257390

/* --- kinds of ops: how they cast their operands --- */

static gg_var *apply_as(int dtype, const gg_op *op, unsigned int n,
                        gg_var *const *x) {
  gg_var *in[3];

  for (unsigned int i = 0; i < n; i++)
    in[i] = gg_cast(x[i], dtype);
  return gg_op_elemwise(op, NULL, n, in);
}

/* The common dtype; two bools count as int8. */
static gg_var *number(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg__common_dtype_of(n, x);

  return apply_as(dtype == GA_BOOL ? GA_BYTE : dtype, op, n, x);
}

/* The same, with a bool result. A whole weak scalar beyond the range of the
 * others is compared as int64. Beyond that of uint64 it is negative, which a
 * float tells from all others. */
static gg_var *comparison(const gg_op *op, unsigned int n, gg_var *const *x) {
  int dtype = gg__common_dtype_of(n, x);
  double value;

  for (unsigned int i = 0; i < n; i++)
    if (gg_var_weak(x[i], &value) == GG_WEAK_INT &&
        !gg__weak_fits(value, dtype))
      dtype = dtype == GA_ULONG ? GA_FLOAT : GA_LONG;
  return apply_as(dtype == GA_BOOL ? GA_BYTE : dtype, op, n, x);
}

/* Floats; other dtypes are cast to float32. */
static gg_var *real(const gg_op *op, unsigned int n, gg_var *const *x) {
  return apply_as(gg__float_dtype(gg__common_dtype_of(n, x)), op, n, x);
}

/* The same, with a bool result. */
#define predicate real

/* The same. The operands before the last are parameters without gradients. */
#define parametric real

/* Numbers; the size of a complex one is another op, since it is real. */
static gg_var *size(const gg_op *op, unsigned int n, gg_var *const *x) {
  return number(
      ga__dtype_is_complex(gg_var_type(x[0])->dtype) ? &gg__op_magnitude : op,
      n, x);
}

/* Floats; the op does not change other dtypes, but it refuses complex ones. */
static gg_var *whole(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg_var_type(x[0])->dtype;

  if (gg__is_integer(dtype) || dtype == GA_BOOL)
    return x[0];
  return gg_op_elemwise(op, NULL, n, x);
}

/* Floats; integers of 8 bytes are cast to float64, others to float32. */
static gg_var *quotient(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg__common_dtype_of(n, x);

  if (gg__float_dtype(dtype) == dtype)
    return apply_as(dtype, op, n, x);
  return apply_as(ga__dtype_size(dtype) == 8 ? GA_DOUBLE : GA_FLOAT, op, n, x);
}

/* Integers and bools. */
static gg_var *bits(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg__common_dtype_of(n, x);

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return gg__refuse(op, n, x, GA_VALUE_ERROR, "floats have no bits");
  return apply_as(dtype, op, n, x);
}

/* Integers; two bools count as int8. */
static gg_var *integral(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg__common_dtype_of(n, x);

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return gg__refuse(op, n, x, GA_VALUE_ERROR, "expected integers");
  return number(op, n, x);
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

/* Numbers; integers with a small constant exponent are multiplied. */
static gg_var *power(const gg_op *op, unsigned int n, gg_var *const *x) {
  const int dtype = gg__common_dtype_of(n, x);
  double exponent;

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT ||
      !gg_var_uniform(x[1], &exponent) || exponent < 0 || exponent > 64 ||
      exponent != trunc(exponent))
    return number(op, n, x);
  return int_pow(gg_cast(x[0], dtype == GA_BOOL ? GA_BYTE : dtype),
                 (unsigned int)exponent);
}

/* --- on the host --- */

static double floor_remainder(const double *x) {
  const double r = fmod(x[0], x[1]);

  if (r == 0)
    return copysign(r, x[1]);
  return (r < 0) != (x[1] < 0) ? r + x[1] : r;
}

static double floor_quotient(const double *x) {
  if (x[1] == 0)
    return x[0] / x[1];
  const double r = fmod(x[0], x[1]);
  const double q = rint((x[0] - r) / x[1]);

  return copysign(r != 0 && (r < 0) != (x[1] < 0) ? q - 1 : q, x[0] / x[1]);
}

/* An integer divided by 0 gives 0. */
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

/* Equal operands are treated apart, because inf - inf is NaN. */
static double logaddexp_of(double x, double y) {
  return x == y ? x + LN2 : fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* Shifts by more bits than a double can say differ from those by 64 in
 * nothing. */
static double left_shifted(const double *x) {
  return x[1] >= 0 && x[1] < 64 ? ldexp(x[0], (int)x[1]) : 0;
}

static double right_shifted(const double *x) {
  return floor(ldexp(x[0], -(x[1] >= 0 && x[1] < 64 ? (int)x[1] : 64)));
}

static double bits_set(double x) {
  uint64_t bits = (uint64_t)fabs(x);
  double n = 0;

  for (; bits != 0; bits &= bits - 1)
    n++;
  return n;
}

/* Ends also where what was computed before is not a number. */
static double common_divisor(double x, double y) {
  x = fabs(x);
  y = fabs(y);
  while (y > 0) {
    const double rest = fmod(x, y);
    x = y;
    y = rest;
  }
  return x;
}

static double common_multiple(double x, double y) {
  const double divisor = common_divisor(x, y);

  return divisor != 0 ? fabs(x) / divisor * fabs(y) : 0;
}

/* A power below 1 in size is 0. */
static double int_power(const double *x) {
  return trunc(x[0] == 0 && x[1] < 0 ? 0 : pow(x[0], x[1]));
}

static double exponent_of(double x) {
  int n = 0;

  if (isfinite(x))
    frexp(x, &n);
  return n;
}

/* Beyond these limits all results are 0 or infinite. */
static int exponent_from(double x) {
  return (int)fmax(-4096, fmin(x, 4096));
}

/* The same for complex numbers: a and b are the operands. */
static double _Complex read_pair(const double *x) {
  double _Complex value;

  memcpy(&value, x, sizeof value); /* real part first */
  return value;
}

/* CMPLX of C11, which some compilers lack. */
static double _Complex pair_of(double re, double im) {
  return read_pair((double[2]){re, im});
}

static void write_pair(double *y, double _Complex value) {
  y[0] = creal(value);
  y[1] = cimag(value);
}

#define PAIR(name, value)                                                      \
  static void pair_##name(const double *x, double *y) {                        \
    const double _Complex a = read_pair(x);                                    \
    write_pair(y, value);                                                      \
  }
#define PAIRS(name, value)                                                     \
  static void pair_##name(const double *x, double *y) {                        \
    const double _Complex a = read_pair(x), b = read_pair(x + 2);              \
    write_pair(y, value);                                                      \
  }

/* As in NumPy and on devices: at infinities C's quotient differs. */
static double _Complex quotient_of(double _Complex a, double _Complex b) {
  const double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);

  if (b == 0)
    return pair_of(ar / fabs(br), ai / fabs(br));
  if (fabs(br) >= fabs(bi)) {
    const double q = bi / br, d = br + bi * q;
    return pair_of((ar + ai * q) / d, (ai - ar * q) / d);
  }
  const double q = br / bi, d = br * q + bi;
  return pair_of((ar * q + ai) / d, (ai * q - ar) / d);
}

static double _Complex power_of(double _Complex a, double _Complex b) {
  if (a == 0 && b != 0) /* as in NumPy */
    return creal(b) > 0 && cimag(b) == 0 ? 0 : pair_of(NAN, NAN);
  return cpow(a, b);
}

PAIRS(add, a + b)
PAIRS(sub, a - b)
PAIRS(mul, pair_of(creal(a) * creal(b) - cimag(a) * cimag(b),
                   creal(a) * cimag(b) + cimag(a) * creal(b)))
PAIRS(div, quotient_of(a, b))
PAIRS(eq, a == b)
PAIRS(ne, a != b)
PAIR(neg, -a)
PAIR(sqr, pair_of(creal(a) * creal(a) - cimag(a) * cimag(a),
                  2 * creal(a) * cimag(a)))
PAIR(reciprocal, quotient_of(1, a))
PAIR(sqrt, csqrt(a))
PAIR(exp, cexp(a))
PAIR(log, clog(a))
PAIR(sin, csin(a))
PAIR(cos, ccos(a))
PAIR(tan, ctan(a))
PAIR(sinh, csinh(a))
PAIR(cosh, ccosh(a))
PAIR(tanh, ctanh(a))
PAIRS(pow, power_of(a, b))
PAIR(isnan, isnan(creal(a)) || isnan(cimag(a)))
PAIR(isinf, isinf(creal(a)) || isinf(cimag(a)))
PAIR(isfinite, isfinite(creal(a)) && isfinite(cimag(a)))

static double is_zero(const double *x) {
  return x[0] == 0;
}

/* eval_<name> of each op, from the column of the table. */
#define UNARY(name, doc, kind, text, flops, host, ...)                         \
  static double eval_##name(const double *x) {                                 \
    return host;                                                               \
  }
#define BINARY UNARY
#define TERNARY UNARY
#include "ops/elementwise/elementwise.def"
#undef UNARY
#undef BINARY
#undef TERNARY

/* --- gradients --- */

int gg__grad_zero(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  for (unsigned int i = 0; i < a->n_in; i++)
    gin[i] = gg__num(gout[0], 0);
  return GA_NO_ERROR;
}

/* `set` assigns the gradients gin[i]. It may use the operands x, the result y
 * and g, the gradient of y. */
#define GRADIENT_AS(name, set)                                                 \
  static int grad_##name(const gg_apply *a, gg_var *const *gout,               \
                         gg_var **gin) {                                       \
    gg_var *const *const x = a->in, *const y = a->out[0], *const g = gout[0];  \
    (void)x;                                                                   \
    (void)y;                                                                   \
    set;                                                                       \
    return GA_NO_ERROR;                                                        \
  }
#define GRADIENT(name, by_0) GRADIENT_AS(name, gin[0] = by_0)
#define GRADIENT_OF_TWO(name, by_0, by_1)                                      \
  GRADIENT_AS(name, gin[0] = by_0; gin[1] = by_1)

static gg_var *times(gg_var *x, double c) {
  return gg_mul(x, gg__num(x, c));
}

static gg_var *plus(gg_var *x, double c) {
  return gg_add(x, gg__num(x, c));
}

static gg_var *one_minus(gg_var *x) {
  return gg_sub(gg__num(x, 1), x);
}

/* The gradient of the operand that is chosen where `chosen` holds; where_not is
 * that of the other one. */
static gg_var *where_chosen(gg_var *chosen, gg_var *g) {
  return gg_where(chosen, g, gg__num(g, 0));
}

static gg_var *where_not(gg_var *chosen, gg_var *g) {
  return gg_where(chosen, gg__num(g, 0), g);
}

/* For a uniform exponent the result is finite at x = 0 wherever the true value
 * is. For others, x^(y - 1) would be infinite at x = 0, y = 0, where the
 * gradient is 0: there the exponent is replaced. */
static gg_var *pow_by_base(gg_var *g, gg_var *const *x) {
  gg_var *const y = x[1], *const one = gg__num(g, 1);
  double c;

  if (!gg_var_uniform(y, &c)) {
    gg_var *is_zero = gg_eq(y, gg__num(g, 0));
    gg_var *less = gg_where(is_zero, one, gg_sub(y, one));
    return gg_mul(g, gg_mul(y, gg_pow(x[0], less)));
  }
  if (c == 0)
    return gg__num(g, 0);
  if (c == 1)
    return g;
  if (c == 2)
    return gg_mul(g, gg_mul(gg__num(g, 2), x[0]));
  return gg_mul(g, gg_mul(gg__num(g, c), gg_pow(x[0], gg__num(g, c - 1))));
}

/* NULL for a uniform exponent, which needs no gradient. At x = 0, where the
 * logarithm is infinite, 0 takes its place. */
static gg_var *pow_by_exponent(gg_var *g, gg_var *const *x, gg_var *y) {
  double c;

  if (gg_var_uniform(x[1], &c))
    return NULL;
  gg_var *is_zero = gg_eq(x[0], gg__num(g, 0));
  gg_var *log_x = gg_log(gg_where(is_zero, gg__num(g, 1), x[0]));
  return gg_mul(g, gg_mul(y, log_x));
}

static gg_var *over_sqr(gg_var *g, gg_var *y) {
  return gg_div(g, gg_sqr(y));
}

static gg_var *over_squares(gg_var *g, gg_var *const *x) {
  return gg_div(g, gg_add(gg_sqr(x[1]), gg_sqr(x[0])));
}

static gg_var *one_minus_sqr(gg_var *x) {
  return one_minus(gg_sqr(x));
}

/* 2 / sqrt(pi) exp(-x^2), the derivative of erf. */
static gg_var *bell(gg_var *x) {
  return gg_mul(gg__num(x, TWO_OVER_SQRT_PI), gg_exp(gg_neg(gg_sqr(x))));
}

/* `rest` is a variable so that every compiler builds it first: C does not order
 * arguments. */
static gg_var *times_rest(gg_var *g, gg_var *y) {
  gg_var *const rest = one_minus(y);

  return gg_mul(gg_mul(g, y), rest);
}

static gg_var *share(gg_var *g, gg_var *const *x) {
  return gg_mul(g, gg_sigmoid(gg_sub(x[0], x[1])));
}

/* clang-format off */
GRADIENT_OF_TWO(add, g, g)
GRADIENT_OF_TWO(sub, g, gg_neg(g))
GRADIENT_OF_TWO(mul, gg_mul(g, x[1]), gg_mul(g, x[0]))
GRADIENT_OF_TWO(div, gg_div(g, x[1]), gg_neg(gg_mul(gg_div(g, x[1]), y)))
GRADIENT_OF_TWO(mod, g, gg_neg(gg_mul(g, gg_floordiv(x[0], x[1]))))
GRADIENT_OF_TWO(fmod, g, gg_neg(gg_mul(g, gg_trunc(gg_div(x[0], x[1])))))
GRADIENT_OF_TWO(pow, pow_by_base(g, x), pow_by_exponent(g, x, y))
GRADIENT_OF_TWO(hypot, gg_mul(gg_div(g, y), x[0]), gg_mul(gg_div(g, y), x[1]))
GRADIENT_OF_TWO(atan2, gg_mul(over_squares(g, x), x[1]),
                gg_neg(gg_mul(over_squares(g, x), x[0])))
GRADIENT_OF_TWO(copysign,
                gg_mul(g, gg_mul(gg_copysign(gg_sign(x[0]), x[1]), gg_sign(x[0]))),
                gg__num(g, 0))
GRADIENT_OF_TWO(ldexp, gg_ldexp(g, x[1]), gg__num(g, 0))
GRADIENT_OF_TWO(nextafter, g, gg__num(g, 0))
GRADIENT_OF_TWO(maximum, where_chosen(gg_ge(x[0], x[1]), g),
                where_not(gg_ge(x[0], x[1]), g))
GRADIENT_OF_TWO(minimum, where_chosen(gg_le(x[0], x[1]), g),
                where_not(gg_le(x[0], x[1]), g))
GRADIENT_OF_TWO(logaddexp, share(g, x), gg_sub(g, share(g, x)))
GRADIENT(neg, gg_neg(g))
GRADIENT(abs, gg_mul(g, gg_sign(x[0])))
GRADIENT(sqr, gg_mul(g, gg_mul(gg__num(g, 2), x[0])))
GRADIENT(sqrt, gg_div(times(g, 0.5), y))
GRADIENT(rsqrt, gg_div(gg_mul(times(g, -0.5), y), x[0]))
GRADIENT(reciprocal, gg_neg(gg_mul(g, gg_sqr(y))))
GRADIENT(cbrt, over_sqr(times(g, 1.0 / 3), y))
GRADIENT(exp, gg_mul(g, y))
GRADIENT(exp2, gg_mul(g, times(y, LN2)))
GRADIENT(exp10, gg_mul(g, times(y, LN10)))
GRADIENT(expm1, gg_mul(g, plus(y, 1)))
GRADIENT(log, gg_div(g, x[0]))
GRADIENT(log2, gg_div(g, times(x[0], LN2)))
GRADIENT(log10, gg_div(g, times(x[0], LN10)))
GRADIENT(log1p, gg_div(g, plus(x[0], 1)))
GRADIENT(sin, gg_mul(g, gg_cos(x[0])))
GRADIENT(cos, gg_neg(gg_mul(g, gg_sin(x[0]))))
GRADIENT(tan, gg_mul(g, gg_add(gg__num(g, 1), gg_sqr(y))))
GRADIENT(asin, gg_mul(g, gg_rsqrt(one_minus_sqr(x[0]))))
GRADIENT(acos, gg_neg(gg_mul(g, gg_rsqrt(one_minus_sqr(x[0])))))
GRADIENT(atan, gg_div(g, plus(gg_sqr(x[0]), 1)))
GRADIENT(degrees, gg_degrees(g))
GRADIENT(radians, gg_radians(g))
GRADIENT(mantissa, gg_ldexp(g, gg_neg(gg_exponent(x[0]))))
GRADIENT(sinh, gg_mul(g, gg_cosh(x[0])))
GRADIENT(cosh, gg_mul(g, gg_sinh(x[0])))
GRADIENT(tanh, gg_mul(g, one_minus_sqr(y)))
GRADIENT(asinh, gg_mul(g, gg_rsqrt(plus(gg_sqr(x[0]), 1))))
GRADIENT(acosh, gg_mul(g, gg_rsqrt(plus(gg_sqr(x[0]), -1))))
GRADIENT(atanh, gg_div(g, one_minus_sqr(x[0])))
GRADIENT(erf, gg_mul(g, bell(x[0])))
GRADIENT(erfc, gg_neg(gg_mul(g, bell(x[0]))))
GRADIENT(sigmoid, times_rest(g, y))
GRADIENT(logit, gg_div(g, gg_mul(x[0], one_minus(x[0]))))
GRADIENT(softplus, gg_mul(g, gg_sigmoid(x[0])))
GRADIENT(relu, where_chosen(gg_gt(y, gg__num(g, 0)), g))
/* clang-format on */

/* --- the ops --- */

static int infer_bool(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, GA_BOOL, out);
}

static int infer_count(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, GA_UBYTE, out);
}

static int infer_int(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, GA_INT, out);
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
#define TERNARY(op, doc, rule, text, flops, host, tolerance, lo, hi, lo2, hi2, \
                lo3, hi3, ...)                                                 \
  UNARY(op, doc, rule, text, flops, host, tolerance, lo, hi, __VA_ARGS__)
#include "ops/elementwise/elementwise.def"
#undef UNARY
#undef BINARY
#undef TERNARY

/* --- the builders --- */

static gg_var *given(gg_var *(*kind)(const gg_op *op, unsigned int n,
                                     gg_var *const *x),
                     const gg_op *op, unsigned int n, gg_var *const *x) {
  return gg__given(op, n, x) ? kind(op, n, x) : NULL;
}

#define UNARY(name, doc, kind, ...)                                            \
  gg_var *gg_##name(gg_var *x) {                                               \
    return x != NULL ? kind(&gg__op_##name, 1, &x) : NULL;                     \
  }
#define BINARY(name, doc, kind, ...)                                           \
  gg_var *gg_##name(gg_var *a, gg_var *b) {                                    \
    return given(kind, &gg__op_##name, 2, (gg_var *[]){a, b});                 \
  }
#define TERNARY(name, doc, kind, ...)                                          \
  gg_var *gg_##name(gg_var *a, gg_var *b, gg_var *x) {                         \
    return given(kind, &gg__op_##name, 3, (gg_var *[]){a, b, x});              \
  }
#include "ops/elementwise/elementwise.def"

#undef UNARY
#undef BINARY
#undef TERNARY

/* --- in texts and files --- */

/* Which operands each kind takes (gg_op_form.takes). */
#define TAKES_number "N"
#define TAKES_size "N"
#define TAKES_comparison "N"
#define TAKES_bits "L"
#define TAKES_integral "I"
#define TAKES_real "F"
#define TAKES_predicate "F"
#define TAKES_parametric "F"
#define TAKES_whole "F"
#define TAKES_quotient "F"
#define TAKES_power "N"

#define UNARY(name, doc, kind, ...) GG_FORM(name, TAKES_##kind, NULL),
#define BINARY(name, doc, kind, ...)                                           \
  GG_FORM(name, TAKES_##kind TAKES_##kind, NULL),
#define TERNARY(name, doc, kind, ...)                                          \
  GG_FORM(name, TAKES_##kind TAKES_##kind TAKES_##kind, NULL),
const gg_op_form gg__forms_elementwise[] = {
#include "ops/elementwise/elementwise.def"
    GG_FORMS_END};
