/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/select.cl. */
#ifndef CODEGEN_GEN_SELECT_H
#define CODEGEN_GEN_SELECT_H

#include "base/strb.h"

/* No padding: it is the key of the source. */
typedef struct ga__gen_select {
  int dtype;                  /* of the mask */
  unsigned int element_bytes; /* of the elements that are copied; 0: none */
  unsigned int nd;            /* coordinates of a position; 0: in C order */
  int pads, has_total, wide_index;
  int is_pair;             /* copied elements are complex: two words */
  unsigned int group, run; /* work-items; elements of one in a tile */
  int is_runs;             /* what begins a run counts; else what is not 0 */
} ga__gen_select;

void ga__gen_select_write(ga__strb *b, const ga__gen_select *g);

#endif
