/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules may query about the rewriting in progress. */
#include "rewrite/rule.h"

unsigned int gg__rw_uses(const gg__rw *rw, const gg_var *v) {
  if (rw->is_guess)
    return 1;
  return v->id < rw->uses.n ? rw->uses.v[v->id] : 2;
}

int gg__rw_updates(const gg__rw *rw, const gg_var *v) {
  const gg__build *b = rw->b;
  const size_t k = v->id < rw->update.n ? rw->update.v[v->id] : 0;

  return k != 0 && b->results.v[b->n_outputs + k - 1] == rw->stands_for;
}
