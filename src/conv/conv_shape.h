/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of a convolution: their checks, sizes and strides. */
#ifndef CONV_CONV_SHAPE_H
#define CONV_CONV_SHAPE_H

#include <gpuarray/conv.h>
#include <limits.h>

#include "base/err.h"

/* The limit of a spatial size and of each member of a geometry. Kernels compute
 * positions as ints, so a padded size, which is up to three times this, must
 * fit. */
#define GA__CONV_MOST ((size_t)INT_MAX / 4)

/* An array x, w or y of a convolution. It always has three spatial dimensions:
 * those that the caller's array lacks come first and have size 1. Strides and
 * positions count elements. Dimensions of size 1 have stride 0. */
typedef struct ga__conv_array {
  size_t n[2];     /* images (of w: filters), and channels */
  ptrdiff_t by[2]; /* their strides */
  size_t size[3];
  ptrdiff_t s[3];
  ptrdiff_t base;      /* of the element with indices 0; not 0 in a flipped w */
  ptrdiff_t low, high; /* the array's elements lie in [low, high) */
  unsigned int slot;   /* of the launch */
  size_t off;          /* bytes from the buffer's start to position 0 */
} ga__conv_array;

/* A convolution. Spatial dimensions are three, as in its arrays. */
typedef struct ga__conv {
  gpucontext *ctx; /* borrowed */
  int typecode;
  size_t groups;
  int flip; /* w has the strides of flipped filters */
  size_t stride[3], dilation[3], before[3];
  ga__conv_array x, w, y;
} ga__conv;

/* Check the geometry and the arrays, and describe them in *out. `given` has the
 * operands and the result in the order of `part`. If `is_written` is 0, only
 * the rank and the sizes of the result are read. */
int ga__conv_describe(ga__conv *out, const GpuConv *c, ga_conv_part part,
                      const GpuArray *const given[3], int is_written);

#endif
