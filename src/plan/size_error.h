/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages about sizes that do not fit, in terms of what the user wrote. */
#ifndef PLAN_SIZE_ERROR_H
#define PLAN_SIZE_ERROR_H

#include "graph/graph.h"

/* Complete the thread's message for `err`, which the sizes `in` of the inputs
 * of `a` caused: begin it with the op that the user applied and with the user's
 * variables, and end it with the site. Returns `err`. */
int gg__blame_sizes(int err, const gg_apply *a, const gg_dims *in);

#endif
