/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of nodes with inner graphs. */
#include "loop/ifelse.h"
#include "plan/looping.h"

int gg__inner_sizes(const gg__node *n, const gg_dims *in,
                    const double *const *scalar, gg_dims *out) {
  if (n->apply->op == &gg__op_scan)
    return gg__loop_sizes(n, in, scalar, out);
  return gg__ifelse_sizes(n, in, out);
}
