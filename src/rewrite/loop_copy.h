/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a loop from another one. */
#ifndef REWRITE_LOOP_COPY_H
#define REWRITE_LOOP_COPY_H

#include "loop/loop.h"

/* A loop, and how to map its variables in a copy. */
typedef struct gg__loop_copy {
  const gg_apply *a; /* the loop's node */
  gg__loop l;
  gg__subst *outer, *body;   /* maps of its inputs and of its body; NULL: they
                                stay */
  const unsigned char *keep; /* by output of the body, or NULL: all */
} gg__loop_copy;

/* Fill `s`, which must be empty but for its graph, with the copy of the
 * loop. */
int gg__loop_copy_to(gg__loop_spec *s, const gg__loop_copy *c);

#endif
