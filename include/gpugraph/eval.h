/* SPDX-License-Identifier: BSD-2-Clause */
/** \file eval.h
 *  Compute the value of a variable in one call.
 */
#ifndef GPUGRAPH_EVAL_H
#define GPUGRAPH_EVAL_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A variable and its value. */
typedef struct gg_value {
  gg_var *var;
  GpuArray *array;
} gg_value;

/** Lists end with NULL; NULL is an empty list. (C only.) */
#define GG_VALUES(...) GG_LIST(gg_value, __VA_ARGS__)

/** How many functions a graph keeps for gg_eval; a new one replaces the least
 *  recently used. */
#define GG_MAX_EVALS 16

/** Compute `v` for these values of inputs and of other variables, which are
 *  then not computed. `v` must depend on each of them.
 *
 *      gg_eval(loss, GG_VALUES({x, &images}, {y, &labels}), &out);
 *
 *  \param out as an output of gg_func_call (func.h)
 *
 *  The call makes the default updates of shared variables. The first call for
 *  `v` and a set of variables compiles a function. The graph keeps the function
 *  until the graph is freed, until gg_shared_set_update or gg_graph_on_print
 *  change what functions do, or until another function replaces it
 *  (GG_MAX_EVALS). Only one thread at a time may use the graph, as for
 *  building. Does not block for the result.
 *
 *  On failure *out is unchanged and the message is in the graph
 *  (gg_graph_error). Reset the error (gg_graph_reset_error) before you use the
 *  graph again. */
GG_PUBLIC int gg_eval(gg_var *v, const gg_value *at, GpuArray *out);

#ifdef __cplusplus
}
#endif

#endif
