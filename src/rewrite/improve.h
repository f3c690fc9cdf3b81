/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on one node: which are tried, what came of them. */
#ifndef REWRITE_IMPROVE_H
#define REWRITE_IMPROVE_H

#include "rewrite/families.h"

/* A rule for one op, and what became of it. */
typedef struct gg__attempts {
  const gg__rule *rule;
  const gg_op *root;         /* NULL: any */
  struct gg__attempts *next; /* of the same op */
  /* When it or one after it asks for uses, and so is always tried. */
  unsigned int counts;
  unsigned int fired;
  unsigned int tried; /* counted and timed where asked for */
  uint64_t ns;
} gg__attempts;

typedef struct gg__improver {
  gg__build *b;
  gg__rw rw; /* what rules see */
  GA_VEC(gg__attempts) rules;
  ga__map heads; /* op -> its first rule; NULL -> the first for all */
  /* By id: phases whose rules left it as it is, and what else is known. */
  GA_VEC(unsigned char) done;
  const gg_var *at;    /* the variable that is visited, as it was before */
  unsigned int phases; /* of the present stage */
  unsigned int fired, refused;
  unsigned int stage, pass;
} gg__improver;

/* With the wanted rules of all families. */
int gg__improver_init(gg__improver *m, gg__build *b);
void gg__improver_clear(gg__improver *m);

/* Have all rules seen `v` in vain, so that none would be tried? */
int gg__is_improved(const gg__improver *m, const gg_var *v);
/* What the first rule that fires offers for `v`, the first output of a node, or
 * NULL. */
gg_var *gg__improve(gg__improver *m, gg_var *v);
/* The same for a node that a rule has just built, of rules that do not ask for
 * uses, which are not known yet. It is open if one that asks may fire later. */
gg_var *gg__improve_new(gg__improver *m, gg_var *v);
int gg__is_open(const gg__improver *m, const gg_var *v);
void gg__set_open(gg__improver *m, const gg_var *v);
/* May the outputs of the node of `w` stand for those of the node of `v`? */
int gg__can_replace_all(const gg_var *v, const gg_var *w);
/* Add to b->fired what rules did. */
int gg__improver_report(const gg__improver *m);

#endif
