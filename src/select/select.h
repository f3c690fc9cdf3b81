/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that select elements. */
#ifndef SELECT_SELECT_H
#define SELECT_SELECT_H

#include <gpuarray/select.h>

/* Slots of all launches; those of positions have no x, but the mask in its
 * place. Behind the mask come `counts` and `bits`, if the caller has them. */
enum { GA_SELECTED, GA_SELECT_COUNT, GA_SELECT_FROM, GA_SELECT_MASK };
enum { GA_SELECT_SLOTS = GA_SELECT_MASK + 3 };

/* What is selected, and where it goes. Arrays are C contiguous. */
typedef struct ga__selection {
  const GpuArray *mask;
  int is_runs;       /* select what begins a run of the mask's elements */
  const GpuArray *x; /* NULL: positions */
  GpuArray *res;     /* NULL: only count */
  GpuArray *count;   /* or NULL */
  int is_bounded;    /* else `res` has as many rows as elements count */
  /* What counting hands to writing: uint64, [parts], and ubyte; NULL:
   * workspaces. */
  GpuArray *counts, *bits;
  const void *fill; /* an element; NULL: 0 */
} ga__selection;

/* The sizes of `counts` and `bits`. */
void ga__select_sizes(const GpuArray *mask, size_t *parts, size_t *bits);
/* Make a launch that counts the elements of each part, or with `writes` one
 * that writes what is selected, or with both one that does both. */
int ga__select_launch(GpuLaunch **out, const ga__selection *s, int counts,
                      int writes);

/* A new array of what is selected: elements of x or, without x, positions: in C
 * order or, with `nd` 2, coordinates. */
typedef struct ga__selected {
  GpuArray *res;
  const GpuArray *x;
  unsigned int nd;
} ga__selected;

/* Make n such arrays from one mask. Clears them if it fails. Blocks. */
int ga__select_into(const GpuArray *mask, int is_runs, size_t n,
                    const ga__selected *results);

/* Make *own a view of `a`, or a copy if `a` is not C contiguous. */
int ga__select_in_order(GpuArray *own, const GpuArray *a);
/* The same as a vector of all elements. */
int ga__select_flatten(GpuArray *own, const GpuArray *a);
/* A view of elements `from` to `to` of a vector, without the latter. */
int ga__select_part(GpuArray *out, const GpuArray *x, size_t from, size_t to);

#endif
