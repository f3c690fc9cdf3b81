/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a graph: their specs, found by name. */
#include "text/spec.h"

#include <stddef.h>

#include <gpugraph/save.h>

const gg__spec_list gg__spec_lists[GG_SPEC_LISTS] = {
    {"", offsetof(gg_func_spec, inputs), 1},
    {"->", offsetof(gg_func_spec, outputs), 1},
    {"update", offsetof(gg_func_spec, updates), 2},
    {"given", offsetof(gg_func_spec, givens), 2},
    {"no_update", offsetof(gg_func_spec, no_default_updates), 1},
    {"mutable", offsetof(gg_func_spec, mutable_inputs), 1},
    {"borrow", offsetof(gg_func_spec, borrowed_outputs), 1},
    {"strict", offsetof(gg_func_spec, strict_inputs), 1},
    {"downcast", offsetof(gg_func_spec, downcast_inputs), 1},
    {"include", offsetof(gg_func_spec, include), 1},
    {"exclude", offsetof(gg_func_spec, exclude), 1}};

size_t gg__spec_length(const gg_func_spec *s, size_t k) {
  const size_t width = gg__spec_lists[k].width;
  const void *list = gg__spec_get(s, k);
  size_t n = 0;

  if (list == NULL)
    return 0;
  if (k >= GG_SPEC_NAMES)
    while (((const char *const *)list)[n] != NULL)
      n++;
  else
    while (((gg_var *const *)list)[n] != NULL)
      n += width;
  return n;
}

/* Copy list k, with its final NULL, to the arena. 0 when out of memory. */
static int keep_list(gg_graph *g, gg_func_spec *s, size_t k) {
  const size_t n = gg__spec_length(s, k);
  void *copy = ga__arena_alloc(&g->arena,
                               (n + gg__spec_lists[k].width) * sizeof(void *));

  if (copy == NULL)
    return 0;
  if (n != 0)
    memcpy(copy, gg__spec_get(s, k), n * sizeof(void *));
  gg__spec_set(s, k, copy);
  const char **names = copy;
  for (size_t i = 0; k >= GG_SPEC_NAMES && i < n; i++) {
    names[i] = ga__arena_strdup(&g->arena, names[i]);
    if (names[i] == NULL)
      return 0;
  }
  return 1;
}

gg_func_spec *gg__spec_keep(gg_graph *g, const gg_func_spec *s) {
  gg_func_spec *k = ga__arena_dup(&g->arena, s, sizeof *s);

  if (k == NULL)
    return NULL;
  k->trace = NULL;
  k->name = ga__arena_strdup(&g->arena, s->name);
  int is_kept = k->name != NULL;
  for (size_t i = 0; i < GG_SPEC_LISTS; i++)
    is_kept = is_kept && keep_list(g, k, i);
  return is_kept ? k : NULL;
}

static int check_list(gg_graph *g, const gg_func_spec *s, size_t k) {
  const size_t n = gg__spec_length(s, k);
  const char *const *names = gg__spec_get(s, k);
  gg_var *const *vars = gg__spec_get(s, k);
  const int has_names = k >= GG_SPEC_NAMES;

  for (size_t i = 0; i < n; i++) {
    if (has_names && gg__is_missing(names[i]))
      return gg__fail(g, GA_VALUE_ERROR, "function %s: name %zu to %s is NULL",
                      s->name, i, gg__spec_lists[k].clause);
    if (!has_names && (vars[i] == NULL || vars[i]->graph != g))
      return gg__fail(g, GA_VALUE_ERROR,
                      "function %s: a variable is missing or belongs to "
                      "another graph",
                      s->name);
  }
  return GA_NO_ERROR;
}

int gg__spec_check_name(gg_graph *g, const char *name) {
  if (name == NULL || name[0] == '\0')
    return gg__fail(g, GA_VALUE_ERROR, "a function needs a name");
  if (gg_graph_func(g, name) != NULL)
    return gg__fail(g, GA_VALUE_ERROR, "there is a function %s already", name);
  return GA_NO_ERROR;
}

int gg__spec_add(gg_graph *g, gg_func_spec *kept) {
  if (kept != NULL && ga__vec_push(&g->funcs, kept) == GA_NO_ERROR) {
    if (ga__map_put(&g->func_names, kept->name, strlen(kept->name), kept) ==
        GA_NO_ERROR)
      return GA_NO_ERROR;
    g->funcs.n--;
  }
  return gg__fail_nomem(g);
}

void gg__spec_drop(gg_graph *g, size_t n) {
  while (g->funcs.n > n) {
    const char *name = g->funcs.v[--g->funcs.n]->name;

    ga__map_remove(&g->func_names, name, strlen(name));
  }
}

int gg_graph_add_func(gg_graph *g, const gg_func_spec *spec) {
  GA_TRY(gg_graph_status(g));
  if (spec == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_graph_add_func: the spec is NULL");
  GA_TRY(gg__spec_check_name(g, spec->name));
  for (size_t k = 0; k < GG_SPEC_LISTS; k++)
    GA_TRY(check_list(g, spec, k));
  return gg__spec_add(g, gg__spec_keep(g, spec));
}

const gg_func_spec *gg_graph_func_at(const gg_graph *g, size_t i) {
  return g != NULL && i < g->funcs.n ? g->funcs.v[i] : NULL;
}

const gg_func_spec *gg_graph_func(const gg_graph *g, const char *name) {
  if (name == NULL)
    ga__fail(GA_VALUE_ERROR, "gg_graph_func: the name is NULL");
  return g != NULL && name != NULL
             ? ga__map_get(&g->func_names, name, strlen(name))
             : NULL;
}
