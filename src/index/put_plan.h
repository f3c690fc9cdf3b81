/* SPDX-License-Identifier: BSD-2-Clause */
/* How calls around indices are laid over a device. */
#ifndef INDEX_PUT_PLAN_H
#define INDEX_PUT_PLAN_H

#include "index/put.h"

/* The spaces and shape of a launch. */
typedef struct ga__put_plan {
  ga__gen_put gen;
  ga__iter lines, steps;
  size_t offsets[GA_PUT_ARRAYS]; /* of the first element, without the slot's */
  size_t aligns[GA_PUT_ARRAYS];  /* bytes */
  size_t n_lines, len, n_steps;  /* one of them 0: nothing to do */
  size_t pieces, piece;          /* of a line, and words of one */
  size_t per;                    /* lines (ORDER: pieces) of a work-item */
  size_t ahead;                  /* bytes of the next unit a block asks for;
                                    ORDER: indices between it and that one */
  size_t ranges, span;           /* ORDER: of rows */
  size_t gs[2], ls[2];
  size_t rank_gs, long_gs; /* SORTED: of kernels before it */
} ga__put_plan;

/* Clear it afterwards, failed or not; all zeros before. */
int ga__put_plan_make(ga__put_plan *p, const ga__put_job *j);
void ga__put_plan_clear(ga__put_plan *p);

/* Whether additions of floats in any order are best done in order. */
int ga__put_prefers_order(const ga__put_job *j);

#endif
