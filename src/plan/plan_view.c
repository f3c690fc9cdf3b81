/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of views: no launch, only another offset and other strides. */
#include "plan/builder.h"

static int plan_output(gg__builder *b, unsigned int in, unsigned int out) {
  gg__place copy;
  int err = gg__view_place(b, out, &b->places[in], &b->places[out]);

  if (err == GA_COPY_ERROR) {
    GA_TRY(gg__copy_to_temp(b, in, &copy));
    err = gg__view_place(b, out, &copy, &b->places[out]);
  } else if (err == GA_NO_ERROR) {
    gg__retain_store(b, b->places[in].store);
  }
  return err;
}

int gg__plan_view(gg__builder *b, const gg__step *s) {
  const unsigned int in = gg__in(b->p, s->apply, 0);

  for (unsigned int i = 0; i < s->apply->n_out; i++) {
    unsigned int out = gg__out(b->p, s->apply, i);
    if (b->places[out].uses != 0)
      GA_TRY(plan_output(b, in, out));
  }
  return GA_NO_ERROR;
}
