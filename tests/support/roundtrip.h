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

/* The text is printed as it was read. */
void assert_same_text(const char *text);
/* What is written, and the text of the graph that it means. */
typedef struct written_text {
  const char *written, *means;
} written_text;
void assert_texts_mean(size_t n, const written_text *list);
/* A text that is no graph, and part of what is said of it, as "t". */
typedef struct refused_text {
  const char *text, *message;
} refused_text;
/* Nothing is built of them, and nothing leaks. */
void assert_texts_refused(size_t n, const refused_text *list);
/* Every prefix is read or refused, and none leaks. */
void assert_prefixes_end(const char *text);
/* Every allocation of reading fails once: the graph says so, stays usable and
 * leaks nothing. With memory enough reading ends with `code`. */
void assert_read_without_memory(const char *text, int code);

#endif
