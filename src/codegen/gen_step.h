/* SPDX-License-Identifier: BSD-2-Clause */
/* The innermost part of elementwise kernels: load, compute, store. */
#ifndef CODEGEN_GEN_STEP_H
#define CODEGEN_GEN_STEP_H

#include "base/strb.h"
#include "codegen/gen_expr.h"
#include "layout/elemwise.h"

/* The source being written. */
typedef struct ga__ew_writer {
  ga__strb *b;
  const ga__elemwise_layout *p;
  const gpuelemwise_arg *args;
  const ga__expr *e;
} ga__ew_writer;

/* Whether an argument is read by index, and the type of places in such
 * arguments. */
int ga__ew_has_taken(const ga__ew_writer *w);
const char *ga__ew_place(const ga__ew_writer *w);

/* The type of argument k in memory, and in the expression. */
const char *ga__ew_stored(const ga__ew_writer *w, unsigned int k);
const char *ga__ew_worked(const ga__ew_writer *w, unsigned int k);

/* "16" for 16 lanes, "" for one. */
const char *ga__ew_suffix(unsigned int lanes);

/* Append the name of the function for `n` random numbers; "" means one. */
void ga__ew_random(const ga__ew_writer *w, unsigned int k, const char *n);

/* Append an expression for element `index` of the array at `pointer`, in the
 * type that the user's expression uses. */
void ga__ew_element(const ga__ew_writer *w, unsigned int k, const char *pointer,
                    const char *index);

/* Append the macros STEP_1 and, if the layout has lanes, STEP_W, which compute
 * one element, or a vector, from ga_j on. Append the macros that they use,
 * too. */
void ga__ew_steps(const ga__ew_writer *w);

#endif
