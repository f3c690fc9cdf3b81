/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros and kernel arguments of factors that are read through windows. */
#include "blas/window.h"

#include "base/arith.h"

unsigned int ga__window_line(const ga__window *w) {
  const ptrdiff_t across = w->j_last ? w->js : w->jt[2] * w->s[2];
  const ptrdiff_t along = w->p_last ? w->ps : w->pt[2] * w->s[2];

  if (across == 1)
    return 1;
  if (!w->j_last && w->jt[2] == 2 && w->s[2] == 1)
    return 2;
  return along == 1 && (w->p_last || w->s[2] == 1) ? 3 : 0;
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
