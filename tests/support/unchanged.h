/* SPDX-License-Identifier: BSD-2-Clause */
/* That values stay what they were, up to rounding: of graphs at random.
 *
 * Random expressions can be so ill-conditioned that any change of rounding
 * shows. A difference counts only if the original barely changes when every
 * value on the way is moved by more than the rounding of a double; or, where
 * there are constants of narrower types, of those. */
#ifndef SUPPORT_UNCHANGED_H
#define SUPPORT_UNCHANGED_H

#include "support/interp.h"

/* Where values come from: `bind` gives an interpreter those of all inputs. */
typedef struct unchanged {
  void (*bind)(const void *arg, interp *it);
  const void *arg;
} unchanged;

/* Is the value of `after` that of `before`, of the same graph, wherever the
 * latter is finite? Graphs with a finite value beyond its dtype always pass. If
 * not, *at is the first element, and *want and *got are both values; if the
 * sizes differ, *at is -1. */
int unchanged_check(const unchanged *u, gg_var *before, gg_var *after,
                    ptrdiff_t *at, double *want, double *got);

/* How far element by element the value of `v` moves when every value on the way
 * is moved by the rounding of its dtype: 0 where it does not matter, INFINITY
 * where one overflows. The caller frees the list, which is as long as the
 * value. */
double *unchanged_spread(const unchanged *u, gg_var *v);

#endif
