/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files about functions know of each other.
 *
 *   func.c           making them
 *   func_default.c   updates that shared variables bring along
 *   func_copy.c      copies, and calls that want some of the outputs
 *   func_args.c      names, defaults, arguments in host memory
 *   func_memory.c    arguments that may be overwritten, outputs that are views,
 *                    what is given back
 *   run.c            calls (plan.h) */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H

#include <gpugraph/copy.h>

#include "debug/debug.h"

/* --- func.c --- */

/* A function without a program; to be freed. */
int gg__func_alloc(gg_func **out, const char *name);
/* Give it the program of a rewritten graph, which is taken over in any case. */
int gg__func_finish(gg_func *f, gg__build *b);
void gg__build_clear(gg__build *b);

/* --- func_default.c --- */

/* The updates of `spec` and those that shared variables bring along, a list to
 * be freed. */
int gg__all_updates(gg_graph *g, const gg_func_spec *spec, gg_update **out);

/* --- func_copy.c --- */

/* gg_func_copy with f's lock held. */
int gg__func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec);

#endif
