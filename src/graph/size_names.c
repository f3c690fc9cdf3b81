/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sizes that calls decide, kept with the inputs that have them. */
#include "graph/graph.h"

static int keep(gg_var *v, unsigned int axis, const char *name) {
  ga__arena *const m = &v->graph->arena;
  const char *const copy = ga__arena_strdup(m, name);

  if (v->size_names == NULL)
    v->size_names = ga__arena_alloc(m, GG_MAX_ND * sizeof *v->size_names);
  if (copy == NULL || v->size_names == NULL)
    return gg__fail_nomem(v->graph);
  v->size_names[axis] = copy;
  return GA_NO_ERROR;
}

gg_var *gg_size_named(gg_var *input, unsigned int axis, const char *name) {
  gg_var *const v = input;

  if (v == NULL || name == NULL)
    return v;
  if (v->kind != GG_VAR_INPUT || axis >= v->type.nd ||
      v->type.dims[axis] != GG_ANY) {
    gg__fail(v->graph, GA_VALUE_ERROR,
             "size \"%s\": axis %u of \"%s\" is not an open axis of an input",
             name, axis, v->name);
    return NULL;
  }
  return keep(v, axis, name) == GA_NO_ERROR ? v : NULL;
}

const char *gg_var_size_name(const gg_var *v, unsigned int axis) {
  const char *name = NULL;

  if (v != NULL && v->size_names != NULL && axis < v->type.nd)
    name = v->size_names[axis];
  return name != NULL ? name : "";
}

int gg__size_names_copy(gg_var *to, const gg_var *from) {
  for (unsigned int i = 0; from->size_names != NULL && i < to->type.nd; i++)
    if (from->size_names[i] != NULL)
      GA_TRY(keep(to, i, from->size_names[i]));
  return GA_NO_ERROR;
}
