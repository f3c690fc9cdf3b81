/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of gen_reduce.c that deal with expressions and indices. */
#ifndef CODEGEN_GEN_REDUCE_EXPR_H
#define CODEGEN_GEN_REDUCE_EXPR_H

#include "codegen/gen_reduce.h"

/* The function r_map of the mode that W_LANES says. Its parameters are, per
 * input, a pointer and the distance of the lanes, or a value. */
void ga__reduce_write_map(ga__strb *b, const ga__gen_reduce *g, int is_vector);

/* The function r_post that turns acc into the outputs, of output number r_o. */
void ga__reduce_write_post(ga__strb *b, const ga__gen_reduce *g);

/* Declare the index of each dimension from `first` on, given the number
 * `count` of the element: `name`0, ... . `sizes` names the sizes. */
void ga__reduce_write_indices(ga__strb *b, const char *name, const char *sizes,
                              const char *count, unsigned int first,
                              unsigned int nd);

/* " + index * stride" of operand i, for dimensions from `first` on. */
void ga__reduce_write_distance(ga__strb *b, const char *index,
                               const char *stride, unsigned int i,
                               unsigned int first, unsigned int nd);

#endif
