/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of graphs begin with: a graph of the test's context, and arrays
 * for arguments and results, cleared with it. */
#ifndef SUPPORT_GRAPH_CASE_H
#define SUPPORT_GRAPH_CASE_H

#include "support/funcs.h"

extern gg_graph *g;
extern GpuArray a, b, out, out2;

/* cmocka's setup and teardown; other set-ups may call them. */
int graph_setup(void **state);
int graph_teardown(void **state);

/* A builder returned NULL, and this is the graph's error, which is reset. */
void graph_refused(const void *made, const char *message);
/* The graph has an error with this code and part of its message, which is
 * reset. */
void graph_says(int code, const char *part);

#endif
