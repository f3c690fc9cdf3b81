/* SPDX-License-Identifier: BSD-2-Clause */
/* Lowering: macros become compositions of other ops, ops that do not support
 * narrow floats get float32, and indices that no kernel checks get one. */
#include "ops/ops.h"
#include "rewrite/rw_bounds.h"

/* Map the outputs of `old` to the composition for `a`, the same macro on
 * lowered inputs. */
static int lower_node(gg__subst *s, const gg_apply *old, gg_apply *a) {
  const gg__site before = gg__site_lowered(s, old->out[0], a);
  GA_VEC(gg_var *) out = {0};
  int err;

  for (unsigned int i = 0; i < a->n_out; i++)
    GA_CHECK(ga__vec_push(&out, NULL));
  gpuarray_clear_error();
  if (s->g->guards_indices)
    a = gg__with_index_guard(a);
  GA_CHECK(a->op->lower(a, out.v));
  GA_CHECK(gg_graph_status(s->g));
  for (unsigned int i = 0; i < a->n_out; i++) {
    if (out.v[i] == NULL)
      GA_CHECK(gg__fail(s->g, GA_IMPL_ERROR, "%s: output %u was not lowered",
                        a->op->name, i));
    if (out.v[i]->name[0] == '\0' && old->out[i]->name[0] != '\0')
      gg_named(out.v[i], old->out[i]->name);
    GA_CHECK(gg__subst_put(s, old->out[i], out.v[i]));
  }
done:
  s->g->from = before;
  ga__vec_clear(&out);
  return err;
}

/* Map the outputs of `old` to those of `a`, the same node on lowered inputs,
 * with its indices checked. */
static int guard_node(gg__subst *s, const gg_apply *old, gg_apply *a) {
  a = gg__with_index_guard(a);
  GA_TRY(gg_graph_status(s->g));
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(gg__subst_put(s, old->out[i], a->out[i]));
  return GA_NO_ERROR;
}

static int needs_guard(const gg_graph *g, const gg_apply *a) {
  return g->guards_indices && gg__lacks_index_guard(a);
}

static int is_low(const gg_graph *g, const gg_apply *a) {
  return a->op->kind != GG_OP_MACRO && !gg__needs_floats(a) &&
         !needs_guard(g, a);
}

static int visit(gg__subst *s, gg_apply *a) {
  gg_var *v = gg__subst_apply(s, a->out[0]);

  if (v == NULL)
    return gg_graph_status(s->g);
  if (is_low(s->g, a))
    return GA_NO_ERROR;
  if (needs_guard(s->g, a))
    return guard_node(s, a, v->owner);
  return gg__needs_floats(a) ? gg__use_floats(s, a, v->owner)
                             : lower_node(s, a, v->owner);
}

int gg__replace_results(gg__build *b, gg__subst *s) {
  for (size_t i = 0; i < b->results.n; i++) {
    b->results.v[i] = gg__subst_apply(s, b->results.v[i]);
    if (b->results.v[i] == NULL)
      return gg_graph_status(b->g);
  }
  return GA_NO_ERROR;
}

/* Lower all macros; *found becomes 0 if there are none. */
static int lower_once(gg__build *b, int *found) {
  gg__order order = {0};
  gg__subst s;
  size_t i;
  int err;

  gg__subst_init(&s, b->g);
  GA_CHECK(gg__toposort(&order, b->results.n, b->results.v));
  for (i = 0; i < order.n && is_low(b->g, order.v[i]); i++)
    ;
  *found = i < order.n;
  for (i = 0; i < order.n && *found; i++)
    GA_CHECK(visit(&s, order.v[i]));
  if (*found)
    GA_CHECK(gg__replace_results(b, &s));
done:
  ga__vec_clear(&order);
  gg__subst_clear(&s);
  return err;
}

int gg__lower(gg__build *b) {
  int found;

  /* Compositions may contain macros. */
  do
    GA_TRY(lower_once(b, &found));
  while (found);
  return GA_NO_ERROR;
}
