/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of a convolution: checks, sizes and strides. */
#ifndef CONV_CONV_SHAPE_H
#define CONV_CONV_SHAPE_H

#include <gpuarray/conv.h>

#include "base/err.h"

/* An array of rank nd + 2 with three spatial dimensions; missing ones come
 * first and have size 1. Strides are in elements. */
typedef struct ga__conv_array {
  size_t n[2];     /* images or filters, and channels */
  ptrdiff_t by[2]; /* their strides */
  size_t size[3];
  ptrdiff_t s[3];
  ptrdiff_t base;      /* from the array's start to indices 0 */
  ptrdiff_t low, high; /* elements [low, high) from the start belong to it */
  unsigned int slot;
  size_t off; /* of the array in its buffer, in bytes */
} ga__conv_array;

/* A convolution with three spatial dimensions. */
typedef struct ga__conv {
  gpucontext *ctx;
  int typecode;
  size_t groups;
  int flip; /* w is described backwards */
  size_t stride[3], dilation[3], before[3];
  ga__conv_array x, w, y;
} ga__conv;

/* The arrays x, w and y among the operands of a part. */
typedef struct ga__conv_given {
  const GpuArray *x, *w, *y;
} ga__conv_given;

/* Check everything, and describe it in *out. Unless the result is written, only
 * its sizes count. */
int ga__conv_describe(ga__conv *out, const GpuConv *c, ga_conv_part part,
                      const GpuArray *const given[3], int is_written);

#endif
