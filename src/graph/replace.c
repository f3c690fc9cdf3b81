/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacing variables in expressions. */
#include <gpugraph/replace.h>

#include "graph/graph.h"

/* Check given `i`, for variables of `from`. The givens before it are in `s`. */
static int check_given(const gg__subst *s, const gg_graph *from,
                       const gg_given *v, size_t i) {
  gg_graph *g = s->g;
  char want[160], got[160];

  if (gg__is_missing(v[i].var) || gg__is_missing(v[i].by) ||
      v[i].var->graph != from || v[i].by->graph != g)
    return gg__fail(g, GA_VALUE_ERROR,
                    "replace: given %zu is not in the variables' graph", i);
  if (!gg__type_fits(&v[i].by->type, &v[i].var->type))
    return gg__fail(g, GA_VALUE_ERROR,
                    "replace: given %zu: %s is %s and cannot be %s", i,
                    gg__display_name(v[i].var),
                    gg_type_text(&v[i].var->type, want, sizeof want),
                    gg_type_text(&v[i].by->type, got, sizeof got));
  if (gg__subst_get(s, v[i].var) != NULL)
    return gg__fail(g, GA_VALUE_ERROR, "replace: %s is replaced twice",
                    gg__display_name(v[i].var));
  return GA_NO_ERROR;
}

static int replace(gg__subst *s, const gg_graph *from, gg_var **out,
                   unsigned int n, gg_var *const *vars,
                   const gg_given *givens) {
  for (size_t i = 0; givens != NULL && givens[i].var != NULL; i++) {
    GA_TRY(check_given(s, from, givens, i));
    GA_TRY(gg__subst_put(s, givens[i].var, givens[i].by));
  }
  for (size_t i = 0; i < n; i++) {
    if (gg__is_missing(vars[i]) || vars[i]->graph != from)
      return gg__fail(s->g, GA_VALUE_ERROR,
                      "replace: variable %zu is of another graph", i);
    out[i] = gg__subst_apply(s, vars[i]);
  }
  return gg_graph_status(s->g);
}

/* Replace in variables of `from`, into `to`. */
static int replace_from(const gg_graph *from, gg_graph *to, gg_var **out,
                        unsigned int n, gg_var *const *vars,
                        const gg_given *givens) {
  gg__subst s;
  int err = gg_graph_status(from);

  if (err != GA_NO_ERROR)
    gg__fail(to, err, "%s", gg_graph_error(from));
  else
    err = gg_graph_status(to);
  if (err == GA_NO_ERROR) {
    gg__subst_init(&s, to);
    err = replace(&s, from, out, n, vars, givens);
    gg__subst_clear(&s);
  }
  for (unsigned int i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  return err;
}

/* The graph of the first variable, or NULL. */
static gg_graph *graph_of(unsigned int n, gg_var *const *vars) {
  return n != 0 && vars != NULL && !gg__is_missing(vars[0]) ? vars[0]->graph
                                                            : NULL;
}

int gg_replace(gg_var **out, unsigned int n, gg_var *const *vars,
               const gg_given *givens) {
  gg_graph *g = graph_of(n, vars);

  if (g != NULL)
    return replace_from(g, g, out, n, vars, givens);
  for (unsigned int i = 0; i < n && out != NULL; i++)
    out[i] = NULL;
  return GA_VALUE_ERROR;
}

int gg_replace_in(gg_graph *to, gg_var **out, unsigned int n,
                  gg_var *const *vars, const gg_given *givens) {
  const gg_graph *g = graph_of(n, vars);

  if (to == NULL || out == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_replace_in: the %s is NULL",
                    to == NULL ? "graph" : "list of results");
  if (g != NULL)
    return replace_from(g, to, out, n, vars, givens);
  for (unsigned int i = 0; i < n; i++)
    out[i] = NULL;
  return gg__fail(to, GA_VALUE_ERROR, "replace: there is no first variable");
}
