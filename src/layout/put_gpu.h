/* SPDX-License-Identifier: BSD-2-Clause */
/* What the layouts of moves on GPUs have in common.
 *
 *   put_make.c     spaces, and moves in any order or in that of the indices
 *   put_local.c    moves in local memory
 *   put_sorted.c   moves by sorted indices */
#ifndef LAYOUT_PUT_GPU_H
#define LAYOUT_PUT_GPU_H

#include "layout/put_layout.h"

enum {
  GA_PUT_ITEMS = 128,           /* work-items of a group, */
  GA_PUT_ITEMS_PER_UNIT = 1024, /* and those that keep a GPU busy */
  GA_PUT_LONG_LINE = 512,       /* words; from here a work-item moves */
  GA_PUT_MOVES = 4              /* several */
};

static inline ptrdiff_t ga__put_distance(ptrdiff_t stride) {
  return stride < 0 ? -stride : stride;
}

/* --- put_local.c --- */

/* The local memory that a row takes: its words, or positions of moves. */
size_t ga__put_row_bytes(const ga__put_job *j);
/* Whether groups can keep rows in local memory, and whether that pays. */
int ga__put_keeps_rows(const ga__put_job *j, const gpudevice_caps *caps);
/* The same for lines of values. */
int ga__put_keeps_lines(const ga__put_layout *p, const ga__put_job *j,
                        const gpudevice_caps *caps);
/* Lay ROW or LINE, whose groups take one of n_lines rows or lines of `bytes`
 * after the other. */
void ga__put_lay_local(ga__put_layout *p, ga__put_kernel kernel, size_t n_lines,
                       size_t bytes);

/* --- put_sorted.c --- */

/* Lay moves by sorted indices, if that is possible and pays. Returns 0 if
 * not. */
int ga__put_lay_sorted(ga__put_layout *p, const ga__put_job *j,
                       const gpudevice_caps *caps);

#endif
