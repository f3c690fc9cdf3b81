/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text, and back; values may stand elsewhere (docs/save.md).
 *
 *   printer.c   labels, and which variables have a line of their own
 *   text_out.c, _block, _expr, _context, _func   a graph to text
 *   parser.c    failures, tokens, numbers and labels
 *   text_in.c, _block, _context, _func           text to a graph
 *   text_leaf.c, text_expr.c   what stands right of the "="
 *   text_props.c   properties of ops
 *   text_apply.c   an op on operands that are written down
 *   spec.c      functions by name, and the lists of their specs
 *   adopt.c     what was read, into the graph that is there */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include "graph/graph.h"

#include <gpugraph/save.h>

/* Variables whose elements stand in numbered blocks. */
typedef GA_VEC(const gg_var *) gg__blocks;

/* Append the text of all that belongs in a file. With `blocks`, the values of
 * shared variables and of large constants are only referred to, and their
 * variables listed. *version is that of the format that has all of it. */
int gg__text_print(gg_graph *g, int flags, gg__blocks *blocks, ga__strb *out,
                   int *version);

typedef struct gg__block {
  uint64_t at, bytes; /* in the file */
  uint64_t sum;       /* XXH64 of the bytes */
} gg__block;

/* Where blocks come from. `read` brings block number `i` to an array in C order
 * or to host memory, or to neither, and checks it. It leaves its failures in
 * `g`. */
typedef struct gg__block_source {
  uint64_t n;
  const gg__block *table;
  int (*read)(struct gg__block_source *s, gg_graph *g, uint64_t i,
              GpuArray *array, void *host, int dtype);
} gg__block_source;

/* What is read. With `blocks`, that is all there is of shared values. */
typedef struct gg__reading {
  const char *name; /* for messages */
  const char *text;
  size_t bytes;
  gg__block_source *blocks;        /* or NULL */
  const gg_context_name *contexts; /* as gg_graph_load_in */
  gg_graph *into;                  /* what is read goes there in the end */
} gg__reading;

/* Read text into an empty graph. */
int gg__text_parse(gg_graph *g, const gg__reading *r);

/* Clone all variables and functions of `from`; `from` stays as it is. */
int gg__graph_adopt(gg_graph *g, const gg_graph *from);
/* Keep the error of `from`, unless there is one. */
int gg__graph_take_error(gg_graph *g, const gg_graph *from);

#endif
