/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/sort_word.cl. */
#ifndef CODEGEN_GEN_SORT_H
#define CODEGEN_GEN_SORT_H

#include "base/strb.h"

enum { GA_SORT_SHORT = 32 }; /* most elements of a short row */

typedef struct ga__gen_sort {
  int dtype;
  int has_indices, wide_index, is_flat;
  unsigned int digit_bits, group;
  unsigned int nk;    /* dimensions of the rows, at least 1 */
  unsigned int items; /* elements of a work-item of cl/sort_tile.cl; or 0 */
  unsigned int
      edges; /* most edges that all elements share (cl/edges.cl), or 0 */
  int wide_positions; /* of workspaces of that */
  int has_warps;      /* its digits are compared by instructions of NVIDIA */
} ga__gen_sort;

/* Those in front of cl/sort_scan.cl. */
void ga__gen_sort_write_scan(ga__strb *b, const ga__gen_sort *g);
void ga__gen_sort_write(ga__strb *b, const ga__gen_sort *g);

#endif
