/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices as users may look into them. */
#include <gpugraph/inner.h>

#include "loop/ifelse.h"
#include "loop/loop.h"

int gg_apply_choice(const gg_apply *a, gg_choice_view *out) {
  if (a == NULL || out == NULL || a->op != &gg__op_ifelse)
    return 0;
  const gg__inner *x = gg__inner_of(a);
  *out = (gg_choice_view){x->n_in, x->n_out, x->in, x->out};
  return 1;
}

int gg_apply_loop(const gg_apply *a, gg_loop_view *out) {
  if (a == NULL || out == NULL || a->op != &gg__op_scan)
    return 0;
  const gg__loop l = gg__loop_of(a);
  *out = (gg_loop_view){.n_seqs = (unsigned int)l.h->n_seqs,
                        .n_states = (unsigned int)l.h->n_states,
                        .n_taps = (unsigned int)l.h->n_taps,
                        .n_outs = (unsigned int)l.h->n_outs,
                        .n_fixed = (unsigned int)l.h->n_fixed,
                        .is_limited = (int)l.h->is_limited,
                        .has_until = (int)l.h->has_until,
                        .most = l.h->most,
                        .reversed = l.reversed,
                        .depth = l.depth,
                        .taps = l.taps,
                        .outs = l.outs,
                        .n_in = l.inner->n_in,
                        .n_out = l.inner->n_out,
                        .in = l.inner->in,
                        .out = l.inner->out};
  return 1;
}
