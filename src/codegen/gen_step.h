/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner step of elementwise kernels: load, compute, store. */
#ifndef CODEGEN_GEN_STEP_H
#define CODEGEN_GEN_STEP_H

#include "base/strb.h"
#include "codegen/gen_expr.h"
#include "layout/elemwise.h"

/* A program being written. */
typedef struct ga__ew_writer {
  ga__strb *b;
  const ga__elemwise_layout *p;
  const gpuelemwise_arg *args;
  const ga__expr *e;
} ga__ew_writer;

/* The type of argument k in memory, and in scalar text. */
const char *ga__ew_stored(const ga__ew_writer *w, unsigned int k);
const char *ga__ew_worked(const ga__ew_writer *w, unsigned int k);

/* "16" for 16 lanes, "" for one. */
const char *ga__ew_suffix(unsigned int lanes);

/* Append the name of the function that makes `n` random numbers. */
void ga__ew_random(const ga__ew_writer *w, unsigned int k, const char *n);

/* Append element `index` of the array at `pointer`, as the expression sees
 * it. */
void ga__ew_element(const ga__ew_writer *w, unsigned int k, const char *pointer,
                    const char *index);

/* Append the macros STEP_1 and, if the layout has lanes, STEP_W, which do the
 * elements from ga_j on, and those that they use. */
void ga__ew_steps(const ga__ew_writer *w);

#endif
