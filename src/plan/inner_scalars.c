/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes inside of loops and choices may depend on scalars in arguments of the
 * call. Then the plan of the call depends on these scalars, too. */
#include "plan/looping.h"

/* The input of node `a` that is argument `i` of its inner graph. NULL for rows
 * and states of a loop, which differ from iteration to iteration. */
static const gg_var *outside(const gg_apply *a, unsigned int i) {
  if (a->op != &gg__op_scan)
    return a->in[i + 1];
  const gg__loop l = gg__loop_of(a);
  const unsigned int first = gg__body_fixed(&l, 0);
  return i >= first ? a->in[gg__loop_fixed(&l, i - first)] : NULL;
}

static int add_scalars(gg__program *p, const gg_apply *a,
                       const gg__program *inner) {
  for (size_t k = 0; k < inner->scalars.n; k++) {
    gg__scalar s = inner->scalars.v[k];
    const gg_var *v = outside(a, s.leaf);
    v = v != NULL ? gg__argument_of(v) : NULL;
    if (v == NULL) /* the host does not know it: calls fail */
      continue;
    s.value = GG_NONE;
    s.leaf = p->values.v[p->value_of[v->id]].leaf;
    GA_TRY(gg__add_scalar(p, s));
  }
  return GA_NO_ERROR;
}

int gg__add_inner_scalars(gg__program *p) {
  for (size_t k = 0; k < p->nodes.n; k++)
    for (int i = 0; i < 2; i++)
      if (p->nodes.v[k].inner[i] != NULL)
        GA_TRY(add_scalars(p, p->nodes.v[k].apply,
                           &p->nodes.v[k].inner[i]->program));
  return GA_NO_ERROR;
}
