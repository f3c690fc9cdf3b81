/* SPDX-License-Identifier: BSD-2-Clause */
/* Default updates of shared variables: each function that uses the variable
 * makes its update, unless the spec says otherwise. */
#include "func/func.h"
#include "func/request.h"

int gg_shared_set_update(gg_var *shared, gg_var *value) {
  char to[160], from[160];

  if (shared == NULL)
    return GA_VALUE_ERROR;
  if (shared->kind != GG_VAR_SHARED)
    return gg__fail(shared->graph, GA_VALUE_ERROR,
                    "default update: %s is not a shared variable",
                    shared->name);
  if (value != NULL && value->graph != shared->graph)
    return gg__fail(shared->graph, GA_VALUE_ERROR,
                    "default update of %s: the value is of another graph",
                    shared->name);
  if (value != NULL && !gg__type_fits(&value->type, &shared->type))
    return gg__fail(shared->graph, GA_VALUE_ERROR,
                    "default update of %s: %s cannot take %s", shared->name,
                    gg_type_text(&shared->type, to, sizeof to),
                    gg_type_text(&value->type, from, sizeof from));
  gg__graph_drop_kept(shared->graph);
  gg__set_update(shared, value);
  return GA_NO_ERROR;
}

/* --- what a function uses --- */

/* Marks of variables; bits. */
enum {
  IS_USED = 1,   /* gg__mark_used */
  IS_SETTLED = 2 /* its update is listed, or it gets none */
};

typedef struct finder {
  gg_graph *g;
  const gg_func_spec *spec;
  GA_VEC(gg_var *) roots;
  GA_VEC(gg_update) updates;
  unsigned char *marks; /* by id */
} finder;

static int add_roots(finder *f) {
  const gg_func_spec *s = f->spec;

  for (size_t i = 0; s->outputs != NULL && s->outputs[i] != NULL; i++)
    GA_TRY(ga__vec_push(&f->roots, s->outputs[i]));
  for (size_t i = 0; s->givens != NULL && s->givens[i].var != NULL; i++)
    GA_TRY(ga__vec_push(&f->roots, s->givens[i].by));
  for (size_t i = 0; i < f->updates.n; i++)
    GA_TRY(ga__vec_push(&f->roots, f->updates.v[i].value));
  return GA_NO_ERROR;
}

static int mark(finder *f) {
  f->roots.n = 0;
  GA_TRY(add_roots(f));
  for (size_t i = 0; i < f->roots.n; i++)
    if (f->roots.v[i] != NULL && f->roots.v[i]->graph != f->g)
      f->roots.v[i] = NULL; /* gg__request_check reports it */
  return gg__mark_used(f->marks, f->roots.n, f->roots.v);
}

/* gg__request_check reports variables of other graphs. */
static void settle(finder *f, const gg_var *v) {
  if (v->graph == f->g)
    f->marks[v->id] |= IS_SETTLED;
}

/* Read the updates of the spec, and the variables without default updates. */
static int read_spec(finder *f) {
  const gg_update *u = f->spec->updates;
  gg_var *const *no = f->spec->no_default_updates;

  for (; u != NULL && u->shared != NULL; u++) {
    GA_TRY(ga__vec_push(&f->updates, *u));
    settle(f, u->shared);
  }
  for (size_t i = 0; no != NULL && no[i] != NULL; i++) {
    if (gg__is_missing(no[i]))
      return ga__fail(GA_VALUE_ERROR,
                      "variable %zu without its default update is NULL", i);
    settle(f, no[i]);
  }
  return GA_NO_ERROR;
}

/* Add the default updates of variables that are used; *n is how many. */
static int add_updates(finder *f, size_t *n) {
  *n = 0;
  for (size_t i = 0; i < f->g->vars.n; i++) {
    gg_var *v = f->g->vars.v[i];
    if (f->marks[i] != IS_USED || v->kind != GG_VAR_SHARED || v->update == NULL)
      continue;
    settle(f, v);
    GA_TRY(ga__vec_push(&f->updates, ((gg_update){v, v->update})));
    ++*n;
  }
  return GA_NO_ERROR;
}

int gg__all_updates(gg_graph *g, const gg_func_spec *spec, gg_update **out) {
  finder f = {.g = g, .spec = spec};
  size_t more = g->has_updates && (spec->flags & GG_NO_DEFAULT_UPDATES) == 0;
  int err = GA_NO_ERROR;

  *out = NULL;
  f.marks = ga__calloc(g->vars.n + 1, 1);
  if (f.marks == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(read_spec(&f));
  /* The new values may use shared variables with further default updates. */
  while (more != 0) {
    GA_CHECK(mark(&f));
    GA_CHECK(add_updates(&f, &more));
  }
  GA_CHECK(ga__vec_push(&f.updates, ((gg_update){NULL, NULL})));
  *out = f.updates.v;
  f.updates.v = NULL;
done:
  ga__vec_clear(&f.roots);
  ga__free(f.updates.v);
  ga__free(f.marks);
  return err;
}
