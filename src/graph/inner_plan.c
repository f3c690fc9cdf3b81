/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes with graphs inside, on their way into a plan: which functions they are
 * made of, and who plans them. */
#include "graph/looping.h"

int gg__inner_compile(const gg__build *b, gg__node *n) {
  return gg__func_inner(&n->inner[0], b, n->apply, 0,
                        gg__inner_of(n->apply)->n_out);
}

int gg__inner_sizes(const gg__node *n, const gg_dims *in,
                    const double *const *number, gg_dims *out) {
  return gg__loop_sizes(n, in, number, out);
}

int gg__plan_inner(gg__builder *b, const gg__step *s) {
  return gg__plan_loop(b, s);
}
