/* SPDX-License-Identifier: BSD-2-Clause */
/* Watched calls, which are checked step by step: guards and debug mode.
 *
 * The plan of a watched function records where each step writes its values. The
 * call blocks after every step, reads what the step wrote, and copies every
 * value to host memory. From these copies the host computes what a kernel
 * should have found.
 *
 *   plan_seen.c      where values are
 *   watch.c          values in host memory, and computing there
 *   watch_check.c    comparing and guarding */
#ifndef DEBUG_WATCH_H
#define DEBUG_WATCH_H

#include "plan/unit.h"
#include "reference/reference.h"

/* A watched call. */
typedef struct gg__watch {
  const gg__unit *u;
  const gg__plan *plan;
  gg__sizes sizes;
  gg__host *host;             /* by value */
  unsigned char *tried;       /* by value: it was computed, or cannot be */
  GA_VEC(unsigned int) fresh; /* values computed last, inputs before users */
  GA_VEC(unsigned int) pending;
} gg__watch;

/* --- watch.c --- */

/* Read the leaves of the present call. Blocks. On failure, *w is cleared. */
int gg__watch_init(gg__watch *w, const gg__unit *u, const gg__plan *plan);
void gg__watch_clear(gg__watch *w);
/* Compute value v on the host from known values, unless it is known. The values
 * that had to be computed for it are in w->fresh. Values that cannot be
 * computed have no data. */
int gg__watch_compute(gg__watch *w, unsigned int v);
/* Replace what is known of v by `data` (from ga__malloc; taken over). */
void gg__watch_put(gg__watch *w, unsigned int v, void *data);

/* Read what lies at `s` in a bound plan into new host memory, *data
 * (gg__host_read). Blocks. */
int gg__seen_read(const gg__unit *u, const gg__plan *p, const gg__seen *s,
                  void **data);

/* --- watch_check.c --- */

/* Check what a step wrote that has been enqueued. Blocks. */
int gg__watch_step(gg__watch *w, unsigned int step);
/* Apply the guards to inputs and shared variables. */
int gg__watch_leaves(gg__watch *w);
/* Apply the guards to what a step inside of a loop or a choice wrote.
 * Blocks. */
int gg__guard_step(const gg__unit *u, const gg__plan *p, unsigned int step);
/* The index of the first element of x and y that differs by more than `rtol`
 * times its magnitude plus `rtol` times the greatest magnitude of y; -1:
 * none. */
ptrdiff_t gg__first_difference(int dtype, const void *x, const void *y,
                               size_t n, double rtol);
/* "1.5", or "1.5-2j" of a complex dtype: the element at p. Returns `buf`. */
enum { GG_ELEMENT_TEXT = 48 };
char *gg__element_text(int dtype, const void *p, char buf[GG_ELEMENT_TEXT]);
/* "[1, 2]", the index of element n in C order. Returns `buf`. */
char *gg__index_text(const gg_dims *d, size_t n, char *buf, size_t bytes);

#endif
