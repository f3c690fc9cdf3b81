/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sort reads, and where its passes write. */
#ifndef ORDER_SORT_INPUT_H
#define ORDER_SORT_INPUT_H

#include "order/sort_rows.h"

/* What is sorted: rows of `source`, with the positions in `at` beside them, or,
 * if that is NULL, with the positions in their row. Results begin after the
 * first `skip` elements in order. */
typedef struct ga__sort_input {
  ga__sort_place *source, *at;
  size_t skip;
} ga__sort_input;

/* A missing result or operand: the kernel does not use it, so the source
 * serves. */
ga__sort_place ga__sort_any_place(void);
/* Where pass p of n writes: the last one to `result`, if the caller wants it,
 * the others to the workspaces in turn. */
ga__sort_place *ga__sort_target(const ga__sort_job *j, ga__sort_place *result,
                                ga__sort_place *in_turn, size_t p, size_t n);

#endif
