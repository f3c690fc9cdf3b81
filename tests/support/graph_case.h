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

#endif
