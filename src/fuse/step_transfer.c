/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers between contexts: two steps, with as many others between them as
 * the order allows. */
#include "fuse/body.h"
#include "fuse/label.h"

int gg__add_send_receive(gg__maker *m, gg_apply *a) {
  const unsigned int first = (unsigned int)m->p->steps.n;
  gg__step *send = gg__add_step(m, GG_STEP_SEND, a, sizeof *send);

  if (send == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__step_operands(m, send));
  send->context = m->p->values.v[gg__in(m->p, a, 0)].context;
  gg__step *receive = gg__add_step(m, GG_STEP_RECEIVE, a, sizeof *receive);
  if (receive == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__step_operands(m, receive));
  gg__step_writes_results(m, receive);
  receive->after = first;
  return GA_NO_ERROR;
}

static void label_send(ga__strb *b, const gg__program *p, const gg__step *s) {
  (void)p;
  (void)s;
  ga__strb_append(b, "send");
}

static void label_receive(ga__strb *b, const gg__program *p,
                          const gg__step *s) {
  (void)p;
  gg__label_node(b, s->apply);
}

const gg__step_ops gg__send_ops = {
    .has_launch = 1, .starts_transfer = 1, .label = label_send};
const gg__step_ops gg__receive_ops = {
    .has_launch = 1, .ends_transfer = 1, .label = label_receive};
