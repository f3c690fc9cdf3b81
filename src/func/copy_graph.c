/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of the graph that a request names, and of the graph that is left after
 * rewriting, to graphs of their own. */
#include "func/request.h"

/* --- the part of the user's graph that a request names --- */

typedef GA_VEC(gg_var *) var_list;

/* Copies of variables, without givens (`plain`) and with givens replaced
 * (`given`). The replacements are plain copies, so that they may depend on the
 * variables that they replace. */
typedef struct copier {
  const gg__request *r;
  gg__build *b;
  gg__subst plain, given;
} copier;

static int put_both(copier *c, const gg_var *from, gg_var *to) {
  if (to == NULL)
    return gg_graph_status(c->b->g);
  GA_TRY(gg__subst_put(&c->plain, from, to));
  return gg__subst_put(&c->given, from, to);
}

static int copy_leaf(copier *c, const gg_var *v) {
  if (v->owner != NULL || gg__subst_get(&c->plain, v) != NULL)
    return GA_NO_ERROR;
  return put_both(c, v, gg__clone_leaf(c->b->g, v));
}

/* List outputs, updates, and the replacements of givens. */
static int list_roots(const gg__request *r, var_list *out) {
  const gg_func_spec *spec = r->spec;

  for (size_t i = 0; i < r->n_outputs; i++)
    GA_TRY(ga__vec_push(out, spec->outputs[i]));
  for (size_t i = 0; i < r->n_updates; i++) {
    GA_TRY(ga__vec_push(out, spec->updates[i].shared));
    GA_TRY(ga__vec_push(out, spec->updates[i].value));
  }
  for (size_t i = 0; i < r->n_givens; i++)
    GA_TRY(ga__vec_push(out, spec->givens[i].by));
  return GA_NO_ERROR;
}

/* Copy each leaf once. Inputs come first. */
static int copy_leaves(copier *c) {
  var_list roots = {NULL, 0, 0};
  gg__order order = {NULL, 0, 0};
  gg_var *const *in = c->r->spec->inputs;
  int err;

  for (size_t i = 0; i < c->r->n_inputs; i++) {
    GA_CHECK(copy_leaf(c, in[i]));
    GA_CHECK(ga__vec_push(&c->b->inputs, gg__subst_get(&c->plain, in[i])));
  }
  GA_CHECK(list_roots(c->r, &roots));
  GA_CHECK(gg__toposort(&order, roots.n, roots.v));
  for (size_t i = 0; i < order.n; i++)
    for (unsigned int k = 0; k < order.v[i]->n_in; k++)
      GA_CHECK(copy_leaf(c, order.v[i]->in[k]));
  for (size_t i = 0; i < roots.n; i++)
    GA_CHECK(copy_leaf(c, roots.v[i]));
done:
  ga__vec_clear(&roots);
  ga__vec_clear(&order);
  return err;
}

static int copy_givens(copier *c) {
  const gg_given *v = c->r->spec->givens;

  for (size_t i = 0; i < c->r->n_givens; i++) {
    gg_var *by = gg__subst_apply(&c->plain, v[i].by);
    if (by == NULL)
      return gg_graph_status(c->b->g);
    GA_TRY(gg__subst_put(&c->given, v[i].var, by));
  }
  return GA_NO_ERROR;
}

/* The result belongs in the context of `like`. */
static int copy_result(copier *c, gg_var *v, const gg_var *like) {
  gg_var *copy = gg__subst_apply(&c->given, v);

  if (copy == NULL)
    return gg_graph_status(c->b->g);
  GA_TRY(ga__vec_push(&c->b->homes, gg_var_context(like)));
  return ga__vec_push(&c->b->results, copy);
}

static int copy_results(copier *c) {
  const gg_func_spec *spec = c->r->spec;

  for (size_t i = 0; i < c->r->n_outputs; i++)
    GA_TRY(copy_result(c, spec->outputs[i], spec->outputs[i]));
  c->b->n_outputs = c->r->n_outputs;
  for (size_t i = 0; i < c->r->n_updates; i++) {
    gg_var *target = gg__subst_get(&c->plain, spec->updates[i].shared);
    GA_TRY(ga__vec_push(&c->b->targets, target));
    GA_TRY(copy_result(c, spec->updates[i].value, spec->updates[i].shared));
  }
  return GA_NO_ERROR;
}

int gg__copy_graph(gg__build *b, const gg__request *r) {
  copier c = {.r = r, .b = b};
  int err;

  gg__subst_init(&c.plain, b->g);
  gg__subst_init(&c.given, b->g);
  GA_CHECK(copy_leaves(&c));
  GA_CHECK(copy_givens(&c));
  GA_CHECK(copy_results(&c));
done:
  gg__subst_clear(&c.plain);
  gg__subst_clear(&c.given);
  return err;
}

/* --- inner graphs --- */

int gg__copy_inner(gg__build *b, const gg__inner *x, unsigned int first,
                   unsigned int n) {
  gg__subst s;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, b->g);
  for (unsigned int i = 0; i < x->n_in; i++) {
    gg_var *v = gg__clone_leaf(b->g, x->in[i]);
    GA_CHECK(v != NULL ? gg__subst_put(&s, x->in[i], v) : GA_MEMORY_ERROR);
    GA_CHECK(ga__vec_push(&b->inputs, v));
  }
  for (unsigned int i = first; i < first + n; i++) {
    gg_var *v = gg__subst_apply(&s, x->out[i]);
    GA_CHECK(v != NULL ? ga__vec_push(&b->results, v) : gg_graph_status(b->g));
  }
  b->n_outputs = n;
done:
  gg__subst_clear(&s);
  return err;
}

/* --- the graph after rewriting --- */

static int move_all(gg__subst *s, gg_var **v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    v[i] = gg__subst_apply(s, v[i]);
    if (v[i] == NULL)
      return gg_graph_status(s->g);
  }
  return GA_NO_ERROR;
}

int gg__compact(gg__build *b) {
  gg_graph *g = gg__graph_beside(b->g, b->g->ctx);
  gg__subst s;

  if (g == NULL)
    return ga__fail_nomem();
  gg__subst_init(&s, g);
  int err = move_all(&s, b->inputs.v, b->inputs.n);
  if (err == GA_NO_ERROR)
    err = move_all(&s, b->targets.v, b->targets.n);
  if (err == GA_NO_ERROR)
    err = move_all(&s, b->results.v, b->results.n);
  gg__subst_clear(&s);
  /* Also on failure: the new graph has the message. */
  gg_graph_free(b->g);
  b->g = g;
  return err;
}
