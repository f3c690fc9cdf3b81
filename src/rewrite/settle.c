/* SPDX-License-Identifier: BSD-2-Clause */
/* Giving every value a context.
 *
 * Constants, sizes and what is computed from these alone have no context while
 * rules apply. Before fusion each gets one. Constants get a copy in every
 * context that uses them. Other values get the context of their last user, and
 * are transferred to users elsewhere. Transfers of scalars that the host knows
 * cost nothing (values.c). */
#include <gpuarray/device.h>

#include "rewrite/compiling.h"

typedef struct settler {
  gg__build *b;
  gg__order order;
  GA_VEC(gpucontext *) homes; /* by id of a former variable: its context */
  gg__subst subst;            /* former variables to new ones */
} settler;

/* The context of a result. */
static gpucontext *home_of_result(const gg__build *b, size_t k) {
  return k < b->homes.n ? b->homes.v[k] : gg_var_context(b->results.v[k]);
}

/* --- functions with a single context --- */

/* The only context of all variables that have one, and of the graph; NULL if
 * there are several. */
static gpucontext *only_context(const settler *s) {
  const gg__build *b = s->b;
  gpucontext *ctx = b->g->ctx;

  for (size_t k = 0; k < b->g->vars.n; k++)
    if (b->g->vars.v[k]->type.ctx != NULL && b->g->vars.v[k]->type.ctx != ctx)
      return NULL;
  for (size_t k = 0; k < b->results.n; k++)
    if (home_of_result(b, k) != ctx)
      return NULL;
  return ctx;
}

/* --- choosing contexts --- */

static gpucontext *home_of(const settler *s, const gg_var *v) {
  return v->type.ctx != NULL ? v->type.ctx : s->homes.v[v->id];
}

static void set_home(settler *s, const gg_var *v, gpucontext *ctx) {
  if (s->homes.v[v->id] == NULL)
    s->homes.v[v->id] = ctx;
}

/* The context of a node; all its outputs share it. */
static gpucontext *home_of_node(const settler *s, const gg_apply *a) {
  gpucontext *ctx = NULL;

  for (unsigned int i = 0; i < a->n_out && ctx == NULL; i++)
    ctx = home_of(s, a->out[i]);
  return ctx != NULL ? ctx : s->b->g->ctx;
}

/* Choose contexts from the results backwards, so that users come first. */
static int find_homes(settler *s) {
  const gg__build *b = s->b;

  for (size_t k = 0; k < b->g->vars.n; k++)
    GA_TRY(ga__vec_push(&s->homes, NULL));
  for (size_t k = 0; k < b->results.n; k++)
    set_home(s, b->results.v[k], home_of_result(b, k));
  for (size_t k = s->order.n; k-- > 0;) {
    const gg_apply *a = s->order.v[k];
    gpucontext *ctx = home_of_node(s, a);
    for (unsigned int i = 0; i < a->n_out; i++)
      set_home(s, a->out[i], ctx);
    for (unsigned int i = 0; i < a->n_in; i++)
      set_home(s, a->in[i], a->op->kind == GG_OP_TRANSFER ? b->g->ctx : ctx);
  }
  return GA_NO_ERROR;
}

/* --- building the nodes again --- */

/* The form of `v` that users in `ctx` need. */
static gg_var *bring(const settler *s, const gg_var *v, gpucontext *ctx) {
  return v->kind == GG_VAR_CONST
             ? gg__constant_in(v, ctx)
             : gg_transfer(gg__subst_get(&s->subst, v), ctx);
}

static int fail_bring(const settler *s) {
  return gg_graph_status(s->b->g) != GA_NO_ERROR ? gg_graph_status(s->b->g)
                                                 : GA_MEMORY_ERROR;
}

/* Must the value of input i be in the node's context? */
static int is_needed(const gg_apply *a, unsigned int i) {
  return a->op->kind != GG_OP_TRANSFER && !gg_apply_shape_only(a, i) &&
         !gg__number_only(a, i);
}

static int settle_node(settler *s, gg_apply *a) {
  const gg__site old = gg__site_mapped(&s->subst, a->out[0]);
  gpucontext *ctx = home_of_node(s, a);
  GA_VEC(gg_var *) in = {0};
  int err;

  for (unsigned int i = 0; i < a->n_in; i++) {
    gg_var *v = a->in[i];
    v = is_needed(a, i) || v->kind == GG_VAR_CONST
            ? bring(s, v, is_needed(a, i) ? ctx : home_of(s, v))
            : gg__subst_get(&s->subst, v);
    GA_CHECK(v != NULL ? GA_NO_ERROR : fail_bring(s));
    GA_CHECK(ga__vec_push(&in, v));
  }
  gg_var *v = gg_op_apply(s->b->g, a->op, a->props, a->n_in, in.v);
  GA_CHECK(v != NULL ? GA_NO_ERROR : fail_bring(s));
  for (unsigned int i = 0; i < a->n_out; i++) {
    v = v->owner->out[i];
    if (v->type.ctx == NULL)
      v->type.ctx = ctx;
    if (v->name[0] == '\0')
      gg_named(v, a->out[i]->name);
    GA_CHECK(gg__subst_put(&s->subst, a->out[i], v));
  }
done:
  s->b->g->from = old;
  ga__vec_clear(&in);
  return err;
}

/* Leaves stay as they are; bring() makes constants for each context. */
static int settle_leaves(settler *s) {
  const gg_graph *g = s->b->g;
  const size_t n = g->vars.n;

  for (size_t k = 0; k < n; k++)
    if (g->vars.v[k]->owner == NULL)
      GA_TRY(gg__subst_put(&s->subst, g->vars.v[k], g->vars.v[k]));
  return GA_NO_ERROR;
}

static int settle_all(settler *s) {
  gg__build *b = s->b;

  GA_TRY(find_homes(s));
  GA_TRY(settle_leaves(s));
  for (size_t k = 0; k < s->order.n; k++)
    GA_TRY(settle_node(s, s->order.v[k]));
  for (size_t k = 0; k < b->results.n; k++) {
    b->results.v[k] = bring(s, b->results.v[k], home_of_result(b, k));
    if (b->results.v[k] == NULL)
      return fail_bring(s);
  }
  return GA_NO_ERROR;
}

static void settle_here(gg_graph *g, gpucontext *ctx) {
  for (size_t k = 0; k < g->vars.n; k++)
    g->vars.v[k]->type.ctx = ctx;
}

/* A context may have been closed since the graph was built. */
static int check_alive(const gg_graph *g) {
  for (size_t k = 0; k < g->vars.n; k++) {
    const gg_var *v = g->vars.v[k];
    if (v->type.ctx != NULL && !gpucontext_alive(v->type.ctx))
      return ga__fail(GA_VALUE_ERROR, "%s is in a context that is gone",
                      v->name[0] != '\0' ? v->name : "a variable");
  }
  return GA_NO_ERROR;
}

int gg__settle(gg__build *b) {
  settler s = {.b = b};
  int err;

  GA_TRY(check_alive(b->g));
  gg__subst_init(&s.subst, b->g);
  gpucontext *ctx = only_context(&s);
  if (ctx != NULL) {
    settle_here(b->g, ctx);
    return GA_NO_ERROR;
  }
  GA_CHECK(gg__toposort(&s.order, b->results.n, b->results.v));
  GA_CHECK(settle_all(&s));
done:
  ga__vec_clear(&s.order);
  ga__vec_clear(&s.homes);
  gg__subst_clear(&s.subst);
  return err;
}
