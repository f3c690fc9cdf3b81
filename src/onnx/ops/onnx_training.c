/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of an optimiser. Inputs: the learning rate r, the count of steps t,
 * n parameters x, n gradients g, and one or two lists of n states. Outputs: the
 * new parameters and states. */
#include <gpugraph/op.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* A float attribute as a scalar of x's dtype. */
static gg_var *number(gg__onnx_call *c, gg_var *x, const char *name,
                      double missing) {
  return gg__like(x, gg__call_float(c, name, missing));
}

/* Set *n to the number of parameters. The inputs after r and t are `lists`
 * lists of n, the outputs as many without that of the gradients. */
static int count(gg__onnx_call *c, size_t lists, size_t *n) {
  *n = c->n_in < 2 ? 0 : (c->n_in - 2) / lists;
  if (*n == 0 || c->n_in != 2 + *n * lists || c->n_out != *n * (lists - 1))
    return ga__fail(GA_VALUE_ERROR, "%zu inputs, %zu outputs", c->n_in,
                    c->n_out);
  return GA_NO_ERROR;
}

/* The gradient g plus that of the penalty on the norm of x. */
static gg_var *regular(gg__onnx_call *c, gg_var *x, gg_var *g) {
  return gg_add(gg_mul(number(c, x, "norm_coefficient", 0), x), g);
}

int gg__from_adagrad(gg__onnx_call *c) {
  gg_var *r = gg__call_in(c, 0), *t = gg__call_in(c, 1);
  size_t n;

  GA_TRY(count(c, 3, &n));
  gg_var *decay =
      gg_mul(gg_cast(t, gg__dtype_of(r)), number(c, r, "decay_factor", 0));
  r = gg_div(r, gg_add(gg__like(r, 1), decay));
  for (size_t i = 0; i < n; i++) {
    gg_var *x = gg__call_in(c, 2 + i);
    gg_var *g = regular(c, x, gg__call_in(c, 2 + n + i));
    gg_var *h = gg_add(gg__call_in(c, 2 + 2 * n + i), gg_sqr(g));
    gg_var *root = gg_add(gg_sqrt(h), number(c, x, "epsilon", 1e-6));

    c->out[i] = gg_sub(x, gg_div(gg_mul(r, g), root));
    c->out[n + i] = h;
  }
  return GA_NO_ERROR;
}

int gg__from_momentum(gg__onnx_call *c) {
  const int nesterov =
      strcmp(gg__call_text(c, "mode", "standard"), "nesterov") == 0;
  gg_var *r = gg__call_in(c, 0), *t = gg__call_in(c, 1);
  gg_var *first = gg_gt(t, gg__like(t, 0));
  size_t n;

  GA_TRY(count(c, 3, &n));
  for (size_t i = 0; i < n; i++) {
    gg_var *x = gg__call_in(c, 2 + i);
    gg_var *g = regular(c, x, gg__call_in(c, 2 + n + i));
    gg_var *alpha = number(c, x, "alpha", 0);
    gg_var *beta = gg_where(first, number(c, x, "beta", 0), gg__like(x, 1));
    gg_var *v =
        gg_add(gg_mul(alpha, gg__call_in(c, 2 + 2 * n + i)), gg_mul(beta, g));

    c->out[n + i] = v;
    c->out[i] =
        gg_sub(x, gg_mul(r, nesterov ? gg_add(g, gg_mul(alpha, v)) : v));
  }
  return GA_NO_ERROR;
}

/* The learning rate of step t, corrected for states that began with zeros. */
static gg_var *adam_rate(gg__onnx_call *c, gg_var *r, gg_var *t) {
  gg_var *one = gg__like(r, 1), *steps = gg_cast(t, gg__dtype_of(r));
  gg_var *alpha = gg_pow(number(c, r, "alpha", 0.9), steps);
  gg_var *beta = gg_pow(number(c, r, "beta", 0.999), steps);
  gg_var *rate =
      gg_div(gg_mul(r, gg_sqrt(gg_sub(one, beta))), gg_sub(one, alpha));

  return gg_where(gg_gt(t, gg__like(t, 0)), rate, r);
}

int gg__from_adam(gg__onnx_call *c) {
  gg_var *rate = adam_rate(c, gg__call_in(c, 0), gg__call_in(c, 1));
  size_t n;

  GA_TRY(count(c, 4, &n));
  for (size_t i = 0; i < n; i++) {
    gg_var *x = gg__call_in(c, 2 + i), *one = gg__like(x, 1);
    gg_var *g = regular(c, x, gg__call_in(c, 2 + n + i));
    gg_var *alpha = number(c, x, "alpha", 0.9);
    gg_var *beta = number(c, x, "beta", 0.999);
    gg_var *v = gg_add(gg_mul(alpha, gg__call_in(c, 2 + 2 * n + i)),
                       gg_mul(gg_sub(one, alpha), g));
    gg_var *h = gg_add(gg_mul(beta, gg__call_in(c, 2 + 3 * n + i)),
                       gg_mul(gg_sub(one, beta), gg_sqr(g)));
    gg_var *root = gg_add(gg_sqrt(h), number(c, x, "epsilon", 1e-6));
    gg_var *next = gg_sub(x, gg_mul(rate, gg_div(v, root)));

    c->out[i] =
        gg_mul(gg_sub(one, number(c, x, "norm_coefficient_post", 0)), next);
    c->out[n + i] = v;
    c->out[2 * n + i] = h;
  }
  return GA_NO_ERROR;
}
