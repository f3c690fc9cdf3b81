/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in debug mode (GG_DEBUG). */
#ifndef FUNC_TWIN_H
#define FUNC_TWIN_H

#include "debug/watch.h"
#include "func/func.h"

/* What a watched call should find, and what it started from. */
typedef struct gg__twin {
  GpuArray *arrays, **out; /* by result: of the twin's own call */
  void **want;             /* by result: what it found, in C order */
  void **before; /* by shared variable that is updated in place, else NULL */
} gg__twin;

/* The twin of the function that `spec` describes; errors are in the graph. */
int gg__twin_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);

/* Room for what the twin of `f` finds. *t starts zeroed and is to be ended in
 * any case. */
int gg__twin_begin(gg__twin *t, const gg_func *f);
/* Read what the twin found, if there is one, and what the call may
 * overwrite. */
int gg__twin_keep(gg__twin *t, const gg_func *f);
/* Compare the results of the function's own run. */
int gg__twin_compare(const gg__twin *t, gg__watch *w);
/* Give shared variables back the values that they had. */
void gg__twin_undo(const gg__twin *t, gg_func *f);
void gg__twin_end(gg__twin *t, const gg_func *f);

#endif
