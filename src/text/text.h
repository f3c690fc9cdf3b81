/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text, and back (docs/save.md). Values may lie outside of the text.
 *
 *   printer.c   labels, and which variables have a line of their own
 *   text_out.c, _block, _expr, _context, _func   a graph to text
 *   parser.c    errors, tokens, numbers, labels and scopes
 *   text_in.c, _block, _context, _sizes, _func   text to a graph
 *   text_leaf.c, text_expr.c   the right side of "="
 *   text_props.c   properties of ops
 *   text_apply.c   applying an op to the operands in the text
 *   spec.c      functions by name, and the lists of their specs
 *   adopt.c     adding what was read to the caller's graph */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include "graph/graph.h"

#include <gpugraph/save.h>

/* Variables whose elements are in blocks: variable i in block i. */
typedef GA_VEC(const gg_var *) gg__blocks;

/* Append the text of all that belongs in a file. With `blocks`, the text
 * refers to the values of shared variables and of large constants by block,
 * and their variables are appended to `blocks`. *version is the lowest format
 * version that suffices. */
int gg__text_print(gg_graph *g, int flags, gg__blocks *blocks, ga__strb *out,
                   int *version);

typedef struct gg__block {
  uint64_t at, bytes; /* in the file */
  uint64_t sum;       /* XXH64 of the bytes */
} gg__block;

/* A source of blocks. `read` copies block `i` to an array in C order or to
 * host memory, or to neither, and checks it. It records errors in `g`. */
typedef struct gg__block_source {
  uint64_t n;
  const gg__block *table;
  int (*read)(struct gg__block_source *s, gg_graph *g, uint64_t i,
              GpuArray *array, void *host, int dtype);
} gg__block_source;

/* What to read. With `blocks`, these hold all values of shared variables. */
typedef struct gg__reading {
  const char *name; /* for messages */
  const char *text;
  size_t bytes;
  gg__block_source *blocks; /* or NULL */
  gg_load_options o;
  gg_graph *into; /* gets what was read, in the end */
} gg__reading;

/* Read text into an empty graph. */
int gg__text_parse(gg_graph *g, const gg__reading *r);

/* Call `read` with a new graph and `arg`, and add what it read to `g`. On
 * failure `g` gets the error, and nothing else. */
int gg__graph_read(gg_graph *g, int (*read)(gg_graph *fresh, void *arg),
                   void *arg);

#endif
