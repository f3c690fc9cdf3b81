/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in debug mode (GG_DEBUG). */
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H

#include "debug/watch.h"

/* What a watched call should find, and what it started from. */
typedef struct gg__debug {
  void **want;   /* by result: what the twin found, in C order; NULL: none */
  void **before; /* by shared variable that is updated in place, else NULL */
} gg__debug;

/* The twin of the function that `spec` describes; errors are in the graph. */
int gg__debug_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);

/* Run the twin if there is one, and keep what may be lost. *d starts zeroed and
 * is to be ended in any case. */
int gg__debug_begin(gg__debug *d, gg_func *f, GpuArray *const *in);
/* Compare the results of the function's own run. */
int gg__debug_compare(const gg__debug *d, gg__watch *w);
/* Give shared variables back the values that they had. */
void gg__debug_undo(const gg__debug *d, gg_func *f);
void gg__debug_end(gg__debug *d, const gg_func *f);

#endif
