/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks: rectangles of the matrices of a batch, in memory of a launch. */
#ifndef FACTOR_MATRIX_BLOCK_H
#define FACTOR_MATRIX_BLOCK_H

#include <stddef.h>

/* Element (i, j) of matrix z lies rel bytes and i * rs + j * cs + z * bs
 * elements after the start of the slot. Strides have any sign. */
typedef struct ga__block {
  unsigned int slot;
  size_t off;           /* bytes from the buffer's start to the slot's */
  ptrdiff_t rel;        /* bytes */
  size_t m, n, size;    /* rows, columns, bytes of an element */
  ptrdiff_t rs, cs, bs; /* elements */
  int conj;             /* complex numbers stand for their conjugates */
} ga__block;

/* Rows [i, i + m) and columns [j, j + n). */
ga__block ga__block_part(const ga__block *b, size_t i, size_t j, size_t m,
                         size_t n);
/* The transpose. */
ga__block ga__block_turned(const ga__block *b);
/* The conjugate, and the conjugate transpose; of real numbers the same matrix,
 * and the transpose. */
ga__block ga__block_conjugate(const ga__block *b);
ga__block ga__block_adjoint(const ga__block *b);
/* The same with rows, or columns, in reversed order. */
ga__block ga__block_rows_reversed(const ga__block *b);
ga__block ga__block_reversed(const ga__block *b); /* both */

#endif
