/* SPDX-License-Identifier: BSD-2-Clause */
/* What a list of items selects from x, by NumPy's rules. Reading and writing
 * (indexing.c) follow from it. */
#ifndef OPS_INDEX_INDEX_ITEMS_H
#define OPS_INDEX_INDEX_ITEMS_H

#include <gpugraph/indexing.h>

#include "ops/compose.h"

/* What selects along one axis of x. */
typedef struct gg__axis_index {
  gg_item item;  /* a slice, a position or an array */
  gg_var *array; /* NULL, or the integers that select */
} gg__axis_index;

/* The axes from `first` up to, not including, `end` are indexed as one. It is
 * the range from the first to the last one with an array; without arrays it is
 * empty. The axes of what is selected come in two orders: as they lie in
 * memory (axes before the range, axes of the arrays, slices in the range, axes
 * behind it), and as NumPy has them. */
typedef struct gg__selection {
  const gg_op *op; /* the name for messages */
  gg_var *x;
  gg__axis_index axis[GG_MAX_ND];
  unsigned int first, end;
  unsigned int n_arrays;
  unsigned int array_nd; /* the rank that the arrays broadcast to */
  gg_var *mask;          /* NULL, or the mask that is the only array */
  unsigned int nd;       /* of what is selected, in memory */
  unsigned int out_nd;   /* in NumPy's order, with new axes */
  int order[GG_MAX_ND];  /* the axis in memory, or -1 for a new one */
} gg__selection;

/* Nonzero if the axis is one of what is selected, 0 if it is replaced. */
static inline int gg__is_kept(const gg__axis_index *a) {
  return a->array == NULL && a->item.kind != GG_ITEM_AT;
}

/* Set *s. Returns 0 and records an error if the items do not fit x. */
int gg__select_by(gg__selection *s, const gg_op *op, gg_var *x, size_t n,
                  const gg_item *items);

#endif
