/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of sparse matrices. */
#ifndef SPARSE_SPARSE_H
#define SPARSE_SPARSE_H

#include <gpuarray/sparse.h>

#include "base/err.h"

/* Check everything but the numbers in starts and columns. `name` is what
 * messages call the matrix. */
int ga__csr_check_arrays(const char *name, const GpuCsr *m);
/* Check that indices, a vector of integers, are below n. Blocks. */
int ga__sparse_check_range(const char *name, const GpuArray *index, size_t n);
/* Check an array of int32 or int64, a C contiguous vector. */
int ga__sparse_check_index(const char *name, const GpuArray *a,
                           gpucontext *ctx);
/* Check that values may have the dtype of `a`. */
int ga__sparse_check_type(const char *name, const GpuArray *a);
/* Check values: a C contiguous vector of floats. */
int ga__sparse_check_values(const char *name, const GpuArray *a,
                            gpucontext *ctx);
/* Make `own` a view of `a`, a vector, or a copy if it is not C contiguous. */
int ga__sparse_in_order(GpuArray *own, const char *name, const GpuArray *a,
                        gpucontext *ctx);

static inline size_t ga__csr_entries(const GpuCsr *m) {
  return m->columns.dimensions[0];
}

#endif
