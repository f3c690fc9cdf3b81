/* SPDX-License-Identifier: BSD-2-Clause */
/* Adding one graph to another, and finding variables by name. */
#include <string.h>

#include "text/spec.h"
#include "text/text.h"

gg_var *gg_graph_find(const gg_graph *g, const char *name) {
  if (name == NULL) {
    ga__fail(GA_VALUE_ERROR, "gg_graph_find: the name is NULL");
    return NULL;
  }
  for (size_t i = 0; g != NULL && name[0] != '\0' && i < g->vars.n; i++)
    if (strcmp(g->vars.v[i]->name, name) == 0)
      return g->vars.v[i];
  return NULL;
}

/* --- one graph into another --- */

/* Copy a spec to `g`, with the variables that `s` maps its variables to. */
static gg_func_spec *map_spec(gg_graph *g, const gg__subst *s,
                              const gg_func_spec *from) {
  gg_func_spec *spec = gg__spec_keep(g, from);

  for (size_t k = 0; spec != NULL && k < GG_SPEC_NAMES; k++) {
    gg_var **own = (gg_var **)gg__spec_get(spec, k); /* of the copy */
    for (size_t i = gg__spec_length(spec, k); i-- > 0;)
      own[i] = gg__subst_get(s, own[i]);
  }
  return spec;
}

/* Copy variables in the order of creation, so that the copies have the same
 * order. */
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

/* Contexts keep the names by which they were read. The names are in g's arena
 * already. */
static int adopt_labels(gg_graph *g, const gg_graph *from) {
  for (size_t i = 0; i < from->labels.names.n; i++) {
    const char *name = from->labels.names.v[i];
    if (gg__label_named(&g->labels, name) == NULL &&
        gg__label_add(&g->labels, name, gg__label_named(&from->labels, name)) !=
            GA_NO_ERROR)
      return gg__fail_nomem(g);
  }
  return GA_NO_ERROR;
}

/* What a graph had before another was added. Constants may get names from the
 * other graph. */
typedef struct before {
  size_t n_funcs, n_vars;
  GA_VEC(const char *) names;
} before;

static int keep_names(before *b, const gg_graph *g) {
  for (size_t i = 0; i < b->n_vars; i++)
    GA_TRY(ga__vec_push(&b->names, g->vars.v[i]->name));
  return GA_NO_ERROR;
}

static void go_back(const before *b, gg_graph *g) {
  gg__spec_drop(g, b->n_funcs);
  gg__graph_truncate(g, b->n_vars);
  for (size_t i = 0; i < b->names.n; i++)
    g->vars.v[i]->name = b->names.v[i];
}

/* Clone all variables and functions of `from`, or leave g as it is. */
static int adopt(gg_graph *g, const gg_graph *from) {
  before b = {.n_funcs = g->funcs.n, .n_vars = g->vars.n};
  gg__subst s;
  int err;

  gg__subst_init(&s, g);
  for (size_t i = 0; i < from->funcs.n; i++)
    GA_CHECK(gg__spec_check_name(g, from->funcs.v[i]->name));
  GA_CHECK(gg__fail_err(g, keep_names(&b, g)));
  GA_CHECK(adopt_vars(&s, from));
  for (size_t i = 0; i < from->funcs.n; i++)
    GA_CHECK(gg__spec_add(g, map_spec(g, &s, from->funcs.v[i])));
  GA_CHECK(adopt_labels(g, from));

done:
  if (err != GA_NO_ERROR)
    go_back(&b, g);
  ga__vec_clear(&b.names);
  gg__subst_clear(&s);
  return err;
}

int gg__graph_read(gg_graph *g, int (*read)(gg_graph *fresh, void *arg),
                   void *arg) {
  gg_graph *fresh = gg_graph_new(g->ctx);

  if (fresh == NULL)
    return gg__fail_nomem(g);
  int err = read(fresh, arg);
  err = err == GA_NO_ERROR
            ? adopt(g, fresh)
            : gg__fail(g, gg_graph_status(fresh), "%s", gg_graph_error(fresh));
  gg_graph_free(fresh);
  return err;
}

static int parse(gg_graph *fresh, void *reading) {
  return gg__text_parse(fresh, reading);
}

int gg_graph_parse(gg_graph *g, const char *name, const char *text,
                   size_t bytes) {
  return gg_graph_parse_with(g, name, text, bytes, NULL);
}

int gg_graph_parse_with(gg_graph *g, const char *name, const char *text,
                        size_t bytes, const gg_load_options *o) {
  gg__reading r = {.name = name, .text = text, .bytes = bytes, .into = g};

  if (o != NULL)
    r.o = *o;
  GA_TRY(gg_graph_status(g));
  if (name == NULL || text == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_graph_parse: the %s is NULL",
                    name == NULL ? "name" : "text");
  return gg__graph_read(g, parse, &r);
}
