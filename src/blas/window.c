/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros and kernel arguments of factors that are read through windows. */
#include "blas/window.h"

#include "base/arith.h"

enum {
  LEAST_LINE = 5 /* shorter lines are copied element by element */
};

/* Elements of B from one neighbour to the next, if that is 1 or 2; otherwise 0.
 * `is_last`: neighbours differ in the channel, and not in the position. */
static unsigned int step_of(const ga__window *w, int is_last, ptrdiff_t channel,
                            ptrdiff_t position) {
  if (is_last)
    return channel == 1;
  return w->s[2] == 1 && (position == 1 || position == 2)
             ? (unsigned int)position
             : 0;
}

ga__window_line ga__window_find_line(const ga__window *w) {
  const unsigned int across = step_of(w, w->j_last, w->js, w->jt[2]);
  const unsigned int along = step_of(w, w->p_last, w->ps, w->pt[2]);
  const int goes_along = along != 0 && (across == 0 || w->p[3] > w->j[3]);

  if ((goes_along ? w->p[3] : w->j[3]) < LEAST_LINE)
    return (ga__window_line){0};
  return (ga__window_line){goes_along ? along : across, goes_along};
}

static size_t count(const size_t n[4]) {
  return ga__times(ga__times(n[0], n[1]), ga__times(n[2], n[3]));
}

int ga__window_is_small(const ga__window *w) {
  return count(w->p) <= INT32_MAX && count(w->j) <= INT32_MAX;
}

void ga__window_args(GpuLaunch *l, const ga__window *w) {
  for (int t = 1; t < 4; t++)
    ga__launch_ssize(l, (ptrdiff_t)ga__at_least(w->p[t], 1)); /* a divisor */
  for (int t = 1; t < 4; t++)
    ga__launch_ssize(l, (ptrdiff_t)w->j[t]);
  ga__launch_ssize(l, w->ps);
  ga__launch_ssize(l, w->js);
  for (int d = 0; d < 3; d++)
    ga__launch_ssize(l, w->s[d]);
  for (int d = 0; d < 3; d++)
    ga__launch_int(l, (int32_t)w->x[d]);
  for (int d = 0; d < 3; d++)
    ga__launch_int(l, (int32_t)w->pt[d]);
  for (int d = 0; d < 3; d++)
    ga__launch_int(l, (int32_t)w->jt[d]);
  for (int d = 0; d < 3; d++)
    ga__launch_int(l, (int32_t)w->pad[d]);
  ga__launch_ssize(l, w->low);
  ga__launch_ssize(l, w->high);
  ga__launch_int(l, w->p_last);
  ga__launch_int(l, w->j_last);
  for (int t = 0; t < 4; t++)
    ga__launch_ssize(l, w->c[t]);
}
