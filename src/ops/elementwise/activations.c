/* SPDX-License-Identifier: BSD-2-Clause */
/* Activations, composed of elementwise ops. */
#include <gpugraph/activations.h>
#include <gpugraph/arrange.h>

#include "ops/compose.h"

/* x as floats; NULL gives NULL. */
static gg_var *floats(gg_var *x) {
  return x != NULL ? gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype)) : NULL;
}

static gg_var *times(gg_var *x, double factor) {
  return gg_mul(x, gg__num(x, factor));
}

static gg_var *plus(gg_var *x, double term) {
  return gg_add(x, gg__num(x, term));
}

static gg_var *clipped(gg_var *x, double lo, double hi) {
  return gg_clip(x, gg__num(x, lo), gg__num(x, hi));
}

/* --- like relu --- */

/* x where it is positive, else `other`. */
static gg_var *or_else(gg_var *x, gg_var *other) {
  return gg_where(gg_gt(x, gg__num(x, 0)), x, other);
}

gg_var *gg_relu6(gg_var *x) {
  x = floats(x);
  return x != NULL ? clipped(x, 0, 6) : NULL;
}

gg_var *gg_leaky_relu(gg_var *x, double slope) {
  x = floats(x);
  return x != NULL ? or_else(x, times(x, slope)) : NULL;
}

gg_var *gg_prelu(gg_var *x, gg_var *slope) {
  gg_var *const in[2] = {x, slope};

  if (!gg__given(GG_CALLED("prelu"), 2, in))
    return NULL;
  x = floats(x);
  return or_else(x, gg_mul(x, slope));
}

gg_var *gg_threshold(gg_var *x, double limit, double value) {
  if (x == NULL)
    return NULL;
  return gg_where(gg_gt(x, gg__num(x, limit)), x, gg__num(x, value));
}

gg_var *gg_elu(gg_var *x, double alpha) {
  x = floats(x);
  return x != NULL ? or_else(x, times(gg_expm1(x), alpha)) : NULL;
}

gg_var *gg_celu(gg_var *x, double alpha) {
  if (x != NULL && alpha == 0)
    return gg__refuse(GG_CALLED("celu"), 1, &x, GA_VALUE_ERROR, "alpha is 0");
  x = floats(x);
  return x != NULL ? or_else(x, times(gg_expm1(times(x, 1 / alpha)), alpha))
                   : NULL;
}

gg_var *gg_selu(gg_var *x) {
  const double scale = 1.0507009873554805, alpha = 1.6732632423543772;

  x = floats(x);
  return x != NULL ? times(or_else(x, times(gg_expm1(x), alpha)), scale) : NULL;
}

/* --- like x sigmoid(x) --- */

gg_var *gg_gelu(gg_var *x) {
  x = floats(x);
  return x != NULL
             ? times(gg_mul(x, plus(gg_erf(times(x, 0.7071067811865476)), 1)),
                     0.5)
             : NULL;
}

gg_var *gg_gelu_tanh(gg_var *x) {
  const double root = 0.7978845608028654; /* of 2 / pi */

  x = floats(x);
  if (x == NULL)
    return NULL;
  gg_var *const cubic = gg_mul(x, plus(times(gg_sqr(x), 0.044715), 1));
  return times(gg_mul(x, plus(gg_tanh(times(cubic, root)), 1)), 0.5);
}

gg_var *gg_silu(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_mul(x, gg_sigmoid(x)) : NULL;
}

gg_var *gg_mish(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_mul(x, gg_tanh(gg_softplus(x))) : NULL;
}

gg_var *gg_hard_sigmoid(gg_var *x) {
  x = floats(x);
  return x != NULL ? clipped(plus(times(x, 1.0 / 6), 0.5), 0, 1) : NULL;
}

gg_var *gg_hard_swish(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_mul(x, gg_hard_sigmoid(x)) : NULL;
}

gg_var *gg_glu(gg_var *x, int axis) {
  gg_var *half[2];

  x = floats(x);
  if (x == NULL || gg__split(GG_CALLED("glu"), x, axis, 2, half) != GA_NO_ERROR)
    return NULL;
  return gg_mul(half[0], gg_sigmoid(half[1]));
}

gg_var *gg_log_sigmoid(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_neg(gg_softplus(gg_neg(x))) : NULL;
}

/* --- like tanh --- */

gg_var *gg_hard_tanh(gg_var *x, double lo, double hi) {
  x = floats(x);
  return x != NULL ? clipped(x, lo, hi) : NULL;
}

gg_var *gg_softsign(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_div(x, plus(gg_abs(x), 1)) : NULL;
}

gg_var *gg_tanh_shrink(gg_var *x) {
  x = floats(x);
  return x != NULL ? gg_sub(x, gg_tanh(x)) : NULL;
}

gg_var *gg_soft_shrink(gg_var *x, double by) {
  x = floats(x);
  return x != NULL ? gg_sub(x, clipped(x, -by, by)) : NULL;
}

gg_var *gg_hard_shrink(gg_var *x, double by) {
  x = floats(x);
  return x != NULL
             ? gg_where(gg_gt(gg_abs(x), gg__num(x, by)), x, gg__num(x, 0))
             : NULL;
}
