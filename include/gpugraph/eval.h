/* SPDX-License-Identifier: BSD-2-Clause */
/** \file eval.h
 *  The value of a variable, without a function of one's own.
 */
#ifndef GPUGRAPH_EVAL_H
#define GPUGRAPH_EVAL_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A variable and what it is to be. */
typedef struct gg_value {
  gg_var *var;
  GpuArray *array;
} gg_value;

/** Lists end with NULL; NULL is an empty list. (C only.) */
#define GG_VALUES(...) ((gg_value[]){__VA_ARGS__, {NULL, NULL}})

/** How many functions a graph keeps for gg_eval; a further one takes the place
 *  of the one that was used longest ago. */
#define GG_MAX_EVALS 16

/** Compute `v` where variables have these values: inputs, each of which `v`
 *  must depend on, and others, which are then not computed.
 *
 *      gg_eval(loss, GG_VALUES({x, &images}, {y, &labels}), &out);
 *
 *  \param out as one of gg_func_call's (func.h), which says what arrays fit
 *
 *  Updates that shared variables bring along are made. The first call for `v`
 *  and a set of variables compiles a function. The graph keeps it until it is
 *  freed, until gg_shared_set_update or gg_graph_on_print change what functions
 *  do, or GG_MAX_EVALS others come. Counts as building: one thread at a time.
 *
 *  On failure the code is returned, *out is as it was and the message is in the
 *  graph (gg_graph_error), to be reset before building goes on. */
GG_PUBLIC int gg_eval(gg_var *v, const gg_value *at, GpuArray *out);

#ifdef __cplusplus
}
#endif

#endif
