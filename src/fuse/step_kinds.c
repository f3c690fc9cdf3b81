/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of step kinds, and the labels of a program's steps. */
#include "fuse/step.h"

const gg__step_ops *const gg__step_kinds[GG_N_STEP_KINDS] = {
    [GG_STEP_MAP] = &gg__map_ops,        [GG_STEP_REDUCE] = &gg__reduce_ops,
    [GG_STEP_ROWS] = &gg__rows_ops,      [GG_STEP_KERNEL] = &gg__kernel_ops,
    [GG_STEP_INNER] = &gg__inner_ops,    [GG_STEP_VIEW] = &gg__view_ops,
    [GG_STEP_COPY] = &gg__copy_ops,      [GG_STEP_SEND] = &gg__send_ops,
    [GG_STEP_RECEIVE] = &gg__receive_ops};

int gg__label_steps(gg__program *p) {
  ga__strb b = GA_STRB_INIT;
  unsigned int shown = 0;
  int err = GA_NO_ERROR;

  for (size_t k = 0; k < p->steps.n && err == GA_NO_ERROR; k++) {
    gg__step *s = p->steps.v[k];
    if (gg__ops_of(s)->has_launch)
      s->shown = ++shown;
    ga__strb_reset(&b);
    gg__ops_of(s)->label(&b, p, s);
    s->label = ga__arena_strdup(&p->arena, ga__strb_text(&b));
    err = b.err;
    if (s->label == NULL)
      err = ga__fail_nomem();
  }
  ga__strb_clear(&b);
  return err;
}
