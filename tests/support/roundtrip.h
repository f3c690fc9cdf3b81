/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs through text and files, for tests. */
#ifndef SUPPORT_ROUNDTRIP_H
#define SUPPORT_ROUNDTRIP_H

#include "support/device.h"

#include <gpugraph/gpugraph.h>

/* The text of a graph; to be freed with free(). Fails the test on an error. */
char *graph_text(gg_graph *g, int flags);
/* A graph of a text, in a context or none; freed by the caller. Fails the test
 * unless it reads. */
gg_graph *graph_of_text(gpucontext *ctx, const char *text);
/* The same through a file of the test. */
gg_graph *graph_of_file(gpucontext *ctx, gg_graph *g);

#endif
