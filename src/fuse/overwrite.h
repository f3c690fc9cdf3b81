/* SPDX-License-Identifier: BSD-2-Clause */
/* May a step overwrite a shared variable that it reads? */
#ifndef FUSE_OVERWRITE_H
#define FUSE_OVERWRITE_H

#include "fuse/step.h"

/* Index of the shared variable whose memory a value may be a view of, or
 * GG_NONE. */
static inline unsigned int gg__shared_root(const gg__program *p,
                                           unsigned int value) {
  const gg__value *v = &p->values.v[gg__source_value(p, value)];

  return v->var->kind == GG_VAR_SHARED ? v->leaf : GG_NONE;
}

/* Does the body read shared variable `shared` only as elements of `space`, so
 * that each is read where it is written? If space is GG_NONE, the body must not
 * read it at all. */
static inline int gg__body_allows(const gg__program *p, const gg__body *b,
                                  unsigned int shared, unsigned int space) {
  for (unsigned int i = 0; i < b->n_in; i++) {
    const gg__value *v = &p->values.v[b->in[i]];
    if (gg__shared_root(p, b->in[i]) == shared &&
        (i >= b->n_in - b->n_taken || v->var->kind != GG_VAR_SHARED ||
         v->space != space))
      return 0;
  }
  return 1;
}

#endif
