/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs at random, each of which follows from its number: every op of the
 * table of cases (cases.h) and those of random_ops.c, whose properties are at
 * random too, in all dtypes that ops take, with sizes of 0 and 1 among the
 * others, known and not, axes that stretch, constants of all kinds, values
 * whose elements are all equal, and gradients. */
#ifndef SUPPORT_RANDOM_GRAPH_H
#define SUPPORT_RANDOM_GRAPH_H

#include "support/interp.h"

enum {
  RANDOM_MOST = 64,    /* values of a graph */
  RANDOM_MOST_IN = 24, /* inputs */
  RANDOM_MOST_RESULTS = 4,
  RANDOM_SIZES = 3 /* different ones in a graph */
};

typedef struct random_input {
  gg_var *v;
  size_t dims[GG_MAX_ND], n;
  double *value; /* of the dtype, exactly */
} random_input;

typedef struct random_graph {
  uint64_t state; /* of what is drawn */
  gg_graph *g;
  int dtype; /* that most operands have */
  size_t size[RANDOM_SIZES];
  random_input in[RANDOM_MOST_IN];
  unsigned int n_in;
  gg_var *v[RANDOM_MOST]; /* with test values */
  unsigned int n;
  gg_var *result[RANDOM_MOST_RESULTS + 1]; /* up to NULL */
  unsigned int n_results;
} random_graph;

/* The graph of that number, in test_context(). */
void random_graph_make(random_graph *r, size_t number);
void random_graph_clear(random_graph *r);
/* Give an interpreter the values of the inputs; of a random_graph. */
void random_graph_bind(const void *r, interp *it);

/* --- for random_ops.c --- */

unsigned int random_below(random_graph *r, size_t n);
double random_between(random_graph *r, double lo, double hi);
int random_dtype(random_graph *r);
/* A value that there is, a recent one more often. */
gg_var *random_pick(random_graph *r);
/* Something of a dtype and rank: what there is, perhaps cast, or an input. NULL
 * when there are enough inputs. */
gg_var *random_operand(random_graph *r, int dtype, unsigned int nd);
/* One op with properties at random, also of the kind that it refuses: then
 * NULL, or what has no test value. */
gg_var *random_op(random_graph *r);
/* The same of running sums, sorting, selection and counting. */
gg_var *random_order(random_graph *r);

#endif
