/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients summed over calls, and the scale of the cost for narrow floats. All
 * of it is on the device: a call that makes no step writes back what was
 * there. */
#include "nn/updates.h"

gg_var *gg_params_scale(const gg_params *p) {
  return p != NULL ? gg__find_slot(p, p->prefix, "scale") : NULL;
}

/* Whether both hold; each may be NULL. */
static gg_var *both(gg_var *a, gg_var *b) {
  return a != NULL && b != NULL ? gg_and(a, b) : a != NULL ? a : b;
}

/* Whether all elements of the gradients are finite. */
static gg_var *are_finite(unsigned int n, gg_var *const *grad) {
  gg_var *all = NULL;

  for (unsigned int i = 0; i < n; i++)
    all = both(all, gg_reduce(GG_ALL_OF, gg_isfinite(grad[i]), 0, NULL, 0));
  return all;
}

/* Whether this call is the last of `how->accumulate`; counts it. */
static gg_var *is_last(gg__updates *u) {
  gg_var *calls = gg__scalar_slot(u->p, "calls", GA_LONG, 0);
  gg_var *next =
      gg_mod(gg_add(calls, gg_i64(u->g, 1)), gg_i64(u->g, u->how->accumulate));

  gg__update_always(u, calls, next);
  return gg_eq(next, gg_i64(u->g, 0));
}

/* Sum the gradients over calls; they become the means. */
static void sum_up(gg__updates *u, unsigned int n, gg_var *const *wrt,
                   gg_var **grad, gg_var *last) {
  for (unsigned int i = 0; i < n; i++) {
    gg_var *slot = gg__slot(u, wrt[i], "accumulated", 0);
    gg_var *sum = gg_add(slot, grad[i]);
    gg__update_always(u, slot, gg_where(last, gg_zeros_like(sum), sum));
    grad[i] = gg__scaled(sum, 1.0 / u->how->accumulate);
  }
}

/* Halve the scale after a step that is not finite, and double it after enough
 * that are. It stays a normal number of float32. */
static void move_scale(gg__updates *u, gg_var *finite, gg_var *last) {
  const unsigned int every =
      u->how->scale_every > 0 ? u->how->scale_every : 2000;
  gg_graph *g = u->g;
  gg_var *good = gg__scalar_slot(u->p, "good", GA_LONG, 0),
         *zero = gg_i64(g, 0);
  gg_var *next = gg_mod(gg_add(good, gg_i64(g, 1)), gg_i64(g, every));
  gg_var *more = gg_minimum(gg__scaled(u->scale, 2),
                            gg_scalar(g, u->dtype, 0x1p126)),
         *less = gg_maximum(gg__scaled(u->scale, 0.5),
                            gg_scalar(g, u->dtype, 0x1p-126));
  gg_var *scale =
      gg_where(finite, gg_where(gg_eq(next, zero), more, u->scale), less);

  next = gg_where(finite, next, zero);
  gg__update_always(u, good, last != NULL ? gg_where(last, next, good) : next);
  gg__update_always(u, u->scale,
                    last != NULL ? gg_where(last, scale, u->scale) : scale);
}

void gg__collect(gg__updates *u, unsigned int n, gg_var *const *wrt,
                 gg_var **grad) {
  gg_var *last = u->how->accumulate > 1 ? is_last(u) : NULL, *finite = NULL;

  for (unsigned int i = 0; i < n && u->scale != NULL; i++)
    grad[i] = gg_div(grad[i], u->scale);
  if (last != NULL)
    sum_up(u, n, wrt, grad, last);
  if (u->scale != NULL) {
    finite = are_finite(n, grad);
    move_scale(u, finite, last);
  }
  u->gate = both(last, finite);
}
