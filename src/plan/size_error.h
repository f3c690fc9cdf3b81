/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages about sizes that do not fit, in terms of what the user wrote. */
#ifndef PLAN_SIZE_ERROR_H
#define PLAN_SIZE_ERROR_H

#include "fuse/program.h"

/* A node whose sizes cannot be computed. */
typedef struct gg__failed_size {
  const gg__program *p;
  const gg_dims *dims; /* by value; those of nodes before it are known */
  const gg_dims *in;   /* of its inputs */
  size_t node;
} gg__failed_size;

/* Complete the thread's message for `err`: begin it with the op that the user
 * applied and with the user's variables, and end it with the site. Returns
 * `err`. */
int gg__blame_sizes(int err, const gg__failed_size *f);

#endif
