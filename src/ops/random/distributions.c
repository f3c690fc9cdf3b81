/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions computed elementwise from uniform and normal random numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/random/draw.h"

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
  gg_var *at =
      gg_add(gg_ndtr(from), gg_mul(u, gg_sub(gg_ndtr(to), gg_ndtr(from))));
  gg_var *z = gg_ndtri(at);
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

const gg_op_form gg__forms_distributions[] = {GG_FORM(random_below, "II", NULL),
                                              GG_FORMS_END};
