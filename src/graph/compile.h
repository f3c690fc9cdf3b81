/* SPDX-License-Identifier: BSD-2-Clause */
/* From a graph to a program: the stages of gg_func_new.
 *
 *   clone    the asked-for part of the user's graph, givens replaced  (func.c)
 *   rewrite  passes of named rules until nothing changes           (rewrite.c)
 *   fuse     apply nodes into steps, each one kernel or view          (fuse.c)
 *   plan     for given shapes: buffers, launches, bindings            (plan.c)
 *   run      bind what changed, enqueue                                (run.c)
 */
#ifndef GRAPH_COMPILE_H
#define GRAPH_COMPILE_H

#include <gpugraph/func.h>

#include "graph/graph.h"

/* How often a rewrite fired; in the order of the rule table. */
typedef struct gg__fired {
  const char *rule;
  unsigned int count;
} gg__fired;

/* A function while it is compiled. All variables belong to `g`, which the
 * function owns afterwards. */
typedef struct gg__build {
  gg_graph *g;
  gg_mode mode;
  GA_VEC(gg_var *) inputs;  /* leaves, in call order */
  GA_VEC(gg_var *) targets; /* shared leaf of update i */
  /* Outputs first, then the new values of the updates. */
  GA_VEC(gg_var *) results;
  size_t n_outputs;
  GA_VEC(gg__fired) fired;
} gg__build;

/* Rewrite b->results. Types of results never change. Values do not change
 * beyond rounding, and stay finite at least where they were. After it no
 * GG_OP_MACRO node is left. */
int gg__rewrite(gg__build *b);

#endif
