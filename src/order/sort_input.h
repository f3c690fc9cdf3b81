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

/* Whether elements of rows lie one after another in what is read, and in the
 * results that there are. */
int ga__sort_is_flat(const ga__sort_job *j, ga__sort_input in);

/* The places of passes, which must stay where it is in memory. Each pass reads
 * what the one before it wrote. The last one writes to the results, if the
 * caller wants them, the others to workspaces in turn. */
typedef struct ga__sort_turns {
  ga__sort_place words[2], positions[2], values, indices, none;
  ga__sort_place *from, *from_at, *to, *to_at; /* of the present pass */
} ga__sort_turns;

/* Begin with `in`. */
void ga__sort_begin(ga__sort_turns *t, const ga__sort_job *j,
                    ga__sort_input in);
/* Set the places of pass p of n. */
void ga__sort_turn(ga__sort_turns *t, const ga__sort_job *j, size_t p,
                   size_t n);
/* Add these places, and sizes, to the kernel that moves elements. */
void ga__sort_moved(GpuLaunch *l, const ga__sort_job *j, ga__sort_turns *t);

#endif
