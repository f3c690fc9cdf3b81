/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are checked step by step: NaN guard and debug mode.
 *
 * The plan of a watched function tells where each step leaves its values. The
 * call waits for every step, reads what it wrote, and keeps a copy of every
 * value in host memory, from which the host computes what a kernel should have
 * found.
 *
 *   plan_seen.c      what a plan tells
 *   watch.c          values in host memory, and what the host makes of them
 *   watch_check.c    comparing and guarding */
#ifndef DEBUG_WATCH_H
#define DEBUG_WATCH_H

#include "plan/unit.h"
#include "reference/reference.h"

/* A call under way. */
typedef struct gg__watch {
  const gg__unit *u;
  const gg__plan *plan;
  gg__sizes sizes;
  gg__host *host;       /* by value */
  unsigned char *tried; /* by value: whether it was computed, or cannot be */
  GA_VEC(unsigned int) fresh; /* values just computed, inputs before users */
  GA_VEC(unsigned int) pending;
} gg__watch;

/* --- watch.c --- */

/* Read the leaves of the call at hand. */
int gg__watch_init(gg__watch *w, const gg__unit *u, const gg__plan *plan);
void gg__watch_clear(gg__watch *w);
/* Let the host compute value v from what is known, unless it is known; what had
 * to be computed for that is in w->fresh. Unknown values have no data. */
int gg__watch_compute(gg__watch *w, unsigned int v);
/* Put `data` (ga__malloc, taken over) in the place of what is known of v. */
void gg__watch_put(gg__watch *w, unsigned int v, void *data);

/* Read what lies at `s` in a plan that is bound (gg__host_read). */
int gg__seen_read(const gg__unit *u, const gg__plan *p, const gg__seen *s,
                  void **data);

/* --- watch_check.c --- */

/* Wait for a step that was enqueued, and look at what it did. */
int gg__watch_step(gg__watch *w, unsigned int step);
/* Guard the leaves. */
int gg__watch_leaves(gg__watch *w);
/* Guard what a step wrote that is inside of a loop or a choice. */
int gg__guard_step(const gg__unit *u, const gg__plan *p, unsigned int step);
/* The first element of two arrays that differs by more than `rtol` times its
 * size or the greatest there is; -1: none. */
ptrdiff_t gg__first_difference(int dtype, const void *x, const void *y,
                               size_t n, double rtol);
/* "[1, 2]", the index of element n. Returns `buf`. */
char *gg__index_text(const gg_dims *d, size_t n, char *buf, size_t bytes);

#endif
