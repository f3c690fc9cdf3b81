/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over graphs: order and use counts. None recurses, so chains of nodes
 * may have any length.
 *
 * Ids of variables are a topological order already, so a walk is a pass over
 * ids: downwards to find needed variables, upwards to visit inputs first. */
#include <string.h>

#include "graph/graph.h"

const gg_graph *gg__graph_of(size_t n, gg_var *const *vars) {
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      return vars[i]->graph;
  return NULL;
}

/* Allocate *need, one byte for each id up to the greatest of `vars`, and set
 * need[id] = 1 for each of `vars`. *n_ids is its length. The caller frees
 * *need. */
static int mark_vars(unsigned char **need, size_t *n_ids, size_t n,
                     gg_var *const *vars) {
  size_t top = 0;

  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL && vars[i]->id + (size_t)1 > top)
      top = vars[i]->id + (size_t)1;
  *n_ids = top;
  *need = ga__calloc(top, 1);
  if (*need == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      (*need)[vars[i]->id] = 1;
  return GA_NO_ERROR;
}

static void reverse(gg__order *order) {
  for (size_t i = 0; i < order->n / 2; i++) {
    gg_apply *a = order->v[i];
    order->v[i] = order->v[order->n - 1 - i];
    order->v[order->n - 1 - i] = a;
  }
}

/* One walk downwards. A node is added at its first output: the walk reaches
 * this one last. */
int gg__toposort(gg__order *out, size_t n, gg_var *const *vars) {
  const gg_graph *g = gg__graph_of(n, vars);
  unsigned char *need = NULL;
  size_t n_ids;
  int err;

  out->n = 0;
  GA_CHECK(mark_vars(&need, &n_ids, n, vars));
  for (size_t id = n_ids; id-- > 0;) {
    if (!need[id])
      continue;
    gg_apply *a = g->vars.v[id]->owner;
    if (a == NULL)
      continue;
    if (a->out[0]->id != id) {
      need[a->out[0]->id] = 1;
      continue;
    }
    for (unsigned int i = 0; i < a->n_in; i++) {
      GA_ASSERT(a->in[i]->graph == g && a->in[i]->id < id);
      need[a->in[i]->id] = 1;
    }
    GA_CHECK(ga__vec_push(out, a));
  }
  reverse(out);
done:
  ga__free(need);
  return err;
}

int gg__count_ordered_uses(gg__uses *out, const gg_graph *g,
                           const gg__order *order, size_t n,
                           gg_var *const *vars) {
  out->n = 0;
  for (size_t i = 0; i < g->vars.n; i++)
    GA_TRY(ga__vec_push(out, 0));
  for (size_t i = 0; i < n; i++)
    if (vars[i] != NULL)
      out->v[vars[i]->id]++;
  for (size_t i = 0; i < order->n; i++) {
    const gg_apply *a = order->v[i];
    for (size_t k = 0; k < a->n_in; k++)
      out->v[a->in[k]->id]++;
  }
  return GA_NO_ERROR;
}

int gg__count_uses(gg__uses *out, const gg_graph *g, size_t n,
                   gg_var *const *vars) {
  gg__order order = {0};
  int err = gg__toposort(&order, n, vars);

  if (err == GA_NO_ERROR)
    err = gg__count_ordered_uses(out, g, &order, n, vars);
  ga__vec_clear(&order);
  return err;
}
