/* SPDX-License-Identifier: BSD-2-Clause */
/** \file indexing.h
 *  Index by several items at once, with NumPy's rules: x[i, :, j].
 *
 *      y = gg_index_take(x, GG_ITEMS(gg_item_of(i), gg_item_all(),
 *                                    gg_item_of(j)));
 *
 *  An index is a list of items. Each is for the next axis of x, except a new
 *  axis, which is for none, `rest`, which is for as many as the other items
 *  leave, and a mask, which is for as many as it has. Axes after the last item
 *  are taken whole.
 *
 *  Arrays of integers broadcast to each other: an axis does where its size is
 *  known to be 1. Their axes replace those that they index. They come where the
 *  first of these was if arrays, masks and positions stand side by side in the
 *  list, else first. Negative integers count from the end. As in gather.h,
 *  elements of arrays that are out of range read the nearest row if there is
 *  one array, else the last element, and write nothing; a function with
 *  GG_BOUNDS_GUARD or GG_INDEX_GUARD fails instead. A position out of range
 *  (gg_item_at) is GA_VALUE_ERROR, here or in a call. Slices have Python's
 *  rules.
 *
 *  A mask is an array of bool. It stands for the coordinates of its elements
 *  that are true, one array for each axis, whose size the data decide
 *  (select.h).
 *
 *  What arrays select is one gather or scatter: their indices become one index
 *  along the axes from the first that is indexed by an array to the last one,
 *  which a map computes. Without arrays the result is a view. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_INDEXING_H
#define GPUGRAPH_INDEXING_H

#include <gpugraph/gather.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_item_kind {
  GG_ITEM_SLICE = 0,
  GG_ITEM_SLICE_AT,
  GG_ITEM_AT,
  GG_ITEM_NEW,
  GG_ITEM_REST,
  GG_ITEM_OF
} gg_item_kind;

/** One item of an index. Made by the functions below. */
typedef struct gg_item {
  gg_item_kind kind;
  int64_t start, stop, step; /**< of a slice; `start` is a position, too */
  gg_var *bound[3];          /**< the same of GG_ITEM_SLICE_AT; or NULL */
  gg_var *array;             /**< of integers or bool */
} gg_item;

/** All of an axis: `:`. */
GG_PUBLIC gg_item gg_item_all(void);
/** start:stop:step. GG_END leaves an end open. */
GG_PUBLIC gg_item gg_item_slice(int64_t start, int64_t stop, int64_t step);
/** The same with bounds that calls decide: integer scalars as in gg_slice_at.
 *  Each may be NULL. */
GG_PUBLIC gg_item gg_item_slice_at(gg_var *start, gg_var *stop, gg_var *step);
/** One position. The result does not have that axis. For a position that calls
 *  decide, use gg_item_of with a scalar, which the device may compute. */
GG_PUBLIC gg_item gg_item_at(int64_t position);
/** An axis of size 1 that x does not have: None, or numpy.newaxis. */
GG_PUBLIC gg_item gg_item_new(void);
/** All of the axes that no other item is for: `...`. At most one. */
GG_PUBLIC gg_item gg_item_rest(void);
/** By an array: integers of any rank, or a mask. */
GG_PUBLIC gg_item gg_item_of(gg_var *array);

#define GG_MAX_ITEMS 24 /**< items of an index at most */
/** The number of items, and the items. */
#define GG_ITEMS(...)                                                          \
  sizeof((const gg_item[]){__VA_ARGS__}) / sizeof(gg_item),                    \
      (const gg_item[]) {                                                      \
    __VA_ARGS__                                                                \
  }

/** x[items]. The gradient of an element goes to where it came from. */
GG_PUBLIC gg_var *gg_index_take(gg_var *x, size_t n, const gg_item *items);
/** x with v put at the elements that gg_index_take reads: x[items] = v with
 *  GG_PUT_SET, numpy.add.at with GG_PUT_ADD.
 *
 *  \param v broadcasts to what gg_index_take reads: an axis does where its size
 *           is known to be 1. Cast to the dtype of x. With one mask and a v
 *           that does not differ along the mask's elements, nothing waits for
 *           their number; nor does gg_mask_put. */
GG_PUBLIC gg_var *gg_index_put(gg_var *x, size_t n, const gg_item *items,
                               gg_var *v, gg_put_op how);

#ifdef __cplusplus
}
#endif

#endif
