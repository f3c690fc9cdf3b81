/* SPDX-License-Identifier: BSD-2-Clause */
/* Images whose channels lie last in memory, from one step to the next. */
#include "plan/builder.h"

enum { LEAST_AXES = 3, MOST_AXES = 5 /* of images in 1 to 3 dimensions */ };

static int are_images(const gg_dims *d) {
  return d->nd >= LEAST_AXES && d->nd <= MOST_AXES && gg__dims_size(d) != 0;
}

/* Write the strides that v has without gaps, its channels last. */
static void last_strides(const gg__builder *b, unsigned int v,
                         ssize_t *strides) {
  const gg_dims *d = &b->sizes->dims[v];
  size_t next = gg__item_bytes(b, v);

  strides[1] = (ssize_t)next;
  next *= d->dim[1];
  for (unsigned int i = d->nd; i-- > 0;) {
    if (i == 1)
      continue;
    strides[i] = (ssize_t)next;
    next *= d->dim[i];
  }
}

int gg__is_channels_last(const gg__builder *b, unsigned int v) {
  const gg_dims *d = &b->sizes->dims[v];
  ssize_t want[GG_MAX_ND];

  if (!are_images(d) || gg__is_c_order(b, v))
    return 0;
  last_strides(b, v, want);
  for (unsigned int i = 0; i < d->nd; i++)
    if (d->dim[i] != 1 && b->places[v].strides[i] != want[i])
      return 0;
  return 1;
}

int gg__keeps_channels_last(const gg__builder *b, const gg_apply *a) {
  const unsigned int v = gg__in(b->p, a, 0);

  return a->op->keeps_last != NULL && !a->op->on_host && a->op->keeps_last(a) &&
         b->places[v].store != GG_NONE && gg__is_channels_last(b, v);
}

int gg__wants_channels_last(const gg__builder *b, const gg__step *s,
                            unsigned int v, ssize_t *strides) {
  if (s->kind != GG_STEP_KERNEL || !are_images(&b->sizes->dims[v]) ||
      !gg__keeps_channels_last(b, s->apply))
    return 0;
  last_strides(b, v, strides);
  return !gg__are_c_order(b, v, strides);
}

void gg__turn_channels(gg__builder *b, unsigned int v) {
  if (b->result_of[v] == GG_NONE && b->viewed_by[v] == GG_NONE)
    last_strides(b, v, b->places[v].strides);
}
