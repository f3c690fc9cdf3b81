/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of matrices: plain arithmetic. */
#include "factor/matrix_block.h"

#include "base/assert.h"

ga__block ga__block_part(const ga__block *b, size_t i, size_t j, size_t m,
                         size_t n) {
  ga__block part = *b;

  GA_ASSERT(i + m <= b->m && j + n <= b->n);
  part.rel +=
      ((ptrdiff_t)i * b->rs + (ptrdiff_t)j * b->cs) * (ptrdiff_t)b->size;
  part.m = m;
  part.n = n;
  return part;
}

ga__block ga__block_turned(const ga__block *b) {
  ga__block turned = *b;

  turned.m = b->n;
  turned.n = b->m;
  turned.rs = b->cs;
  turned.cs = b->rs;
  return turned;
}

ga__block ga__block_conjugate(const ga__block *b) {
  ga__block to = *b;

  to.conj = !b->conj;
  return to;
}

ga__block ga__block_adjoint(const ga__block *b) {
  const ga__block turned = ga__block_turned(b);

  return ga__block_conjugate(&turned);
}

ga__block ga__block_rows_reversed(const ga__block *b) {
  ga__block to = *b;

  if (b->m > 0)
    to.rel += (ptrdiff_t)(b->m - 1) * b->rs * (ptrdiff_t)b->size;
  to.rs = -b->rs;
  return to;
}

ga__block ga__block_reversed(const ga__block *b) {
  const ga__block rows = ga__block_rows_reversed(b);
  const ga__block turned = ga__block_turned(&rows);
  const ga__block both = ga__block_rows_reversed(&turned);

  return ga__block_turned(&both);
}
