/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops made from others. */
#ifndef REWRITE_LOOP_COPY_H
#define REWRITE_LOOP_COPY_H

#include "loop/loop.h"

/* What becomes of a loop's variables in a copy. */
typedef struct gg__loop_copy {
  const gg_apply *a; /* the loop's node */
  gg__loop l;
  gg__subst *outer, *body;   /* of its inputs, of its body; NULL: they stay */
  const unsigned char *keep; /* by output of the body, or NULL: all */
} gg__loop_copy;

/* Add to `s`, which has a graph and is empty, what the loop has. */
int gg__loop_copy_to(gg__loop_spec *s, const gg__loop_copy *c);

#endif
