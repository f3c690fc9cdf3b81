/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/sort.cl. */
#ifndef CODEGEN_GEN_SORT_H
#define CODEGEN_GEN_SORT_H

#include "base/strb.h"

enum { GA_SORT_SHORT = 32 }; /* most elements of a short row */

typedef struct ga__gen_sort {
  int dtype;
  int is_descending, has_values, has_indices, wide_index;
  unsigned int digit_bits, group;
  unsigned int nk; /* dimensions of the rows, at least 1 */
} ga__gen_sort;

void ga__gen_sort_write(ga__strb *b, const ga__gen_sort *g);

#endif
