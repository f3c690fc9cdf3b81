/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules may query about the rewriting in progress. */
#include "rewrite/rule.h"

#include <string.h>

gg_apply *gg_node_named(const gg_var *v, const char *op) {
  gg_apply *a = gg_var_owner(v);

  return a != NULL && op != NULL && strcmp(a->op->name, op) == 0 ? a : NULL;
}

unsigned int gg_rule_uses(const gg_rewriting *rw, const gg_var *v) {
  if (rw == NULL || v == NULL)
    return 0;
  if (rw->is_guess)
    return 1;
  return v->id < rw->uses.n ? rw->uses.v[v->id] : 2;
}

int gg_rule_updates(const gg_rewriting *rw, const gg_var *v) {
  if (rw == NULL || v == NULL)
    return 0;
  const gg__build *b = rw->b;
  const size_t k = v->id < rw->update.n ? rw->update.v[v->id] : 0;

  return k != 0 && b->results.v[b->n_outputs + k - 1] == rw->stands_for;
}
