/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on one node: which are tried, and with what result. */
#ifndef REWRITE_IMPROVE_H
#define REWRITE_IMPROVE_H

#include "rewrite/families.h"

/* A rule for one op, and its counts. */
typedef struct gg__attempts {
  const gg_rule *rule;
  int any_dtype;             /* of its family */
  int is_added;              /* a user has registered it */
  const gg_op *root;         /* NULL: any */
  struct gg__attempts *next; /* the next rule for the same op */
  /* Phases of this rule and later ones of the chain that depend on uses. These
   * are tried again in every pass. */
  unsigned int counts;
  unsigned int fired;
  unsigned int tried; /* counted only if rules are timed */
  uint64_t ns;
} gg__attempts;

typedef struct gg__improver {
  gg__build *b;
  gg_rewriting rw; /* what rules see */
  GA_VEC(gg__attempts) rules;
  ga__map heads;     /* op -> its first rule; NULL -> the first for all */
  gg__attempts *any; /* the first for all, which every visit needs */
  /* By id of a variable: phases whose rules declined it, and flags
   * (improve.c). */
  GA_VEC(unsigned char) done;
  const gg_var *at;    /* the variable that the pass visits, in its form before
                          the pass */
  unsigned int phases; /* phases of the present stage */
  unsigned int fired, refused;
  unsigned int stage, pass;
  int has_added;    /* a rule of users has fired */
  size_t most_vars; /* their rules stop when the graph has more variables, */
  unsigned int is_full; /* as it had */
} gg__improver;

/* Collect the selected rules of all families. Clear in any case. */
int gg__improver_init(gg__improver *m, gg__build *b);
void gg__improver_clear(gg__improver *m);

/* Has every rule declined `v`, so that none would be tried? */
int gg__is_improved(const gg__improver *m, const gg_var *v);
/* The replacement by the first rule that fires on `v`, the first output of a
 * node; NULL if none fires. */
gg_var *gg__improve(gg__improver *m, gg_var *v);
/* The same for a node that a rule has just built. Rules that depend on uses are
 * not applied, since its uses are not known yet. The node is open if one of
 * these may fire in a later pass. */
gg_var *gg__improve_new(gg__improver *m, gg_var *v);
int gg__is_open(const gg__improver *m, const gg_var *v);
void gg__set_open(gg__improver *m, const gg_var *v);
/* May the outputs of w's node replace those of v's node? */
int gg__can_replace_all(const gg_var *v, const gg_var *w);
/* Add the counts of rules to b->fired. */
int gg__improver_report(const gg__improver *m);

#endif
