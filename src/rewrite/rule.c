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

unsigned int gg__settled_uses(const gg_rewriting *rw, const gg_var *v) {
  return !rw->is_guess && v->id >= rw->n_before ? 2 : gg_rule_uses(rw, v);
}

/* What reads a variable: anything but maps, and anything but slices that maps
 * alone read; and is it needed at all, if only for its shape? */
enum { NOT_MAPS = 1, NOT_SLICES = 2, NEEDED = 4 };

/* Input k of `a` reads v; `bits` say how. */
static void add_reader(gg_rewriting *rw, const gg_apply *a, unsigned int k,
                       unsigned int bits) {
  const size_t id = a->in[k]->id;

  rw->readers.v[id] |= (unsigned char)bits;
  rw->uses.v[id] += !gg_apply_shape_only(a, k);
}

int gg__find_uses(gg_rewriting *rw) {
  const gg__build *b = rw->b;

  rw->n_before = b->g->vars.n;
  rw->readers.n = rw->uses.n = 0;
  for (size_t i = 0; i < rw->n_before; i++) {
    GA_TRY(ga__vec_push(&rw->readers, 0));
    GA_TRY(ga__vec_push(&rw->uses, 0));
  }
  for (size_t i = 0; i < b->results.n; i++) {
    const gg_var *v = b->results.v[i];

    if (v == NULL)
      continue;
    rw->readers.v[v->id] = NOT_MAPS | NOT_SLICES | NEEDED;
    rw->uses.v[v->id]++;
  }
  for (size_t i = rw->order.n; i-- > 0;) {
    const gg_apply *a = rw->order.v[i];
    const int is_map = a->op->kind == GG_OP_ELEMWISE;
    const int is_slice =
        a->op == &gg__op_slice && !(rw->readers.v[a->out[0]->id] & NOT_MAPS);
    const unsigned int bits =
        (is_map ? 0u : NOT_MAPS) | (is_slice ? 0u : NOT_SLICES) | NEEDED;

    for (unsigned int k = 0; k < a->n_in; k++)
      add_reader(rw, a, k, bits);
  }
  return GA_NO_ERROR;
}

int gg__is_needed(const gg_rewriting *rw, const gg_var *v) {
  return v->id < rw->readers.n && (rw->readers.v[v->id] & NEEDED);
}

int gg__is_read_by_slices(const gg_rewriting *rw, const gg_var *v) {
  return rw->is_guess ||
         (v->id < rw->readers.n && !(rw->readers.v[v->id] & NOT_SLICES));
}

int gg_rule_updates(const gg_rewriting *rw, const gg_var *v) {
  if (rw == NULL || v == NULL)
    return 0;
  const gg__build *b = rw->b;
  const size_t k = v->id < rw->update.n ? rw->update.v[v->id] : 0;

  return k != 0 && b->results.v[b->n_outputs + k - 1] == rw->stands_for;
}
