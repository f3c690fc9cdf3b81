/* SPDX-License-Identifier: BSD-2-Clause */
/** \file items.h
 *  Index an array by several items at once, with NumPy's rules: x[i, :, j].
 *
 *      GpuArray_index_take(&y, &x, 3, (const ga_item[]){ga_item_of(&i),
 *                          ga_item_all(), ga_item_of(&j)}, 0);
 *
 *  An index is a list of items. Each is for the next axis of x, except a new
 *  axis, which is for none, `rest`, which is for as many as the other items
 *  leave, and a mask, which is for as many as it has. Axes after the last item
 *  are taken whole.
 *
 *  Arrays of integers broadcast to each other. Their axes replace those that
 *  they index. They come where the first of these was if arrays, masks and
 *  positions stand side by side in the list, else first. Negative integers
 *  count from the end. Elements of arrays that are out of range are an error
 *  with `check_error`; else one array reads the nearest row, several read the
 *  last element, and nothing is written, as in index.h. A mask is an array of
 *  bool: it stands for the coordinates of its elements that are true, one array
 *  for each axis, and calls wait for their number.
 */
#ifndef GPUARRAY_ITEMS_H
#define GPUARRAY_ITEMS_H

#include <gpuarray/array.h>
#include <gpuarray/index.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ga_item_kind {
  GA_ITEM_SLICE = 0,
  GA_ITEM_AT,
  GA_ITEM_NEW,
  GA_ITEM_REST,
  GA_ITEM_OF,
  GA_ITEM_MASK
} ga_item_kind;

/** One item of an index. Made by the functions below. */
typedef struct ga_item {
  ga_item_kind kind;
  int64_t start, stop, step; /**< of a slice; `start` is a position, too */
  const GpuArray *array;     /**< borrowed */
} ga_item;

#define GA_ITEM_OPEN INT64_MIN /**< leaves an end of a slice open */
#define GA_MAX_ITEMS 128       /**< items of an index at most */

/** start:stop:step, by Python's rules. */
static inline ga_item ga_item_slice(int64_t start, int64_t stop, int64_t step) {
  ga_item x = {GA_ITEM_SLICE, 0, 0, 0, NULL};

  x.start = start;
  x.stop = stop;
  x.step = step;
  return x;
}
/** All of an axis: `:`. */
static inline ga_item ga_item_all(void) {
  return ga_item_slice(GA_ITEM_OPEN, GA_ITEM_OPEN, 1);
}
/** One position. The result does not have that axis. */
static inline ga_item ga_item_at(int64_t position) {
  ga_item x = {GA_ITEM_AT, 0, 0, 0, NULL};

  x.start = position;
  return x;
}
/** An axis of size 1 that x does not have: None, or numpy.newaxis. */
static inline ga_item ga_item_new(void) {
  ga_item x = {GA_ITEM_NEW, 0, 0, 0, NULL};

  return x;
}
/** All of the axes that no other item is for: `...`. At most one. */
static inline ga_item ga_item_rest(void) {
  ga_item x = {GA_ITEM_REST, 0, 0, 0, NULL};

  return x;
}
/** By an array: integers of any rank, or a mask of bools. */
static inline ga_item ga_item_of(const GpuArray *array) {
  ga_item x = {GA_ITEM_OF, 0, 0, 0, NULL};

  x.array = array;
  return x;
}
/** By a mask of any dtype: its elements that are not 0. */
static inline ga_item ga_item_mask(const GpuArray *array) {
  ga_item x = {GA_ITEM_MASK, 0, 0, 0, NULL};

  x.array = array;
  return x;
}

/** Take x[items] into a new array.
 *
 *  \param res initialised on success; C order; the caller clears it
 *
 *  GA_VALUE_ERROR for items that do not fit x or each other. Blocks if there is
 *  a mask, or with `check_error` an array. */
GPUARRAY_PUBLIC int GpuArray_index_take(GpuArray *res, const GpuArray *x,
                                        unsigned int n, const ga_item *items,
                                        int check_error);
/** Set x[items], or combine values with it.
 *
 *  \param x changed; writeable. If strides do not allow a view of the axes that
 *           arrays index as one axis, a copy is changed and copied back
 *  \param v of x's dtype; broadcasts to what GpuArray_index_take() gives
 *
 *  Errors and waits as for that; then nothing is changed. */
GPUARRAY_PUBLIC int GpuArray_index_put(GpuArray *x, unsigned int n,
                                       const ga_item *items, const GpuArray *v,
                                       ga_put_op op, int check_error);
/** Set the elements, or rows, of x for which the mask is not 0, or combine
 *  values with them: x[mask] = v.
 *
 *  \param mask any dtype and at least one dimension; its sizes are the leading
 *              sizes of x
 *  \param v    of x's dtype; broadcasts to what GpuArray_compress() gives
 *
 *  Blocks. */
GPUARRAY_PUBLIC int GpuArray_mask_put(GpuArray *x, const GpuArray *mask,
                                      const GpuArray *v, ga_put_op op);

#ifdef __cplusplus
}
#endif

#endif
