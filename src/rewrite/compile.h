/* SPDX-License-Identifier: BSD-2-Clause */
/* A function while it is compiled, and the stages that rewrite its graph. All
 * stages are listed in func/compile.c. */
#ifndef REWRITE_COMPILE_H
#define REWRITE_COMPILE_H

#include <gpugraph/func.h>

#include "graph/graph.h"

/* How often a rewrite fired; in the order of the rule table. */
typedef struct gg__fired {
  const char *rule;
  unsigned int count;
  unsigned int tried; /* nodes it looked at; 0 unless rules are timed */
  double seconds;     /* likewise; with what it built */
} gg__fired;

/* A function while it is compiled. All variables belong to `g`, which the
 * function owns afterwards. */
typedef struct gg__build {
  gg_graph *g;
  gg_mode mode;
  GA_VEC(gg_var *) inputs;  /* leaves, in call order */
  GA_VEC(gg_var *) targets; /* shared leaf of update i */
  /* Outputs first, then the new values of the updates. */
  GA_VEC(gg_var *) results;
  size_t n_outputs;
  GA_VEC(gpucontext *) homes; /* of the results; rewriting may forget them */
  GA_VEC(gg__fired) fired;
  /* Of the spec (selection.c). */
  const char *const *include, *const *exclude;
  int checks_bounds; /* the family "bounds" is included, too */
  unsigned int max_passes;
  FILE *trace;
  int times_rules;
  int no_fusion, no_inplace; /* whatever the lists say */
  int frees_temps;           /* GG_FREE_TEMPS */
  int keeps_subnormals;      /* GG_KEEP_SUBNORMALS */
} gg__build;

/* --- selection.c --- */

#define GG_STAGE_FUSION "fusion"
#define GG_STAGE_INPLACE "inplace"
#define GG_FAMILY_BOUNDS "bounds"

/* Take mode, lists and bounds of a spec; an unknown name is an error in g. */
int gg__select(gg__build *b, gg_graph *g, const gg_func_spec *spec);
/* Is a rule of a family wanted? Stages are families of themselves. */
int gg__selected(const gg__build *b, const char *family, const char *rule);
/* Does the spec include it by name? */
int gg__requested(const gg__build *b, const char *family, const char *rule);

/* Rewrite b->results. Types of results never change. Values do not change
 * beyond rounding, and stay finite at least where they were. After it no
 * GG_OP_MACRO node is left. */
int gg__rewrite(gg__build *b);

/* Do these axes of a value make rows of row programs, which a kernel reads well
 * (rw_axes.c)? */
int gg__are_rows(const gg_type *t, unsigned int mask, int is_cpu);

/* Replace every GG_OP_MACRO node below b->results by what it stands for
 * (lower.c). */
int gg__lower(gg__build *b);
/* Let the results be what `s`, which is of b->g, makes of them (lower.c). */
int gg__replace_results(gg__build *b, gg__subst *s);

/* Move what only one branch of a choice needs into it (ifelse_sink.c). */
int gg__sink_branches(gg__build *b);
/* Rebuild loops without what nobody asks for (loop_prune.c). */
int gg__prune_loops(gg__build *b);
/* Give every variable that the results depend on a context. */
int gg__settle(gg__build *b);

#endif
