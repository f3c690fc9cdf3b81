/* SPDX-License-Identifier: BSD-2-Clause */
/* The checked geometry of a DLPack tensor. */
#ifndef IO_DLPACK_SHAPE_H
#define IO_DLPACK_SHAPE_H

#include "array/geometry.h"
#include "io/dlpack_abi.h"

typedef struct ga__dlpack_shape {
  unsigned int nd;
  int typecode;
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX]; /* bytes */
  size_t total;
  ssize_t low, high; /* span of the elements in bytes, see ga__extent */
} ga__dlpack_shape;

/* Read and check a tensor: GA_VALUE_ERROR, GA_XLARGE_ERROR or
 * GA_UNSUPPORTED_ERROR, with a message that says what is invalid. */
int ga__dlpack_shape_read(ga__dlpack_shape *s, const dl_tensor *t);

#endif
