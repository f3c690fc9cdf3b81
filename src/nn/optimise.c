/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimisers: their numbers, gradients, and lists of updates. */
#include <gpugraph/optimise.h>

#include <math.h>

#include "nn/updates.h"

/* --- PyTorch's defaults --- */

gg_optimiser gg_sgd(double rate) {
  return (gg_optimiser){.kind = GG_SGD, .rate = rate};
}

gg_optimiser gg_adam(double rate) {
  return (gg_optimiser){.kind = GG_ADAM,
                        .rate = rate,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .epsilon = 1e-8};
}

gg_optimiser gg_adam_w(double rate) {
  gg_optimiser o = gg_adam(rate);

  o.decoupled = 1;
  o.decay = 0.01;
  return o;
}

gg_optimiser gg_rmsprop(double rate) {
  return (gg_optimiser){
      .kind = GG_RMSPROP, .rate = rate, .alpha = 0.99, .epsilon = 1e-8};
}

gg_optimiser gg_adagrad(double rate) {
  return (gg_optimiser){.kind = GG_ADAGRAD, .rate = rate, .epsilon = 1e-10};
}

gg_optimiser gg_adadelta(double rate) {
  return (gg_optimiser){
      .kind = GG_ADADELTA, .rate = rate, .rho = 0.9, .epsilon = 1e-6};
}

gg_optimiser gg_lion(double rate) {
  return (gg_optimiser){.kind = GG_LION,
                        .rate = rate,
                        .decoupled = 1,
                        .beta1 = 0.9,
                        .beta2 = 0.99};
}

/* --- checks --- */

static int check_numbers(gg_graph *g, const gg_optimiser *o) {
  const double least = -HUGE_VAL, most = HUGE_VAL, below = 1 - 1e-12;
  const struct {
    const char *name;
    double v, lo, hi;
  } n[] = {{"rate", o->rate, 0, most},
           {"decay", o->decay, 0, most},
           {"momentum", o->momentum, 0, most},
           {"dampening", o->dampening, least, most},
           {"beta1", o->beta1, 0, below},
           {"beta2", o->beta2, 0, below},
           {"epsilon", o->epsilon, 0, most},
           {"alpha", o->alpha, 0, 1},
           {"rho", o->rho, 0, 1},
           {"rate_decay", o->rate_decay, 0, most},
           {"first_sum", o->first_sum, 0, most},
           {"clip_value", o->clip_value, 0, most},
           {"clip_norm", o->clip_norm, 0, most},
           {"scale", o->scale, 0, 0x1p127},
           {"average", o->average, 0, 1}};

  for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
    if (!isfinite(n[i].v) || n[i].v < n[i].lo || n[i].v > n[i].hi)
      return gg__nn_fail(g, "optimise", NULL, GA_VALUE_ERROR,
                         "the %s is %g, out of its range", n[i].name, n[i].v);
  if ((unsigned)o->kind > GG_LION)
    return gg__nn_fail(g, "optimise", NULL, GA_VALUE_ERROR,
                       "there is no optimiser %d", (int)o->kind);
  if (o->nesterov && (o->momentum == 0 || o->dampening != 0))
    return gg__nn_fail(g, "optimise", NULL, GA_VALUE_ERROR,
                       "nesterov needs a momentum, and no dampening");
  return GA_NO_ERROR;
}

static int check_rate(gg_graph *g, const gg_optimiser *o) {
  if (o->schedule == NULL)
    return GA_NO_ERROR;
  const gg_type *t = gg_var_type(o->schedule);
  if (t->nd == 0 && ga__dtype_kind(t->dtype) == GA_KIND_FLOAT)
    return GA_NO_ERROR;
  return gg__nn_fail(g, "optimise", o->schedule, GA_VALUE_ERROR,
                     "the schedule is no scalar of a float dtype");
}

/* --- counters --- */

/* The counter of a group, int64. */
static gg_var *counter(gg_params *p) {
  return gg__scalar_slot(p, "step", GA_LONG, 0);
}

gg_var *gg_params_step(gg_params *p) {
  return p != NULL ? gg_cast(counter(p), ga__dtype_work(p->root->dtype)) : NULL;
}

/* --- gradients --- */

gg_var *gg_clip_norm(gg_var **grad, unsigned int n, double max) {
  gg_var *sum = NULL;

  for (unsigned int i = 0; i < n; i++)
    if (grad[i] != NULL) {
      gg_var *part = gg_sum(gg_sqr(grad[i]));
      sum = sum == NULL ? part : gg_add(sum, part);
    }
  if (sum == NULL)
    return NULL;
  gg_graph *g = gg_var_graph(sum);
  if (!(max >= 0)) {
    gg__nn_fail(g, "clip_norm", sum, GA_VALUE_ERROR, "the norm is %g", max);
    return NULL;
  }
  gg_var *norm = gg_sqrt(sum);
  gg_var *by = gg_minimum(
      gg_div(gg_weak(g, max), gg_add(norm, gg_weak(g, 1e-6))), gg_weak(g, 1));
  for (unsigned int i = 0; i < n; i++)
    if (grad[i] != NULL)
      grad[i] = gg_mul(grad[i], by);
  return norm;
}

/* Gradients of the cost, or of the cost times the scale. */
static int differentiate(const gg__updates *u, gg_var *cost, unsigned int n,
                         gg_var *const *wrt, gg_var **grad) {
  if (u->scale == NULL)
    return gg_grad(grad, cost, n, wrt);
  gg_var *seed = gg_cast(u->scale, gg_var_type(cost)->dtype);
  return gg_grad_of(grad, &(gg_grad_spec){.n_wrt = n,
                                          .wrt = wrt,
                                          .n_known = 1,
                                          .known = &cost,
                                          .known_grad = &seed});
}

/* Gradients as they are worked with, clipped. */
static int gradients(gg__updates *u, gg_var *cost, unsigned int n,
                     gg_var *const *wrt, gg_var **grad) {
  const double value = u->how->clip_value;

  GA_TRY(differentiate(u, cost, n, wrt, grad));
  for (unsigned int i = 0; i < n; i++)
    grad[i] = gg_cast(grad[i], u->dtype);
  gg__collect(u, n, wrt, grad);
  for (unsigned int i = 0; i < n && value > 0; i++)
    grad[i] = gg_clip(grad[i], gg_weak(u->g, -value), gg_weak(u->g, value));
  if (u->how->clip_norm > 0)
    gg_clip_norm(grad, n, u->how->clip_norm);
  return gg_graph_status(u->g);
}

/* --- updates --- */

/* The mean of all values, or one that forgets; the first is the value. */
static void average(gg__updates *u, gg_var *v, gg_var *w) {
  if (u->how->average == 0)
    return;
  gg_var *slot = gg__slot(u, v, "average", 0),
         *one = gg_scalar(u->g, u->dtype, 1);
  gg_var *part = u->how->average == 1
                     ? gg_div(one, u->count)
                     : gg_where(gg_eq(u->count, one), one,
                                gg_scalar(u->g, u->dtype, 1 - u->how->average));
  gg__update(u, slot, gg_add(slot, gg_mul(part, gg_sub(w, slot))));
}

static void update_one(gg__updates *u, gg_var *v, gg_var *grad) {
  const gg__param e = *gg__params_entry(u->p, v); /* slots move the list */
  const gg__moved m = {.entry = &e,
                       .w = gg_cast(v, u->dtype),
                       .grad = grad,
                       .rate =
                           e.rate == 1 ? u->rate : gg__scaled(u->rate, e.rate),
                       .decay = isnan(e.decay) ? u->how->decay : e.decay};
  gg_var *w = gg__step_of(u, &m);

  gg__update(u, v, w);
  average(u, v, w);
}

static void update_states(gg__updates *u) {
  for (size_t i = 0; i < u->p->root->all.n; i++) {
    const gg__param *e = &u->p->root->all.v[i];
    if (e->next != NULL && gg__params_has(u->p, e->var))
      gg__update_always(u, e->var, e->next);
  }
}

static void make_updates(gg__updates *u, gg_var *cost, unsigned int n,
                         gg_var *const *wrt, gg_var **grad) {
  gg_var *steps = counter(u->p);

  u->t = gg_cast(steps, u->dtype);
  u->count = u->t != NULL ? gg_add(u->t, gg_scalar(u->g, u->dtype, 1)) : NULL;
  u->rate = u->how->schedule != NULL ? gg_cast(u->how->schedule, u->dtype)
                                     : gg_scalar(u->g, u->dtype, u->how->rate);
  u->scale = u->how->scale > 0
                 ? gg__scalar_slot(u->p, "scale", u->dtype, u->how->scale)
                 : NULL;
  if (gradients(u, cost, n, wrt, grad) != GA_NO_ERROR || u->count == NULL)
    return;
  for (unsigned int i = 0; i < n; i++)
    update_one(u, wrt[i], grad[i]);
  update_states(u);
  gg__update(u, steps, gg_add(steps, gg_i64(u->g, 1)));
}

/* End the list and give it to the group. */
static const gg_update *lend(gg__updates *u) {
  const gg_update end = {NULL, NULL};
  int err = gg_graph_status(u->g);

  if (err == GA_NO_ERROR)
    err = ga__vec_push(&u->list, end);
  if (err == GA_NO_ERROR)
    err = ga__vec_push(&u->p->root->updates, u->list.v);
  if (err == GA_NO_ERROR)
    return u->list.v;
  ga__vec_clear(&u->list);
  gg__nn_fail(u->g, "optimise", NULL, err, "out of host memory");
  return NULL;
}

/* The trained parameters, copied: making slots may not change the list. */
static unsigned int count_trained(gg_var *const *wrt) {
  unsigned int n = 0;

  while (wrt != NULL && wrt[n] != NULL)
    n++;
  return n;
}

const gg_update *gg_optimise(gg_params *p, gg_var *cost,
                             const gg_optimiser *how) {
  if (p == NULL || cost == NULL || how == NULL) {
    if (p != NULL)
      gg__nn_fail(p->root->g, "optimise", cost, GA_VALUE_ERROR,
                  "the %s is NULL", how == NULL ? "optimiser" : "cost");
    return NULL;
  }
  gg__updates u = {.p = p,
                   .how = how,
                   .g = p->root->g,
                   .dtype = ga__dtype_work(p->root->dtype)};
  if (gg_graph_status(u.g) != GA_NO_ERROR ||
      check_numbers(u.g, how) != GA_NO_ERROR ||
      check_rate(u.g, how) != GA_NO_ERROR)
    return NULL;
  gg_var *const *wrt = gg_params_trained(p);
  const unsigned int n = count_trained(wrt);
  gg_var **grad = ga__calloc(n + 1u, sizeof(gg_var *));
  if (n == 0 || grad == NULL)
    gg__nn_fail(u.g, "optimise", cost,
                grad == NULL ? GA_MEMORY_ERROR : GA_VALUE_ERROR,
                grad == NULL ? "out of host memory"
                             : "the group has no parameters to train");
  else
    make_updates(&u, cost, n, wrt, grad);
  ga__free(grad);
  return lend(&u);
}
