/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies: a result that needs a buffer of its own but lies elsewhere. */
#include "fuse/body.h"

int gg__add_copy(gg__maker *m, unsigned int result) {
  const unsigned int from = m->p->results.v[result].value;
  gg__step *s = gg__add_step(m, GG_STEP_COPY, NULL, sizeof *s);

  if (s == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__step_lists(m, s, 0, 1, 0));
  gg__step_reads(s, from);
  s->result = result;
  s->context = m->p->values.v[from].context;
  return GA_NO_ERROR;
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  ga__strb_appendf(b, "copy %s",
                   gg__display_name(p->values.v[s->reads[0]].var));
}

const gg__step_ops gg__copy_ops = {
    .name = "copy", .has_launch = 1, .label = label};
