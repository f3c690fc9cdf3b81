/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as nodes of a graph: the op "ifelse".
 *
 *   ifelse.c       types, derivatives, what users see (gpugraph/ifelse.h)
 *   ifelse_sink.c  moves what only one branch needs into it
 *   ifelse_sizes.c  in a plan: sizes
 *   plan_ifelse.c   in a plan: one launch, the branch that runs
 *
 * A node of n outputs has the condition as input 0 and, behind it, what its
 * inner graph (inner.h) wants. The inner graph has 2 n outputs: the values if
 * the condition holds, then those if it does not. As users build it, it passes
 * its inputs through: both branches are computed outside. When a function is
 * compiled, nodes that serve a single branch move inside, and so run only when
 * that branch is taken. */
#ifndef LOOP_IFELSE_H
#define LOOP_IFELSE_H

#include "graph/inner.h"

extern const gg_op gg__op_ifelse; /* gg__inner_props */

/* A choice to be made. */
typedef struct gg__choice {
  gg_var *cond;
  unsigned int n;
  gg_var *const *roots; /* 2 n values of cond's graph */
  /* By id: nodes whose outputs have this mark are computed inside. NULL: none
   * are. */
  const unsigned int *home;
  unsigned int homes[2];
  gg__subst *outer; /* for cond and what comes in from outside; may be NULL */
} gg__choice;

/* The node; NULL, with the error kept in the graph, on failure. */
gg_apply *gg__ifelse_make(const gg__choice *c);

/* Is it a choice as users build it, whose branches are computed outside? */
int gg__ifelse_is_plain(const gg_apply *a);
/* What output k of the inner graph of such a choice is: a variable outside, or
 * a constant of the inner graph. */
gg_var *gg__ifelse_value(const gg_apply *a, unsigned int k);

#endif
