/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions inside of functions: the bodies of loops, the branches of
 * choices. */
#include "func/func.h"
#include "loop/ifelse.h"
#include "plan/looping.h"

/* A loop has one body, whose outputs are those of its graph; a choice has two
 * branches with as many outputs as the node, one behind the other. */
static int compile_node(gg__node *n, const gg__build *b) {
  const gg_apply *a = n->apply;

  if (a->op == &gg__op_scan)
    return gg__func_inner(&n->inner[0], b, a, 0, gg__inner_of(a)->n_out);
  GA_TRY(gg__func_inner(&n->inner[0], b, a, 0, a->n_out));
  return gg__func_inner(&n->inner[1], b, a, a->n_out, a->n_out);
}

int gg__inner_compile(gg__program *p, const gg__build *b) {
  for (size_t k = 0; k < p->nodes.n; k++)
    if (p->nodes.v[k].apply->op->kind == GG_OP_INNER)
      GA_TRY(compile_node(&p->nodes.v[k], b));
  return GA_NO_ERROR;
}

void gg__inner_free(gg__program *p) {
  for (size_t k = 0; k < p->nodes.n; k++) {
    gg_func_free(p->nodes.v[k].inner[0]);
    gg_func_free(p->nodes.v[k].inner[1]);
  }
}
