/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices that are stages of a function (stages.c): sizes inside
 * follow from what they compute. The body of the loop, or each branch of the
 * choice, is a function, which may have stages itself.
 *
 *   stage_inside.c  makes the stage; choices
 *   stage_loop.c    runs a loop */
#ifndef FUNC_STAGE_INSIDE_H
#define FUNC_STAGE_INSIDE_H

#include "func/cut_graph.h"
#include "func/inside.h"

/* Add node `a` to the stages of f, which all inputs of the node are arguments
 * of: a loop is one stage, a choice two. `wanted`: the outputs that become
 * further arguments. */
int gg__inside_make(gg_func *f, const gg_func_spec *spec, const gg__build *b,
                    const gg_apply *a, const gg__feeds *feeds,
                    const gg__wanted *wanted);
void gg__inside_free(gg__inside *x); /* accepts NULL */

/* The spec of a function of a stage, without inputs and outputs. */
gg_func_spec gg__stage_spec(const gg_func_spec *spec);

/* Read `bytes` of a scalar. Blocks, which counts as a wait of the stage. */
int gg__inside_read(gg__inside *x, const gg_func *f, const GpuArray *a,
                    void *to, size_t bytes);
/* Run the branch `f` by `call` if it is the one that is taken. The first branch
 * finds out. `in`: all arguments; `out`: those that it computes. */
int gg__branch_run(gg__inside *x, gg_func *f, gg__call_fn *call,
                   GpuArray *const *in, GpuArray *const *out);

/* --- stage_loop.c --- */

/* Run the loop whose body is `f`, the same way. */
int gg__loop_run(gg__inside *x, gg_func *f, gg__call_fn *call,
                 GpuArray *const *in, GpuArray *const *out);

#endif
