/* SPDX-License-Identifier: BSD-2-Clause */
/* Order on the host: elements of any real dtype as unsigned numbers of the same
 * order, and the rows of arrays. */
#ifndef OPS_ORDER_ORDER_WORD_H
#define OPS_ORDER_ORDER_WORD_H

#include <gpuarray/array.h>
#include <stdint.h>

/* The number of the element at p. NaN has the largest one; -0 and 0 have the
 * same. */
uint64_t gg__order_word(int dtype, const void *p);

/* An element of a row: the number of its order, and where it is. */
typedef struct gg__order_item {
  uint64_t word;
  size_t at;
} gg__order_item;

/* Sort n items; those of one number keep their order. */
void gg__order_items(gg__order_item *items, size_t n);

/* The rows of an array in C order along an axis. */
typedef struct gg__host_rows {
  size_t count, n; /* rows, and elements of each */
  size_t step;     /* from element to element */
} gg__host_rows;

gg__host_rows gg__host_rows_of(const GpuArray *x, unsigned int axis);
/* The first element of row i, where rows have n elements. */
size_t gg__host_row(const gg__host_rows *r, size_t i, size_t n);

#endif
