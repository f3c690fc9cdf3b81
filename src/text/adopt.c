/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions by name, variables by name, and one graph into another. */
#include <string.h>

#include "text/text.h"

#include <gpugraph/save.h>

/* --- functions --- */

static size_t count_updates(const gg_update *list) {
  size_t n = 0;

  while (list != NULL && list[n].shared != NULL)
    n++;
  return n;
}

static size_t count_givens(const gg_given *list) {
  size_t n = 0;

  while (list != NULL && list[n].var != NULL)
    n++;
  return n;
}

static size_t count_names(const char *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

/* A list with its end, in the arena; NULL when memory is out. */
static void *keep(gg_graph *g, const void *list, size_t n, size_t size) {
  char *copy = ga__arena_alloc(&g->arena, (n + 1) * size);

  if (copy != NULL && n != 0)
    memcpy(copy, list, n * size);
  return copy;
}

static gg_var *const *keep_vars(gg_graph *g, gg_var *const *list) {
  return keep(g, list, gg__list_length(list), sizeof *list);
}

static const char *const *keep_names(gg_graph *g, const char *const *list) {
  const size_t n = count_names(list);
  const char **copy = keep(g, list, n, sizeof *list);

  for (size_t i = 0; copy != NULL && i < n; i++) {
    copy[i] = ga__arena_strdup(&g->arena, list[i]);
    if (copy[i] == NULL)
      return NULL;
  }
  return copy;
}

/* All of it but the trace, which is the caller's file. */
static gg_func_spec *keep_spec(gg_graph *g, const gg_func_spec *s) {
  gg_func_spec *k = ga__arena_dup(&g->arena, s, sizeof *s);

  if (k == NULL)
    return NULL;
  k->trace = NULL;
  k->name = ga__arena_strdup(&g->arena, s->name);
  k->inputs = keep_vars(g, s->inputs);
  k->outputs = keep_vars(g, s->outputs);
  k->updates =
      keep(g, s->updates, count_updates(s->updates), sizeof *s->updates);
  k->givens = keep(g, s->givens, count_givens(s->givens), sizeof *s->givens);
  k->no_default_updates = keep_vars(g, s->no_default_updates);
  k->mutable_inputs = keep_vars(g, s->mutable_inputs);
  k->borrowed_outputs = keep_vars(g, s->borrowed_outputs);
  k->strict_inputs = keep_vars(g, s->strict_inputs);
  k->downcast_inputs = keep_vars(g, s->downcast_inputs);
  k->include = keep_names(g, s->include);
  k->exclude = keep_names(g, s->exclude);
  if (k->name == NULL || k->inputs == NULL || k->outputs == NULL ||
      k->updates == NULL || k->givens == NULL ||
      k->no_default_updates == NULL || k->mutable_inputs == NULL ||
      k->borrowed_outputs == NULL || k->strict_inputs == NULL ||
      k->downcast_inputs == NULL || k->include == NULL || k->exclude == NULL)
    return NULL;
  return k;
}

static int is_foreign(const gg_graph *g, const gg_var *v) {
  return v == NULL || v->graph != g;
}

static int are_foreign(const gg_graph *g, gg_var *const *list) {
  int bad = 0;

  for (size_t i = 0; list != NULL && list[i] != NULL; i++)
    bad |= is_foreign(g, list[i]);
  return bad;
}

static int check_vars(gg_graph *g, const gg_func_spec *s) {
  int bad =
      are_foreign(g, s->inputs) | are_foreign(g, s->outputs) |
      are_foreign(g, s->no_default_updates) |
      are_foreign(g, s->mutable_inputs) | are_foreign(g, s->borrowed_outputs) |
      are_foreign(g, s->strict_inputs) | are_foreign(g, s->downcast_inputs);

  for (size_t i = 0, n = count_updates(s->updates); i < n; i++)
    bad |= is_foreign(g, s->updates[i].shared) ||
           is_foreign(g, s->updates[i].value);
  for (size_t i = 0, n = count_givens(s->givens); i < n; i++)
    bad |= is_foreign(g, s->givens[i].var) || is_foreign(g, s->givens[i].by);
  return !bad ? GA_NO_ERROR
              : gg__fail(g, GA_VALUE_ERROR,
                         "function %s: a variable is missing or belongs to "
                         "another graph",
                         s->name);
}

static int check_names(gg_graph *g, const gg_func_spec *s, const char *what,
                       const char *const *list) {
  for (size_t i = 0; list != NULL && list[i] != NULL; i++)
    if (gg__is_missing(list[i]))
      return gg__fail(g, GA_VALUE_ERROR, "function %s: name %zu to %s is NULL",
                      s->name, i, what);
  return GA_NO_ERROR;
}

static int check_name(gg_graph *g, const char *name) {
  if (name == NULL || name[0] == '\0')
    return gg__fail(g, GA_VALUE_ERROR, "a function needs a name");
  if (gg_graph_func(g, name) != NULL)
    return gg__fail(g, GA_VALUE_ERROR, "there is a function %s already", name);
  return GA_NO_ERROR;
}

/* `kept` may be NULL: memory was out. */
static int list_func(gg_graph *g, gg_func_spec *kept) {
  if (kept != NULL && ga__vec_push(&g->funcs, kept) == GA_NO_ERROR) {
    if (ga__map_put(&g->func_names, kept->name, strlen(kept->name), kept) ==
        GA_NO_ERROR)
      return GA_NO_ERROR;
    g->funcs.n--;
  }
  return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
}

static void unlist_funcs(gg_graph *g, size_t n) {
  while (g->funcs.n > n) {
    const char *name = g->funcs.v[--g->funcs.n]->name;

    ga__map_remove(&g->func_names, name, strlen(name));
  }
}

int gg_graph_add_func(gg_graph *g, const gg_func_spec *spec) {
  GA_TRY(gg_graph_status(g));
  GA_TRY(check_name(g, spec->name));
  GA_TRY(check_vars(g, spec));
  GA_TRY(check_names(g, spec, "include", spec->include));
  GA_TRY(check_names(g, spec, "exclude", spec->exclude));
  return list_func(g, keep_spec(g, spec));
}

const gg_func_spec *gg_graph_func_at(const gg_graph *g, size_t i) {
  return g != NULL && i < g->funcs.n ? g->funcs.v[i] : NULL;
}

const gg_func_spec *gg_graph_func(const gg_graph *g, const char *name) {
  return g != NULL ? ga__map_get(&g->func_names, name, strlen(name)) : NULL;
}

gg_var *gg_graph_find(const gg_graph *g, const char *name) {
  for (size_t i = 0; g != NULL && name[0] != '\0' && i < g->vars.n; i++)
    if (strcmp(g->vars.v[i]->name, name) == 0)
      return g->vars.v[i];
  return NULL;
}

/* --- one graph into another --- */

static void map_vars(const gg__subst *s, gg_var *const *list) {
  gg_var **own = (gg_var **)list; /* a list of the spec's copy */

  for (size_t i = 0; own[i] != NULL; i++)
    own[i] = gg__subst_get(s, own[i]);
}

/* The spec in `g`; its variables are mapped. */
static gg_func_spec *map_spec(gg_graph *g, const gg__subst *s,
                              const gg_func_spec *from) {
  gg_func_spec *k = keep_spec(g, from);

  if (k == NULL)
    return NULL;
  map_vars(s, k->inputs);
  map_vars(s, k->outputs);
  map_vars(s, k->no_default_updates);
  map_vars(s, k->mutable_inputs);
  map_vars(s, k->borrowed_outputs);
  map_vars(s, k->strict_inputs);
  map_vars(s, k->downcast_inputs);
  for (gg_update *u = (gg_update *)k->updates; u->shared != NULL; u++)
    *u = (gg_update){gg__subst_get(s, u->shared), gg__subst_get(s, u->value)};
  for (gg_given *v = (gg_given *)k->givens; v->var != NULL; v++)
    *v = (gg_given){gg__subst_get(s, v->var), gg__subst_get(s, v->by)};
  return k;
}

/* In the order of creation, so that the copy has the same. */
static int adopt_vars(gg__subst *s, const gg_graph *from) {
  for (size_t i = 0; i < from->vars.n; i++)
    if (gg__subst_apply(s, from->vars.v[i]) == NULL)
      return gg_graph_status(s->g);
  for (size_t i = 0; i < from->vars.n; i++)
    if (from->vars.v[i]->update != NULL)
      gg__set_update(gg__subst_get(s, from->vars.v[i]),
                     gg__subst_get(s, from->vars.v[i]->update));
  return GA_NO_ERROR;
}

/* Contexts keep the names that they were read by; their text is in g's arena
 * already. */
static int adopt_labels(gg_graph *g, const gg_graph *from) {
  for (size_t i = 0; i < from->labels.names.n; i++) {
    const char *name = from->labels.names.v[i];
    if (gg__label_named(&g->labels, name) == NULL &&
        gg__label_add(&g->labels, name, gg__label_named(&from->labels, name)) !=
            GA_NO_ERROR)
      return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
  }
  return GA_NO_ERROR;
}

int gg__graph_adopt(gg_graph *g, const gg_graph *from) {
  const size_t n_funcs = g->funcs.n;
  gg__subst s;
  int err;

  gg__subst_init(&s, g);
  for (size_t i = 0; i < from->funcs.n; i++)
    GA_CHECK(check_name(g, from->funcs.v[i]->name));
  GA_CHECK(adopt_labels(g, from));
  GA_CHECK(adopt_vars(&s, from));
  for (size_t i = 0; i < from->funcs.n; i++)
    GA_CHECK(list_func(g, map_spec(g, &s, from->funcs.v[i])));

done:
  if (err != GA_NO_ERROR)
    unlist_funcs(g, n_funcs);
  gg__subst_clear(&s);
  return err;
}

int gg__graph_take_error(gg_graph *g, const gg_graph *from) {
  return gg__fail(g, gg_graph_status(from), "%s", gg_graph_error(from));
}

int gg_graph_parse(gg_graph *g, const char *name, const char *text,
                   size_t bytes) {
  return gg_graph_parse_in(g, name, text, bytes, NULL);
}

int gg_graph_parse_in(gg_graph *g, const char *name, const char *text,
                      size_t bytes, const gg_context_name *contexts) {
  const gg__reading r = {.name = name,
                         .text = text,
                         .bytes = bytes,
                         .contexts = contexts,
                         .into = g};

  GA_TRY(gg_graph_status(g));
  if (name == NULL || text == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_graph_parse: the %s is NULL",
                    name == NULL ? "name" : "text");
  gg_graph *fresh = gg_graph_new(g->ctx);
  if (fresh == NULL)
    return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
  int err = gg__text_parse(fresh, &r);
  err = err == GA_NO_ERROR ? gg__graph_adopt(g, fresh)
                           : gg__graph_take_error(g, fresh);
  gg_graph_free(fresh);
  return err;
}
