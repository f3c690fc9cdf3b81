/* SPDX-License-Identifier: BSD-2-Clause */
/* What optimisers remember, and lists of updates. */
#include "nn/updates.h"

#include <string.h>

gg_var *gg__slot(const gg__updates *u, const gg_var *v, const char *what,
                 double first) {
  const gg_type *t = gg_var_type(v);
  ga__strb name = GA_STRB_INIT;
  size_t dims[GG_MAX_ND] = {0};
  gg_var *slot = NULL;

  for (unsigned int i = 0; i < t->nd; i++)
    dims[i] = (size_t)t->dims[i];
  ga__strb_appendf(&name, GG_SLOTS "%s.%s", gg_var_name(v), what);
  if (name.err == GA_NO_ERROR)
    slot = gg__params_make(u->p->root, ga__strb_text(&name), GG_ROLE_SLOT,
                           u->dtype, t->nd, dims, gg_init_constant(first));
  else
    gg__nn_fail(u->g, "optimise", NULL, name.err, "out of host memory");
  ga__strb_clear(&name);
  return slot;
}

gg_var *gg__scalar_slot(gg_params *p, const char *what, int dtype,
                        double first) {
  ga__strb name = GA_STRB_INIT;
  gg_var *v = NULL;

  ga__strb_appendf(&name, GG_SLOTS "%s%s", p->prefix, what);
  if (name.err == GA_NO_ERROR)
    v = gg__params_make(p->root, ga__strb_text(&name), GG_ROLE_SLOT, dtype, 0,
                        NULL, gg_init_constant(first));
  else
    gg__nn_fail(p->root->g, "optimise", NULL, name.err, "out of host memory");
  ga__strb_clear(&name);
  return v;
}

gg_var *gg__find_slot(const gg_params *p, const char *of, const char *what) {
  gg_var *found = NULL;
  ga__strb name = GA_STRB_INIT;

  ga__strb_appendf(&name, GG_SLOTS "%s%s", of, what);
  for (size_t i = 0; name.err == GA_NO_ERROR && i < p->root->all.n; i++)
    if (p->root->all.v[i].role == GG_ROLE_SLOT &&
        strcmp(gg_var_name(p->root->all.v[i].var), ga__strb_text(&name)) == 0)
      found = p->root->all.v[i].var;
  ga__strb_clear(&name);
  return found;
}

int gg__update_always(gg__updates *u, gg_var *shared, gg_var *value) {
  if (shared == NULL || value == NULL)
    return GA_VALUE_ERROR; /* the graph knows why */
  const gg_update one = {shared, gg_cast(value, gg_var_type(shared)->dtype)};
  const int err = ga__vec_push(&u->list, one);
  if (err != GA_NO_ERROR)
    gg__nn_fail(u->g, "optimise", NULL, err, "out of host memory");
  return err;
}

int gg__update(gg__updates *u, gg_var *shared, gg_var *value) {
  if (u->gate == NULL || shared == NULL || value == NULL)
    return gg__update_always(u, shared, value);
  value = gg_cast(value, gg_var_type(shared)->dtype);
  return gg__update_always(u, shared, gg_where(u->gate, value, shared));
}

gg_var *gg__scaled(gg_var *x, double by) {
  return x != NULL ? gg_mul(x, gg_weak(gg_var_graph(x), by)) : NULL;
}
