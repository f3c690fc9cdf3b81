/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions computed elementwise from uniform and normal random numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/draw.h"
#include "ops/elementwise.h"

enum { NUMBER_TEXT = 24 }; /* bytes; enough for 64 bits */

/* --- parameters --- */

static const gg_op *op_of(const gg_var *x) {
  return gg_var_owner(x)->op;
}

/* Does p broadcast to the shape of the draw x, as far as sizes are known?
 * Returns 0 and records an error if not. */
static int fits(gg_var *x, const char *name, gg_var *p) {
  const gg_type *want = gg_var_type(x), *got = gg_var_type(p);
  gg_var *in[2] = {x, p};

  if (got->nd > want->nd) {
    gg__refuse(op_of(x), 2, in, GA_VALUE_ERROR,
               "%s has %u dimensions, the draw %u", name, got->nd, want->nd);
    return 0;
  }
  for (unsigned int i = 0; i < got->nd; i++)
    if (got->dims[i] != 1 && want->dims[want->nd - got->nd + i] == 1) {
      gg__refuse(op_of(x), 2, in, GA_VALUE_ERROR,
                 "%s: dim %u does not fit the draw's 1", name, i);
      return 0;
    }
  return 1;
}

gg_var *gg__parameter(gg_var *x, const char *name, gg_var *p) {
  if (x == NULL || p == NULL || !fits(x, name, p))
    return NULL;
  return gg_cast(p, gg_var_type(x)->dtype);
}

gg_var *gg__check_range(gg_var *x, const char *name, gg_var *p, double low,
                        double high) {
  gg_var *in[2] = {x, p};
  size_t n = 1;

  if (x == NULL || p == NULL || gg_var_data(p) == NULL)
    return p;
  const gg_type *t = gg_var_type(p);
  const char *data = gg_var_data(p);
  for (unsigned int i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  for (size_t k = 0; k < n; k++) {
    double v =
        ga__dtype_to_double(t->dtype, data + k * ga__dtype_size(t->dtype));
    if (!(v >= low && v <= high))
      return gg__refuse(op_of(x), 2, in, GA_VALUE_ERROR,
                        "%s: %g is not between %g and %g", name, v, low, high);
  }
  return p;
}

static int is_number(const gg_var *v, double want) {
  double got;

  return gg_var_uniform(v, &got) && got == want;
}

/* A draw of floats in the dtype of d. `p`, a parameter, is the operand in
 * messages. */
static gg_var *draw_floats(gg_random *r, const gg_draw *d, ga_random what,
                           gg_var *p) {
  if (!gg__draw_given(r, "the draw", d))
    return NULL;
  if (ga__dtype_kind(d->dtype) != GA_KIND_FLOAT)
    return gg__refuse(&gg__op_philox, 1, &p, GA_VALUE_ERROR,
                      "random numbers are floats here, not %s",
                      ga__dtype_name(d->dtype));
  return gg__draw(r, d, what, d->dtype);
}

/* Uniform random numbers to compare with a probability p. They are float64 if p
 * is: float32 would not have enough digits. */
static gg_var *draw_chances(gg_random *r, const gg_draw *d, const gg_var *p) {
  const int is_double = gg_var_type(p)->dtype == GA_DOUBLE;

  return gg__draw(r, d, GA_RANDOM_UNIFORM, is_double ? GA_DOUBLE : GA_FLOAT);
}

/* --- uniform, normal --- */

gg_var *gg_random_uniform(gg_random *r, const gg_draw *d, gg_var *low,
                          gg_var *high) {
  if (!gg__draw_given(r, "low", low) || !gg__draw_given(r, "high", high))
    return NULL;
  gg_var *x = draw_floats(r, d, GA_RANDOM_UNIFORM, low);
  low = gg__parameter(x, "low", low);
  high = gg__parameter(x, "high", high);
  if (x == NULL || low == NULL || high == NULL)
    return NULL;
  if (is_number(low, 0) && is_number(high, 1))
    return x;
  return gg_add(low, gg_mul(x, gg_sub(high, low)));
}

gg_var *gg_random_normal(gg_random *r, const gg_draw *d, gg_var *mean,
                         gg_var *deviation) {
  if (!gg__draw_given(r, "mean", mean) ||
      !gg__draw_given(r, "deviation", deviation))
    return NULL;
  gg_var *x = draw_floats(r, d, GA_RANDOM_NORMAL, mean);
  mean = gg__parameter(x, "mean", mean);
  deviation = gg__parameter(x, "deviation", deviation);
  if (x == NULL || mean == NULL || deviation == NULL)
    return NULL;
  if (is_number(mean, 0) && is_number(deviation, 1))
    return x;
  return gg_add(mean, gg_mul(x, deviation));
}

/* --- truncated normal --- */

/* The inverse of the normal distribution function by M. J. Wichura, Algorithm
 * AS 241, Applied Statistics 37 (1988): quotients of polynomials for the
 * middle, the tails, and the far tails. f(r, c7, ..., c0) is a polynomial in
 * r. */
/* clang-format off */
#define MIDDLE_OVER(f, r)                                                      \
  f(r, 2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,    \
    45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,       \
    133.14166789178437745, 3.3871328727963666080)
#define MIDDLE_UNDER(f, r)                                                     \
  f(r, 5226.4952788528545610, 28729.085735721942674, 39307.895800092710610,    \
    21213.794301586595867, 5394.1960214247511077, 687.18700749205790830,       \
    42.313330701600911252, 1.0)
#define TAIL_OVER(f, r)                                                        \
  f(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2,                   \
    2.41780725177450611770e-1, 1.27045825245236838258,                         \
    3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590,    \
    1.42343711074968357734)
#define TAIL_UNDER(f, r)                                                       \
  f(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4,                   \
    1.51986665636164571966e-2, 1.48103976427480074590e-1,                      \
    6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, \
    1.0)
#define FAR_OVER(f, r)                                                         \
  f(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5,                   \
    1.24266094738807843860e-3, 2.65321895265761230930e-2,                      \
    2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, \
    6.65790464350110377720)
#define FAR_UNDER(f, r)                                                        \
  f(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7,                  \
    1.84631831751005468180e-5, 7.86869131145613259100e-4,                      \
    1.48753612908506148525e-2, 1.36929880922735805310e-1,                      \
    5.99832206555887937690e-1, 1.0)
/* clang-format on */

static double polynomial(double r, double c7, double c6, double c5, double c4,
                         double c3, double c2, double c1, double c0) {
  return ((((((c7 * r + c6) * r + c5) * r + c4) * r + c3) * r + c2) * r + c1) *
             r +
         c0;
}

static double eval_ndtri(const double *x) {
  const double q = x[0] - 0.5;
  double z;

  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * MIDDLE_OVER(polynomial, r) / MIDDLE_UNDER(polynomial, r);
  }
  double r = sqrt(-log(q < 0 ? x[0] : 1 - x[0]));
  if (r <= 5)
    z = TAIL_OVER(polynomial, r - 1.6) / TAIL_UNDER(polynomial, r - 1.6);
  else
    z = FAR_OVER(polynomial, r - 5) / FAR_UNDER(polynomial, r - 5);
  return q < 0 ? -z : z;
}

#define TERM(r, inner, c) "fma(" inner ", " r ", (%T)(" #c "))"
#define POLYNOMIAL(r, c7, c6, c5, c4, c3, c2, c1, c0)                          \
  TERM(r,                                                                      \
       TERM(r,                                                                 \
            TERM(r,                                                            \
                 TERM(r,                                                       \
                      TERM(r, TERM(r, TERM(r, "(%T)(" #c7 ")", c6), c5), c4),  \
                      c3),                                                     \
                 c2),                                                          \
            c1),                                                               \
       c0)
#define QUOTIENT(which, r)                                                     \
  which##_OVER(POLYNOMIAL, r) " / " which##_UNDER(POLYNOMIAL, r)

#define HALF_OFF "(%0 - (%T)(0.5))"
#define DEPTH "sqrt(-log(fmin(%0, (%T)(1) - %0)))"
#define NDTRI                                                                  \
  "(fabs" HALF_OFF " <= (%T)(0.425) ? " HALF_OFF " * " QUOTIENT(               \
      MIDDLE,                                                                  \
      "((%T)(0.180625) - " HALF_OFF " * " HALF_OFF                             \
      ")") " : (" HALF_OFF " < (%T)(0) ? (%T)(-1) : (%T)(1)) * (" DEPTH        \
           " <= (%T)(5) ? " QUOTIENT(                                          \
               TAIL, "(" DEPTH                                                 \
                     " - (%T)(1.6))") " : " QUOTIENT(FAR, "(" DEPTH            \
                                                          " - (%T)(5))") "))"

/* The derivative is 1 / density(z) = sqrt(2 pi) exp(z^2 / 2). */
static int grad_ndtri(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const z = a->out[0], *const g = gout[0];

  gin[0] = gg_mul(gg_mul(g, gg__num(g, 2.5066282746310002)),
                  gg_exp(gg_mul(gg_sqr(z), gg__num(g, 0.5))));
  return GA_NO_ERROR;
}

const gg_op gg__op_ndtri = {.name = "ndtri",
                            .kind = GG_OP_ELEMWISE,
                            .n_out = 1,
                            .grad = grad_ndtri,
                            .code = CODE(NDTRI, eval_ndtri, 60)};

/* The normal distribution function: erfc(-x / sqrt 2) / 2. */
static gg_var *ndtr(gg_var *x) {
  return gg_mul(gg_erfc(gg_mul(x, gg__num(x, -0.70710678118654752))),
                gg__num(x, 0.5));
}

/* If both bounds are above 0, compute with negated bounds and negate the
 * result: the distribution function is precise below and around 0. */
gg_var *gg_random_truncated_normal(gg_random *r, const gg_draw *d, gg_var *mean,
                                   gg_var *deviation, gg_var *low,
                                   gg_var *high) {
  if (!gg__draw_given(r, "mean", mean) ||
      !gg__draw_given(r, "deviation", deviation) ||
      !gg__draw_given(r, "low", low) || !gg__draw_given(r, "high", high))
    return NULL;
  gg_var *u = draw_floats(r, d, GA_RANDOM_UNIFORM, mean);
  mean = gg__parameter(u, "mean", mean);
  deviation = gg__parameter(u, "deviation", deviation);
  low = gg__parameter(u, "low", low);
  high = gg__parameter(u, "high", high);
  gg_var *right = gg_gt(low, gg__num(low, 0));
  gg_var *from = gg_where(right, gg_neg(high), low);
  gg_var *to = gg_where(right, gg_neg(low), high);
  gg_var *at = gg_add(ndtr(from), gg_mul(u, gg_sub(ndtr(to), ndtr(from))));
  gg_var *z = gg_op_elemwise(&gg__op_ndtri, NULL, 1, &at);
  z = gg_clip(z, from, to);
  z = gg_where(right, gg_neg(z), z);
  return gg_add(mean, gg_mul(z, deviation));
}

/* --- bernoulli --- */

gg_var *gg_random_bernoulli(gg_random *r, const gg_draw *d, gg_var *p) {
  if (!gg__draw_given(r, "p", p) || !gg__draw_given(r, "d", d))
    return NULL;
  gg_var *u = draw_chances(r, d, p);
  p = gg__check_range(u, "p", p, 0, 1);
  return gg_cast(gg_lt(u, gg__parameter(u, "p", p)), d->dtype);
}

/* --- integers --- */

/* (bits, n), uint64: floor(bits n / 2^64), an integer below n. Its distribution
 * is uniform up to a relative error of n / 2^64. */
const gg_op gg__op_random_below = {.name = "random_below",
                                   .kind = GG_OP_ELEMWISE,
                                   .n_out = 1,
                                   .grad = gg__grad_zero,
                                   .code = CODE("mul_hi(%0, %1)", NULL, 4)};

/* If v is a scalar constant: set *out to its exact value and return 1. uint64
 * above INT64_MAX wraps. */
static int is_known(const gg_var *v, int64_t *out) {
  const gg_type *t = gg_var_type(v);

  if (gg_var_data(v) == NULL || t->nd != 0)
    return 0;
  if (ga__dtype_size(t->dtype) == sizeof *out)
    memcpy(out, gg_var_data(v), sizeof *out);
  else
    *out = (int64_t)ga__dtype_to_double(t->dtype, gg_var_data(v));
  return 1;
}

/* Nonzero if x, the value of a constant v, has wrapped. */
static int is_wrapped(const gg_var *v, int64_t x) {
  return x < 0 && gg_var_type(v)->dtype == GA_ULONG;
}

/* What is wrong with the range from constant `low` up to but without constant
 * `high`: "no" or "too many" integers. NULL if it is right. */
static const char *bad_range(const gg_var *low, const gg_var *high) {
  int64_t from, to;

  if (!is_known(low, &from) || !is_known(high, &to))
    return NULL;
  if (is_wrapped(low, from) == is_wrapped(high, to))
    return from < to ? NULL : "no";
  if (is_wrapped(low, from))
    return "no";
  const uint64_t n = (uint64_t)to - (uint64_t)from;
  return from < 0 && n < (uint64_t)to ? "too many" : NULL;
}

static const char *number_text(const gg_var *v, char *text) {
  int64_t x = 0;

  is_known(v, &x);
  if (is_wrapped(v, x))
    snprintf(text, NUMBER_TEXT, "%llu", (unsigned long long)x);
  else
    snprintf(text, NUMBER_TEXT, "%lld", (long long)x);
  return text;
}

/* high - low as uint64. Constants are subtracted here, because what the host
 * computes from scalars passes through doubles and loses digits. */
static gg_var *count_integers(gg_var *low, gg_var *high) {
  int64_t from, to;

  if (!is_known(low, &from) || !is_known(high, &to))
    return gg_cast(gg_sub(gg_cast(high, GA_LONG), gg_cast(low, GA_LONG)),
                   GA_ULONG);
  uint64_t n = (uint64_t)to - (uint64_t)from;
  return gg_constant(gg_var_graph(low), GA_ULONG, 0, NULL, &n);
}

gg_var *gg_random_integers(gg_random *r, const gg_draw *d, gg_var *low,
                           gg_var *high) {
  gg_var *in[2] = {low, high}, *bits;
  char text[2][NUMBER_TEXT];

  if (!gg__draw_given(r, "low", low) || !gg__draw_given(r, "high", high) ||
      !gg__draw_given(r, "d", d))
    return NULL;
  if (!gg__is_integer(d->dtype) || !gg__is_integer(gg_var_type(low)->dtype) ||
      !gg__is_integer(gg_var_type(high)->dtype))
    return gg__refuse(&gg__op_random_below, 2, in, GA_VALUE_ERROR,
                      "expected integer bounds and an integer draw");
  const char *const bad = bad_range(low, high);
  if (bad != NULL)
    return gg__refuse(&gg__op_random_below, 2, in, GA_VALUE_ERROR,
                      "%s integers from %s up to but without %s", bad,
                      number_text(low, text[0]), number_text(high, text[1]));
  bits = gg__draw(r, d, GA_RANDOM_BITS, GA_ULONG);
  if (bits == NULL || !fits(bits, "low", low) || !fits(bits, "high", high))
    return NULL;
  in[0] = bits;
  in[1] = count_integers(low, high);
  bits = gg_op_elemwise(&gg__op_random_below, NULL, 2, in);
  return gg_cast(gg_add(gg_cast(bits, GA_LONG), gg_cast(low, GA_LONG)),
                 d->dtype);
}

/* --- in texts and files --- */

const gg_op_form gg__forms_distributions[] = {
    GG_FORM(ndtri, "F", NULL), GG_FORM(random_below, "II", NULL), GG_FORMS_END};
