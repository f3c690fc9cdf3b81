/* SPDX-License-Identifier: BSD-2-Clause */
/* The formulas of optimisers, as PyTorch documents them. w is the parameter, g
 * its gradient, t counts steps from 1. */
#include <math.h>

#include "nn/updates.h"

/* beta a + (1 - beta) b: a running mean. */
static gg_var *mixed(gg_var *a, gg_var *b, double beta) {
  return gg_add(gg__scaled(a, beta), gg__scaled(b, 1 - beta));
}

static gg_var *plus(gg_var *x, double v) {
  return x != NULL ? gg_add(x, gg_weak(gg_var_graph(x), v)) : NULL;
}

/* 1 - beta^t, exact where beta^t is near 1. */
static gg_var *correction(const gg__updates *u, double beta) {
  return beta == 0 ? gg_scalar(u->g, u->dtype, 1)
                   : gg_neg(gg_expm1(gg__scaled(u->count, log(beta))));
}

/* w - rate step. */
static gg_var *moved(const gg__moved *m, gg_var *step) {
  return gg_sub(m->w, gg_mul(m->rate, step));
}

/* --- one function for each kind --- */

static gg_var *sgd(gg__updates *u, const gg__moved *m) {
  const gg_optimiser *how = u->how;

  if (how->momentum == 0)
    return moved(m, m->grad);
  gg_var *buffer = gg__slot(u, m->entry->var, "momentum_buffer", 0);
  gg_var *part = m->grad;
  if (how->dampening != 0) /* not in the first step */
    part =
        gg_mul(part, gg_where(gg_eq(u->t, gg_scalar(u->g, u->dtype, 0)),
                              gg_scalar(u->g, u->dtype, 1),
                              gg_scalar(u->g, u->dtype, 1 - how->dampening)));
  gg_var *next = gg_add(gg__scaled(buffer, how->momentum), part);
  gg__update(u, buffer, next);
  return moved(m, how->nesterov
                      ? gg_add(m->grad, gg__scaled(next, how->momentum))
                      : next);
}

static gg_var *adam(gg__updates *u, const gg__moved *m) {
  const gg_optimiser *how = u->how;
  gg_var *mean = gg__slot(u, m->entry->var, "exp_avg", 0),
         *square = gg__slot(u, m->entry->var, "exp_avg_sq", 0);
  gg_var *m1 = mixed(mean, m->grad, how->beta1),
         *v1 = mixed(square, gg_sqr(m->grad), how->beta2), *most = v1;

  gg__update(u, mean, m1);
  gg__update(u, square, v1);
  if (how->amsgrad) {
    gg_var *slot = gg__slot(u, m->entry->var, "max_exp_avg_sq", 0);
    most = gg_maximum(slot, v1);
    gg__update(u, slot, most);
  }
  gg_var *root = gg_sqrt(correction(u, how->beta2)),
         *size = gg_div(m->rate, correction(u, how->beta1));
  gg_var *by = plus(gg_div(gg_sqrt(most), root), how->epsilon);
  return gg_sub(m->w, gg_mul(size, gg_div(m1, by)));
}

static gg_var *rmsprop(gg__updates *u, const gg__moved *m) {
  const gg_optimiser *how = u->how;
  gg_var *square = gg__slot(u, m->entry->var, "square_avg", 0);
  gg_var *v1 = mixed(square, gg_sqr(m->grad), how->alpha), *spread = v1;

  gg__update(u, square, v1);
  if (how->centered) {
    gg_var *mean = gg__slot(u, m->entry->var, "grad_avg", 0);
    gg_var *m1 = mixed(mean, m->grad, how->alpha);
    gg__update(u, mean, m1);
    spread = gg_sub(v1, gg_sqr(m1));
  }
  gg_var *step = gg_div(m->grad, plus(gg_sqrt(spread), how->epsilon));
  if (how->momentum == 0)
    return moved(m, step);
  gg_var *buffer = gg__slot(u, m->entry->var, "momentum_buffer", 0);
  gg_var *next = gg_add(gg__scaled(buffer, how->momentum), step);
  gg__update(u, buffer, next);
  return moved(m, next);
}

static gg_var *adagrad(gg__updates *u, const gg__moved *m) {
  const gg_optimiser *how = u->how;
  gg_var *sum = gg__slot(u, m->entry->var, "sum", how->first_sum);
  gg_var *next = gg_add(sum, gg_sqr(m->grad));
  gg_var *step = gg_div(m->grad, plus(gg_sqrt(next), how->epsilon));

  gg__update(u, sum, next);
  if (how->rate_decay != 0)
    step = gg_div(step, plus(gg__scaled(u->t, how->rate_decay), 1));
  return moved(m, step);
}

static gg_var *adadelta(gg__updates *u, const gg__moved *m) {
  const gg_optimiser *how = u->how;
  gg_var *square = gg__slot(u, m->entry->var, "square_avg", 0),
         *delta = gg__slot(u, m->entry->var, "acc_delta", 0);
  gg_var *v1 = mixed(square, gg_sqr(m->grad), how->rho);
  gg_var *step = gg_mul(gg_div(gg_sqrt(plus(delta, how->epsilon)),
                               gg_sqrt(plus(v1, how->epsilon))),
                        m->grad);

  gg__update(u, square, v1);
  gg__update(u, delta, mixed(delta, gg_sqr(step), how->rho));
  return moved(m, step);
}

static gg_var *lion(gg__updates *u, const gg__moved *m) {
  gg_var *mean = gg__slot(u, m->entry->var, "exp_avg", 0);

  gg__update(u, mean, mixed(mean, m->grad, u->how->beta2));
  return moved(m, gg_sign(mixed(mean, m->grad, u->how->beta1)));
}

gg_var *gg__step_of(gg__updates *u, const gg__moved *m) {
  static gg_var *(*const formulas[])(gg__updates *, const gg__moved *) = {
      [GG_SGD] = sgd,         [GG_ADAM] = adam,         [GG_RMSPROP] = rmsprop,
      [GG_ADAGRAD] = adagrad, [GG_ADADELTA] = adadelta, [GG_LION] = lion};
  gg__moved d = *m;

  if (d.decay != 0 && u->how->decoupled) /* w (1 - rate decay) */
    d.w = gg_sub(d.w, gg_mul(gg__scaled(d.rate, d.decay), d.w));
  else if (d.decay != 0)
    d.grad = gg_add(d.grad, gg__scaled(d.w, d.decay));
  return formulas[u->how->kind](u, &d);
}
