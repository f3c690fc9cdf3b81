/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function is asked to be, checked before anything is copied and again
 * when the copy is there. */
#ifndef FUNC_REQUEST_H
#define FUNC_REQUEST_H

#include <gpugraph/func.h>

#include "graph/inner.h"
#include "rewrite/compile.h"

/* A spec with its lists counted. */
typedef struct gg__request {
  const gg_func_spec *spec;
  gg_graph *g; /* the user's, where errors go */
  size_t n_inputs, n_outputs, n_updates, n_givens;
} gg__request;

/* A list that a failed expression cut short has left its error in the graph,
 * which is reported before anything else. */
void gg__request_init(gg__request *r, gg_graph *g, const gg_func_spec *spec);
/* Is it one that can be compiled? */
int gg__request_check(const gg__request *r);
/* Copy what it names to b->g, which is new, with givens replaced. */
int gg__copy_graph(gg__build *b, const gg__request *r);
/* The same of the graph inside a node: all inputs, outputs first ..
 * first + n - 1. */
int gg__copy_inner(gg__build *b, const gg__inner *x, unsigned int first,
                   unsigned int n);
/* Leave behind what rewriting has tried and dropped: move to a new graph. */
int gg__compact(gg__build *b);

/* Its copy is in `b`: are inputs missing, or given for nothing? */
int gg__request_check_inputs(const gg__request *r, const gg__build *b);

#endif
