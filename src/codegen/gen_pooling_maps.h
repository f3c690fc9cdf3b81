/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of gen_pooling.c: what is computed in front of windows and behind
 * them. */
#ifndef CODEGEN_GEN_POOLING_MAPS_H
#define CODEGEN_GEN_POOLING_MAPS_H

#include "base/strb.h"
#include "codegen/gen_pooling_form.h"

/* The name of argument k in macros and parameters: x<k> in front, y<k> behind,
 * and i for the indices. */
void ga__gen_pooling_name(char name[16], const ga__gen_pooling_maps *m,
                          unsigned int k);
/* Nonzero if argument k is an array that the kernel has. */
int ga__gen_pooling_is_array(const ga__gen_pooling_maps *m, unsigned int k);

/* Append the functions p_map<lanes> and p_post<lanes>. They go in front of all
 * macros but W_LANES, which must not replace names of the user. */
void ga__gen_pooling_functions(ga__strb *b, const ga__gen_pooling *g,
                               const ga__gen_pooling_maps *m);
/* Append the macros that call them. */
void ga__gen_pooling_calls(ga__strb *b, const ga__gen_pooling *g,
                           const ga__gen_pooling_maps *m);

#endif
