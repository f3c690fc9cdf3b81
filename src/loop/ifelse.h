/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as nodes of a graph: the op "ifelse".
 *
 *   ifelse.c        types, derivatives, public functions (gpugraph/ifelse.h)
 *   ifelse_sink.c   moves nodes that only one branch needs into the choice
 *   ifelse_sizes.c  in a plan: sizes
 *   plan_ifelse.c   in a plan: one launch, which runs one branch
 *
 * A node with n outputs has the condition as input 0, followed by the inputs of
 * its inner graph (inner.h). The inner graph has 2 n outputs: the values if the
 * condition holds, then those if it does not. When users build it, its outputs
 * are its inputs: both branches are computed outside. When a function is
 * compiled, nodes that only one branch needs move inside, and so run only if
 * that branch is taken. */
#ifndef LOOP_IFELSE_H
#define LOOP_IFELSE_H

#include "graph/inner.h"

extern const gg_op gg__op_ifelse; /* gg__inner_props */

/* What a choice is made of. */
typedef struct gg__choice {
  gg_var *cond;
  unsigned int n;
  gg_var *const *roots; /* 2 n values of cond's graph */
  /* By id of a variable: nodes whose outputs have one of the marks homes[] are
   * computed inside. NULL: none are. */
  const unsigned int *home;
  unsigned int homes[2];
  gg__subst *outer; /* to the inputs of the node; NULL: the same variables */
} gg__choice;

/* Make the node. NULL, with the error kept in the graph, on failure. */
gg_apply *gg__ifelse_make(const gg__choice *c);

/* Is a node a choice as users build it, with both branches computed outside? */
int gg__ifelse_is_plain(const gg_apply *a);
/* For such a choice: the variable that output k of its inner graph is. It is an
 * input of the node, or a constant of the inner graph. */
gg_var *gg__ifelse_value(const gg_apply *a, unsigned int k);

#endif
