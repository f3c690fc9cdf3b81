/* SPDX-License-Identifier: BSD-2-Clause */
/* Views: they change offset and strides, and have no launch. */
#include "fuse/body.h"
#include "fuse/label.h"

int gg__add_view(gg__maker *m, gg_apply *a) {
  gg__step *s = gg__add_step(m, GG_STEP_VIEW, a, sizeof *s);

  if (s == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__step_operands(m, s));
  gg__step_writes_results(m, s);
  return GA_NO_ERROR;
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  (void)p;
  gg__label_node(b, s->apply);
}

const gg__step_ops gg__view_ops = {.label = label};
