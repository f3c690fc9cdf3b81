/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program is cut because sizes follow from data. */
#ifndef FUNC_CUT_GRAPH_H
#define FUNC_CUT_GRAPH_H

#include "rewrite/compiling.h"

/* A value that the program makes again where it is needed, but that a loop or
 * a choice, which is a stage, gets as an argument. */
typedef struct gg__fed {
  gg_var *var;
  unsigned int argument;
} gg__fed;
typedef GA_VEC(gg__fed) gg__feeds;

/* The first stage that the rest of a program needs. */
typedef struct gg__cut {
  /* What a function has to compute: the scalars that the host needs to know
   * before it plans the rest, and the arrays that both need. They replace
   * variables of the rest; those from `n_through` on only feed loops and
   * choices. */
  GA_VEC(gg_var *) crossing;
  size_t n_through;
  /* If nothing crosses: a loop or a choice that is the stage, or NULL if the
   * rest needs none. The host knows all sizes then, or finds an error in them
   * later. */
  const gg_apply *inside;
} gg__cut;

/* Find the first stage. `feeds` lists what arguments hold already. The caller
 * clears out->crossing. */
int gg__cut_find(gg__cut *out, gg__build *b, const gg__feeds *feeds);

#endif
