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
#include "func/func.h"
#include "loop/loop.h"

typedef GA_VEC(unsigned int) gg__wanted;

struct gg__inside {
  gg__inner *inner; /* retained; `l` points into it */
  gg__loop l;       /* of a loop */
  int is_loop;
  int holds;               /* of a choice's first branch: the condition */
  const gg__inside *first; /* of its other branch: the first one */
  const char *op;
  gg__site site;
  gg__waited waited;      /* for what the stage itself reads */
  double steps;           /* of a loop; -1: it is an argument */
  const gg_func *counter; /* which has computed that argument as its output */
  size_t counted;         /* `counted`; or NULL */
  unsigned int *from;     /* by input of the node: the argument that it is */
  unsigned int *out;      /* by argument that it computes: output of the node */
  unsigned int n_out;
  ga__arena arena; /* holds the lists, and this */
};

/* Add node `a` to the stages of f, which all inputs of the node are arguments
 * of: a loop is one stage, a choice two. `wanted`: the outputs that become
 * further arguments. */
int gg__inside_make(gg_func *f, const gg_func_spec *spec, const gg__build *b,
                    const gg_apply *a, const gg__feeds *feeds,
                    const gg__wanted *wanted);
void gg__inside_free(gg__inside *x); /* accepts NULL */

/* Run the stage, whose body or branch is `f`. `in`: all arguments; `out`: those
 * that it computes. */
int gg__inside_run(gg__inside *x, gg_func *f, GpuArray *const *in,
                   GpuArray *const *out);
/* Read `bytes` of a scalar. Blocks, which counts as a wait of the stage. */
int gg__inside_read(gg__inside *x, const gg_func *f, const GpuArray *a,
                    void *to, size_t bytes);
/* Run the body or the branch. */
int gg__inside_call(gg_func *f, GpuArray *const *in, GpuArray *const *out);

/* --- stage_loop.c --- */

int gg__loop_run(gg__inside *x, gg_func *f, GpuArray *const *in,
                 GpuArray *const *out);

/* --- stages.c --- */

/* The spec of a function of a stage, without inputs and outputs. */
gg_func_spec gg__stage_spec(const gg_func_spec *spec);

#endif
