/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in debug mode (GG_DEBUG). */
#ifndef FUNC_TWIN_H
#define FUNC_TWIN_H

#include "debug/watch.h"
#include "func/func.h"

/* The expected results of a watched call, and the shared variables as they were
 * before it. */
typedef struct gg__twin {
  GpuArray *arrays, **out; /* by result: outputs of the twin's call */
  void **want;             /* by result: their elements, in C order; owned */
  void **before; /* by shared variable: old elements, if updated in place */
} gg__twin;

/* Make the twin of the function of `spec`. Errors are in the graph. */
int gg__twin_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);

/* Allocate the outputs of the twin's call. *t was zeroed; end it also on
 * failure. */
int gg__twin_begin(gg__twin *t, const gg_func *f);
/* Read the outputs of the twin, if there is one, and the shared variables that
 * the call may overwrite, to host memory. Blocks. */
int gg__twin_keep(gg__twin *t, const gg_func *f);
/* Compare the results of the function with those of the twin. */
int gg__twin_compare(const gg__twin *t, gg__watch *w);
/* Write the old values back to shared variables, after failure `err`. Where
 * that fails, too, the message says so. Returns err. */
int gg__twin_undo(const gg__twin *t, gg_func *f, int err);
void gg__twin_end(gg__twin *t, const gg_func *f);

#endif
