/* SPDX-License-Identifier: BSD-2-Clause */
/* Which context variables live in. */
#include <gpugraph/op.h>

#include "graph/graph.h"

gpucontext *gg_var_context(const gg_var *v) {
  return v != NULL ? v->graph->ctx : NULL;
}

/* What a message calls a context. */
static const char *context_text(gpucontext *ctx, char text[256]) {
  if (ctx == NULL ||
      gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, text) != GA_NO_ERROR)
    return "none";
  return text;
}

/* Both graphs are told. */
static int fail_contexts(const gg_var *v, const gg_var *w, unsigned int i) {
  char first[256], other[256];

  context_text(v->graph->ctx, first);
  context_text(w->graph->ctx, other);
  gg__fail(w->graph, GA_VALUE_ERROR,
           "variable %u (%s) is in another context (%s) than the first (%s)", i,
           w->name, other, first);
  return gg__fail(v->graph, GA_VALUE_ERROR,
                  "variable %u (%s) is in another context (%s) than the first "
                  "(%s)",
                  i, w->name, other, first);
}

int gg_infer_context(gpucontext **ctx, unsigned int n, gg_var *const *vars) {
  unsigned int i;

  *ctx = NULL;
  for (i = 0; i < n; i++)
    if (vars[i] == NULL)
      return ga__fail(GA_VALUE_ERROR, "variable %u is NULL", i);
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "no variable to infer a context from");
  for (i = 1; i < n; i++)
    if (vars[i]->graph->ctx != vars[0]->graph->ctx)
      return fail_contexts(vars[0], vars[i], i);
  *ctx = vars[0]->graph->ctx;
  return GA_NO_ERROR;
}

gg_var *gg_as_gpu_variable(gg_var *x, gpucontext *ctx) {
  char here[256], there[256];

  if (x == NULL || x->graph->ctx == ctx)
    return x;
  context_text(x->graph->ctx, here);
  context_text(ctx, there);
  gg__fail(x->graph, GA_VALUE_ERROR, "%s is in context %s, not in %s",
           x->name[0] != '\0' ? x->name : "the variable", here, there);
  return NULL;
}
