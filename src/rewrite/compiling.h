/* SPDX-License-Identifier: BSD-2-Clause */
/* A function while it is compiled, and the stages that rewrite its graph. All
 * stages are listed in func/compile.c. */
#ifndef REWRITE_COMPILING_H
#define REWRITE_COMPILING_H

#include <gpugraph/func.h>

#include "graph/graph.h"

/* How often a rewrite fired. Listed in the order of the rule table. */
typedef struct gg__fired {
  const char *rule;
  unsigned int count;
  unsigned int tried; /* nodes that it examined; 0 unless rules are timed */
  double seconds;     /* 0 unless rules are timed; includes building nodes */
} gg__fired;

/* A function while it is compiled. All variables belong to `g`, which the
 * function owns afterwards. */
typedef struct gg__build {
  gg_graph *g;
  gg_mode mode;
  GA_VEC(gg_var *) inputs;  /* leaves, in call order */
  GA_VEC(gg_var *) targets; /* the shared variable of update i */
  /* Outputs first, then the new values of the updates. */
  GA_VEC(gg_var *) results;
  size_t n_outputs;
  GA_VEC(gpucontext *) homes; /* of the results before rewriting */
  GA_VEC(gg__fired) fired;
  /* From the spec (selection.c). */
  const char *const *include, *const *exclude;
  int checks_bounds; /* includes the family "bounds" */
  unsigned int max_passes;
  FILE *trace;
  int times_rules;
  int no_fusion, no_inplace; /* regardless of include and exclude */
  int frees_temps;           /* GG_FREE_TEMPS */
  int keeps_subnormals;      /* GG_KEEP_SUBNORMALS */
} gg__build;

/* --- selection.c --- */

#define GG_STAGE_FUSION "fusion"
#define GG_STAGE_INPLACE "inplace"
#define GG_FAMILY_BOUNDS "bounds"

/* Take over the mode, lists and flags of a spec. An unknown name is an error in
 * g. */
int gg__select(gg__build *b, gg_graph *g, const gg_func_spec *spec);
/* Is this rule of a family selected? Each stage is a family of its own. */
int gg__selected(const gg__build *b, const char *family, const char *rule);
/* Does the spec include the rule, by its name or its family's, and not exclude
 * it? */
int gg__requested(const gg__build *b, const char *family, const char *rule);

/* Rewrite b->results. Types of results do not change. Values change only by
 * rounding, and remain finite where they were. Afterwards no GG_OP_MACRO node
 * is left. */
int gg__rewrite(gg__build *b);

/* Are these axes of a value rows that a row program reads fast (rw_axes.c)? */
int gg__are_rows(const gg_type *t, unsigned int mask, int is_cpu);

/* Replace every GG_OP_MACRO node below b->results by its composition
 * (lower.c). */
int gg__lower(gg__build *b);
/* Replace the results as `s` maps them; `s` belongs to b->g (lower.c). */
int gg__replace_results(gg__build *b, gg__subst *s);

/* Move nodes that only one branch of a choice needs into that branch
 * (ifelse_sink.c). */
int gg__sink_branches(gg__build *b);
/* Rebuild loops without outputs and states that nothing uses (loop_prune.c). */
int gg__prune_loops(gg__build *b);
/* Give every variable that the results depend on a context (settle.c). */
int gg__settle(gg__build *b);

#endif
