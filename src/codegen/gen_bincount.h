/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/bincount.cl, after those of gen_sort.h. */
#ifndef CODEGEN_GEN_BINCOUNT_H
#define CODEGEN_GEN_BINCOUNT_H

#include "codegen/gen_sort.h"

typedef struct ga__gen_bincount {
  int weights;                       /* their dtype, or -1: none */
  int wide_bins;                     /* of 64 bits */
  int has_edges, is_team, is_shared; /* as macros of cl/bincount.cl */
  unsigned int places;
} ga__gen_bincount;

void ga__gen_bincount_write(ga__strb *b, const ga__gen_bincount *g,
                            const ga__gen_sort *rows);

#endif
