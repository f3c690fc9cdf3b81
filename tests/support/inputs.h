/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs and values of the case table. */
#ifndef SUPPORT_INPUTS_H
#define SUPPORT_INPUTS_H

#include "support/cases.h"
#include "support/interp.h"

/* How much the types of a case's inputs tell. */
typedef enum case_sizes { SIZES_KNOWN, SIZES_OPEN } case_sizes;

/* A case in one dtype: its graph and its operands' values as doubles, which
 * the dtype holds exactly. */
typedef struct case_run {
  const op_case *c;
  gg_graph *g; /* borrowed */
  gg_var *x[3];
  gg_var *y; /* the result */
  double *value[3];
  size_t n[3]; /* elements */
} case_run;

/* Build case `c` in `g` for `dtype`. Returns 0 when the case does not exist in
 * that dtype. Open sizes are those that are not 1. */
int case_begin(case_run *r, const op_case *c, gg_graph *g, int dtype,
               case_sizes sizes);
/* Give the inputs to an interpreter of the case's graph. */
void case_bind(const case_run *r, interp *it);
void case_end(case_run *r);

/* A scalar that depends on all elements of r->y, whose value is `y`, on each
 * differently: something to differentiate. */
gg_var *case_cost(const case_run *r, const tensor *y);

/* A group test with one test per case, each with its case as the state. */
int case_group(const char *name, void (*test)(void **state));

#endif
