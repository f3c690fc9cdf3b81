/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/sparse.cl. */
#ifndef CODEGEN_GEN_SPARSE_H
#define CODEGEN_GEN_SPARSE_H

#include "base/strb.h"

/* No padding: it is the key of the source. */
typedef struct ga__gen_sparse {
  int dtype, index; /* of the values; of starts and columns */
  int wide_index, is_unit;
  unsigned int lanes, group, tile;
} ga__gen_sparse;

/* Begins with the functions of complex numbers, if values are such. */
void ga__gen_sparse_write(ga__strb *b, const ga__gen_sparse *g);

#endif
