/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise ops that need more than one function of the library. */
#include <gpugraph/activations.h>
#include <gpugraph/create.h>
#include <gpugraph/op.h>
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

static int is_float(const gg_var *x) {
  return ga__dtype_kind(gg__dtype_of(x)) == GA_KIND_FLOAT;
}

static int is_signed(const gg_var *x) {
  return ga__dtype_kind(gg__dtype_of(x)) == GA_KIND_INT;
}

/* --- arithmetic --- */

/* The quotient of integers, rounded towards 0. gg_floordiv rounds down. */
static gg_var *quotient(gg_var *a, gg_var *b) {
  gg_var *down = gg_floordiv(a, b);

  if (a == NULL || b == NULL || !is_signed(a))
    return down;
  gg_var *inexact = gg_ne(gg_mul(down, b), a);
  gg_var *negative = gg_xor(gg_lt(a, gg__like(a, 0)), gg_lt(b, gg__like(b, 0)));
  return gg_add(down, gg_cast(gg_and(inexact, negative), gg__dtype_of(a)));
}

gg_var *gg__onnx_divide(gg_var *a, gg_var *b) {
  return is_float(a) ? gg_div(a, b) : quotient(a, b);
}

int gg__from_mod(gg__onnx_call *c) {
  gg_var *a = gg__call_in(c, 0), *b = gg__call_in(c, 1);

  if (gg__call_int(c, "fmod", 0) == 0)
    c->out[0] = gg_mod(a, b);
  else
    c->out[0] =
        is_float(a) ? gg_fmod(a, b) : gg_sub(a, gg_mul(quotient(a, b), b));
  return GA_NO_ERROR;
}

/* The result has the dtype of the base. Powers of integers are computed in the
 * widest float dtype. In float64 they are exact up to 2^53 for whole exponents.
 * Others are truncated. */
gg_var *gg__onnx_power(gg_var *a, gg_var *b) {
  const int dtype = gg__dtype_of(a);

  if (is_float(a))
    return gg_pow(a, gg_cast(b, dtype));
  gg_var *by = gg__as_widest(b), *y = gg_pow(gg__as_widest(a), by);
  gg_var *whole = gg_round(y);
  if (is_float(b))
    whole = gg_where(gg_eq(by, gg_round(by)), whole, y);
  return gg_cast(whole, dtype);
}

int gg__from_shift(gg__onnx_call *c) {
  gg_var *a = gg__call_in(c, 0), *b = gg__call_in(c, 1);
  const char *direction = gg__call_text(c, "direction", "");

  if (strcmp(direction, "LEFT") == 0)
    c->out[0] = gg_left_shift(a, b);
  else if (strcmp(direction, "RIGHT") == 0)
    c->out[0] = gg_right_shift(a, b);
  else
    return ga__fail(GA_VALUE_ERROR, "direction is \"%s\"", direction);
  return GA_NO_ERROR;
}

/* Max, Min, Sum and Mean of one input or more, which broadcast. */
int gg__from_join_all(gg__onnx_call *c) {
  static gg_var *(*const join[])(gg_var *, gg_var *) = {gg_maximum, gg_minimum,
                                                        gg_add, gg_add};
  gg_var *all = gg__call_in(c, 0);

  for (size_t i = 1; i < c->n_in; i++)
    all = join[c->row->arg](all, gg__call_in(c, i));
  c->out[0] =
      c->row->arg == 3 ? gg_div(all, gg__like(all, (double)c->n_in)) : all;
  return GA_NO_ERROR;
}

/* --- dtypes --- */

static int cast_to(gg__onnx_call *c, gg_var *x, int dtype) {
  c->out[0] = gg_cast(x, dtype);
  return GA_NO_ERROR;
}

/* The dtype of the attribute "to". */
static int read_dtype(const gg__onnx_call *c, int *dtype) {
  const int64_t to = gg__call_int(c, "to", 0);

  *dtype = gg__onnx_dtype(to);
  return *dtype >= 0 ? GA_NO_ERROR
                     : ga__fail(GA_UNSUPPORTED_ERROR, "a cast to %s (%lld)",
                                gg__onnx_type_name(to), (long long)to);
}

int gg__from_cast(gg__onnx_call *c) {
  int dtype;

  GA_TRY(read_dtype(c, &dtype));
  return cast_to(c, gg__call_in(c, 0), dtype);
}

int gg__from_bit_cast(gg__onnx_call *c) {
  int dtype;

  GA_TRY(read_dtype(c, &dtype));
  c->out[0] = gg_bit_cast(gg__call_in(c, 0), dtype);
  return GA_NO_ERROR;
}

int gg__from_cast_like(gg__onnx_call *c) {
  gg_var *like = gg__call_in(c, 1);

  return like == NULL ? GA_NO_ERROR
                      : cast_to(c, gg__call_in(c, 0), gg__dtype_of(like));
}

int gg__from_identity(gg__onnx_call *c) {
  c->out[0] = gg__call_in(c, 0);
  return GA_NO_ERROR;
}

/* --- choices --- */

int gg__from_where(gg__onnx_call *c) {
  c->out[0] = gg_where(gg__call_in(c, 0), gg__call_in(c, 1), gg__call_in(c, 2));
  return GA_NO_ERROR;
}

int gg__from_clip(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);

  if (gg__call_has(c, 1))
    x = gg_maximum(x, gg__call_in(c, 1));
  if (gg__call_has(c, 2))
    x = gg_minimum(x, gg__call_in(c, 2));
  c->out[0] = x;
  return GA_NO_ERROR;
}

int gg__from_clip_attr(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);

  if (gg__call_attr(c, "min") != NULL)
    x = gg_maximum(x, gg__like(x, gg__call_float(c, "min", 0)));
  if (gg__call_attr(c, "max") != NULL)
    x = gg_minimum(x, gg__like(x, gg__call_float(c, "max", 0)));
  c->out[0] = x;
  return GA_NO_ERROR;
}

int gg__from_isinf(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *zero = gg__like(x, 0);
  gg_var *yes = gg_isinf(x);

  if (gg__call_int(c, "detect_positive", 1) == 0)
    yes = gg_and(yes, gg_lt(x, zero));
  if (gg__call_int(c, "detect_negative", 1) == 0)
    yes = gg_and(yes, gg_gt(x, zero));
  c->out[0] = yes;
  return GA_NO_ERROR;
}

int gg__from_binarize(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  gg_var *limit = gg__like(x, gg__call_float(c, "threshold", 0));

  c->out[0] = gg_cast(gg_gt(x, limit), gg__dtype_of(x));
  return GA_NO_ERROR;
}

/* --- activations --- */

gg_var *gg__onnx_relu(gg_var *x) {
  return is_float(x) ? gg_relu(x) : gg_maximum(x, gg__like(x, 0));
}

gg_var *gg__onnx_prelu(gg_var *x, gg_var *slope) {
  if (is_float(x))
    return gg_prelu(x, slope);
  return gg_where(gg_lt(x, gg__like(x, 0)), gg_mul(x, slope), x);
}

int gg__from_celu(gg__onnx_call *c) {
  const double alpha = gg__call_float(c, "alpha", 1);

  c->out[0] = gg_celu(gg__call_in(c, 0), alpha);
  return GA_NO_ERROR;
}

int gg__from_elu(gg__onnx_call *c) {
  c->out[0] = gg_elu(gg__call_in(c, 0), gg__call_float(c, "alpha", 1));
  return GA_NO_ERROR;
}

int gg__from_selu(gg__onnx_call *c) {
  const double alpha = gg__call_float(c, "alpha", 1.6732632423543772);
  const double gamma = gg__call_float(c, "gamma", 1.0507009873554805);
  gg_var *x = gg__call_in(c, 0);

  c->out[0] = gg_mul(gg__like(x, gamma), gg_elu(x, alpha));
  return GA_NO_ERROR;
}

int gg__from_gelu(gg__onnx_call *c) {
  const char *how = gg__call_text(c, "approximate", "none");
  gg_var *x = gg__call_in(c, 0);

  if (strcmp(how, "tanh") == 0)
    c->out[0] = gg_gelu_tanh(x);
  else if (strcmp(how, "none") == 0)
    c->out[0] = gg_gelu(x);
  else
    return ga__fail(GA_VALUE_ERROR, "approximate is \"%s\"", how);
  return GA_NO_ERROR;
}

int gg__from_hard_sigmoid(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  gg_var *slope = gg__like(x, gg__call_float(c, "alpha", 0.2));
  gg_var *shift = gg__like(x, gg__call_float(c, "beta", 0.5));

  c->out[0] =
      gg_clip(gg_add(gg_mul(slope, x), shift), gg__like(x, 0), gg__like(x, 1));
  return GA_NO_ERROR;
}

/* Before opset 7, a vector of slopes is for axis 1. */
int gg__from_prelu_old(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *slope = gg__call_in(c, 1);

  if (gg__call_rank(c, 1) == 1 && gg__call_rank(c, 0) > 1)
    slope = gg_var_type(slope)->dims[0] == 1
                ? gg_squeeze(slope, 0)
                : gg__along(slope, gg__call_rank(c, 0), 1);
  c->out[0] = gg__onnx_prelu(x, slope);
  return GA_NO_ERROR;
}

int gg__from_leaky_relu(gg__onnx_call *c) {
  c->out[0] =
      gg_leaky_relu(gg__call_in(c, 0), gg__call_float(c, "alpha", 0.01));
  return GA_NO_ERROR;
}

int gg__from_thresholded_relu(gg__onnx_call *c) {
  c->out[0] = gg_threshold(gg__call_in(c, 0), gg__call_float(c, "alpha", 1), 0);
  return GA_NO_ERROR;
}

/* x + bias below -lambd, x - bias above lambd, 0 between them. */
int gg__from_shrink(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  gg_var *bias = gg__like(x, gg__call_float(c, "bias", 0));
  const double lambd = gg__call_float(c, "lambd", 0.5);

  c->out[0] = gg_where(
      gg_lt(x, gg__like(x, -lambd)), gg_add(x, bias),
      gg_where(gg_gt(x, gg__like(x, lambd)), gg_sub(x, bias), gg__like(x, 0)));
  return GA_NO_ERROR;
}

/* Swish, and for `arg` 1 its product with input 1. */
int gg__from_swish(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  gg_var *alpha = gg__like(x, gg__call_float(c, "alpha", 1));

  c->out[0] = gg_mul(x, gg_sigmoid(gg_mul(alpha, x)));
  if (c->row->arg == 1)
    c->out[0] = gg_mul(c->out[0], gg__call_in(c, 1));
  return GA_NO_ERROR;
}
