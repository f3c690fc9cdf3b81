/* SPDX-License-Identifier: BSD-2-Clause */
/* Inner graphs: the body of a loop, the branches of a choice.
 *
 * An inner graph is a graph of its own, made of inputs, constants and nodes.
 * What it needs from outside are inputs of the node. It never changes and is
 * reference-counted. Equal inner graphs are one object, so nodes with inner
 * graphs merge like all others. The properties of such a node are the pointer
 * to it, gg__inner_props.
 *
 * `words` are what else the op needs, such as which input is a state: integers
 * in an order that the op defines. A file stores a node's op, its words and its
 * inner graph. */
#ifndef GRAPH_INNER_H
#define GRAPH_INNER_H

#include <stdatomic.h>

#include "graph/graph.h"

typedef struct gg__inner {
  atomic_uint refs;
  gg_graph *g;  /* owned; nothing is built in it */
  gg_var **in;  /* its inputs, in an order that the op defines */
  gg_var **out; /* its outputs; these may be inputs or constants */
  int64_t *words;
  unsigned int n_in, n_out, n_words;
  ga__strb key; /* its content, as bytes */
} gg__inner;

/* Properties of every op of kind GG_OP_INNER. */
typedef struct gg__inner_props {
  gg__inner *inner;
} gg__inner_props;

GA_NO_PADDING(gg__inner_props, sizeof(void *));

/* Find or create the inner graph with this content. Takes ownership of `g` in
 * any case. in and out are variables of g, and every input that an output
 * depends on is among `in`. The caller owns the reference that is returned.
 * NULL on failure, with the error recorded in `to`. */
gg__inner *gg__inner_new(gg_graph *to, gg_graph *g, unsigned int n_in,
                         gg_var *const *in, unsigned int n_out,
                         gg_var *const *out, unsigned int n_words,
                         const int64_t *words);
gg__inner *gg__inner_retain(gg__inner *x);
void gg__inner_release(gg__inner *x); /* accepts NULL */

/* The graph inside a node, NULL if it has none. Borrowed. */
static inline gg__inner *gg__inner_of(const gg_apply *a) {
  return a->op->kind == GG_OP_INNER ? ((const gg__inner_props *)a->props)->inner
                                    : NULL;
}

/* Copy the inner graph into `s->g`, with in[0], ... in place of its inputs
 * (NULL: this input is not replaced). Sets out[0], ... */
int gg__inner_expand(const gg__inner *x, gg__subst *s, gg_var *const *in,
                     gg_var **out);

#endif
