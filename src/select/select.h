/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that select elements. */
#ifndef SELECT_SELECT_H
#define SELECT_SELECT_H

#include <gpuarray/select.h>

#include "codegen/gen_select.h"
#include "layout/cut.h"

/* Slots of all launches; those of positions have no x, but the mask in its
 * place. */
enum { GA_SELECTED, GA_SELECT_COUNT, GA_SELECT_FROM, GA_SELECT_MASK };

/* What is selected, and where it goes. Arrays are C contiguous. */
typedef struct ga__selection {
  const GpuArray *mask;
  const GpuArray *x; /* NULL: positions */
  GpuArray *res;     /* NULL: only count */
  GpuArray *count;   /* or NULL */
  int is_bounded;    /* else `res` has as many rows as elements count */
  GpuArray *parts;   /* uint64, [parts]; NULL: a workspace */
  const void *fill;  /* an element; NULL: 0 */
} ga__selection;

/* How the elements of a mask are divided; cut.parts is the size of `parts`. */
ga__cut ga__select_cut(const GpuArray *mask);
/* Make a launch that counts the elements of each part, or with `writes` one
 * that writes what is selected, or with both one that does both. Slots are
 * those above, and `parts` after the last one. */
int ga__select_launch(GpuLaunch **out, const ga__selection *s, int counts,
                      int writes);

/* Make *own a view of `a`, or a copy if `a` is not C contiguous. */
int ga__select_in_order(GpuArray *own, const GpuArray *a);
/* The same as a vector of all elements. */
int ga__select_flatten(GpuArray *own, const GpuArray *a);
/* Make the vector of the positions, in C order, of the elements of `mask` that
 * are not 0. Blocks. */
int ga__select_positions(GpuArray *out, const GpuArray *mask);

#endif
