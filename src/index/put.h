/* SPDX-License-Identifier: BSD-2-Clause */
/* One call around indices as an iteration space. */
#ifndef INDEX_PUT_H
#define INDEX_PUT_H

#include <gpuarray/index.h>

#include "array/view.h"
#include "codegen/gen_put.h"

/* The space has a point for every value, outermost dimension first and without
 * dimensions of size 1. Along steps the index changes and the row of `a` with
 * it; a complex number is two reals along a dimension of its own. */
typedef struct ga__put_job {
  gpucontext *ctx;
  const GpuArray *a, *v, *index; /* borrowed; `v` is the result of takes */
  unsigned int axis;
  ga__put_move move; /* CAST: `a` and `v` differ in dtype */
  int in_order;
  size_t rows;      /* of `a` along the axis, */
  ptrdiff_t stride; /* and the bytes between them */
  unsigned int nd;
  size_t dims[2 * GA_ND_MAX];
  ptrdiff_t strides[GA_PUT_ARRAYS][2 * GA_ND_MAX]; /* bytes */
  unsigned char is_step[2 * GA_ND_MAX];
} ga__put_job;

/* A launch for a job that has been checked. The slots are what is written,
 * what is read, and the indices. */
int ga__put_launch(GpuLaunch **out, const ga__put_job *j);

/* Fail with GA_VALUE_ERROR when an index is out of bounds for `rows` rows along
 * `axis`. Waits for the device. */
int ga__put_check_indices(const GpuArray *index, size_t rows,
                          unsigned int axis);

#endif
