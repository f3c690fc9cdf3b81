/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: what gg_func_new was asked for. They are checked before the graph
 * is copied and again afterwards. */
#ifndef FUNC_REQUEST_H
#define FUNC_REQUEST_H

#include <gpugraph/func.h>

#include "graph/inner.h"
#include "rewrite/compiling.h"

/* A spec with its lists counted. */
typedef struct gg__request {
  const gg_func_spec *spec;
  gg_graph *g; /* the user's, where errors go */
  size_t n_inputs, n_outputs, n_updates, n_givens;
} gg__request;

/* Count the lists of a spec. Where a failed expression ends a list early, its
 * error is in the graph, and gg__request_check returns it first. */
void gg__request_init(gg__request *r, gg_graph *g, const gg_func_spec *spec);
/* Check all lists and flags. The message is in r->g. */
int gg__request_check(const gg__request *r);
/* Copy what the request names to b->g, which is empty, with givens replaced. */
int gg__copy_graph(gg__build *b, const gg__request *r);
/* The same for an inner graph: all its inputs, and outputs first ..
 * first + n - 1. */
int gg__copy_inner(gg__build *b, const gg__inner *x, unsigned int first,
                   unsigned int n);
/* Move to a new graph, without the nodes that rewriting left unused. */
int gg__compact(gg__build *b);

/* Set bit 0 of marks[id] for these variables, of which some may be NULL, and
 * for all that they are computed from. */
int gg__mark_used(unsigned char *marks, size_t n, gg_var *const *roots);
/* Check the copy in `b` for inputs that are missing or not used. */
int gg__request_check_inputs(const gg__request *r, const gg__build *b);

#endif
