/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices, whose branches are graphs in attributes, and optional values. */
#include <gpugraph/ifelse.h>
#include <gpugraph/op.h>
#include <gpugraph/sizes.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

static int find_branch(gg__onnx_call *c, const char *name,
                       const gg__onnx_graph **out) {
  const gg__onnx_attr *a = gg__call_attr(c, name);

  if (a == NULL || a->g == NULL)
    return ga__fail(GA_VALUE_ERROR, "attribute \"%s\" is missing", name);
  if (a->g->n_out != c->n_out)
    return ga__fail(GA_VALUE_ERROR, "%s has %zu outputs, the node %zu", name,
                    a->g->n_out, c->n_out);
  *out = a->g;
  return GA_NO_ERROR;
}

/* Nonzero if the condition is known. */
static int is_known(gg_var *cond, double *value) {
  gg_var *v = cond == NULL ? NULL : gg_element(cond, 0);

  return v != NULL && gg_var_uniform(v, value);
}

/* If the condition is known, only its branch is built. */
int gg__from_if(gg__onnx_call *c) {
  const size_t n = c->n_out;
  gg_var *cond = gg__call_in(c, 0), **yes, **no;
  const gg__onnx_graph *first = NULL, *second = NULL;
  double known;

  GA_TRY(find_branch(c, "then_branch", &first));
  GA_TRY(find_branch(c, "else_branch", &second));
  if (is_known(cond, &known))
    return c->b->subgraph(c, known != 0 ? first : second, 0, NULL, c->out);
  yes = ga__arena_alloc(c->b->arena, 2 * n * sizeof *yes + 1);
  if (yes == NULL)
    return ga__fail_nomem();
  no = yes + n;
  const int err = c->b->subgraph(c, first, 0, NULL, yes);
  GA_TRY(c->b->subgraph(c, second, 0, NULL, no));
  GA_TRY(err);
  if (cond != NULL && gg_var_type(cond)->nd == 1)
    cond = gg_index(cond, 0, 0);
  return gg_ifelse_all(c->out, cond, (unsigned int)n, yes, no);
}

/* Optional values are either left out or what they hold. */
int gg__from_has_element(gg__onnx_call *c) {
  c->out[0] = gg_scalar(c->g, GA_BOOL, gg__call_has(c, 0));
  return GA_NO_ERROR;
}

int gg__from_get_element(gg__onnx_call *c) {
  if (!gg__call_has(c, 0))
    return ga__fail(GA_VALUE_ERROR, "the optional value is left out");
  return gg__from_identity(c);
}
