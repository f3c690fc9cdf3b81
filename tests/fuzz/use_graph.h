/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program does with a graph that it has read: differentiate, compile and
 * call it. */
#ifndef FUZZ_USE_GRAPH_H
#define FUZZ_USE_GRAPH_H

#include <gpugraph/gpugraph.h>

/* The context for such graphs, or NULL where there is no device. */
gpucontext *fuzz_context(void);

/* Whether the graph can be used within bounds of time and memory. */
int fuzz_is_small(const gg_graph *g);

/* The functions of a graph in fuzz_context() and one of its own, of all inputs
 * and the last variables, with the gradient of these: all are compiled or
 * refused with a message. With `calls`, they are called, too: where a call ends
 * well without rewriting it does so with it. Aborts otherwise. */
void fuzz_use_graph(gg_graph *g, int calls);

#endif
