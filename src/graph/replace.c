/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacing variables in expressions. */
#include <gpugraph/replace.h>

#include "graph/graph.h"

/* Check given `i`. The givens before it are in `s`. */
static int check_given(const gg__subst *s, const gg_given *v, size_t i) {
  gg_graph *g = s->g;
  char want[160], got[160];

  if (v[i].by == NULL || v[i].var->graph != g || v[i].by->graph != g)
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

static int replace(gg__subst *s, gg_var **out, unsigned int n,
                   gg_var *const *vars, const gg_given *givens) {
  for (size_t i = 0; givens != NULL && givens[i].var != NULL; i++) {
    GA_TRY(check_given(s, givens, i));
    GA_TRY(gg__subst_put(s, givens[i].var, givens[i].by));
  }
  for (size_t i = 0; i < n; i++) {
    if (vars[i] == NULL || vars[i]->graph != s->g)
      return gg__fail(s->g, GA_VALUE_ERROR,
                      "replace: variable %zu is of another graph", i);
    out[i] = gg__subst_apply(s, vars[i]);
  }
  return gg_graph_status(s->g);
}

int gg_replace(gg_var **out, unsigned int n, gg_var *const *vars,
               const gg_given *givens) {
  gg_graph *g = n != 0 && vars[0] != NULL ? vars[0]->graph : NULL;
  gg__subst s;
  int err = GA_VALUE_ERROR;

  if (g != NULL)
    err = gg_graph_status(g);
  if (err == GA_NO_ERROR) {
    gg__subst_init(&s, g);
    err = replace(&s, out, n, vars, givens);
    gg__subst_clear(&s);
  }
  for (unsigned int i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  return err;
}
