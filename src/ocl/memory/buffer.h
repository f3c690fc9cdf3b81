/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library needs of buffers beyond <gpuarray/buffer.h>. */
#ifndef OCL_MEMORY_BUFFER_H
#define OCL_MEMORY_BUFFER_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

cl_mem ga__data_mem(const gpudata *d);
size_t ga__data_bytes(const gpudata *d);
/* Set `bytes` bytes, starting at byte `off`, to the low 8 bits of `value`. Does
 * not block. */
int ga__data_fill(gpudata *d, size_t off, size_t bytes, int value);
/* GA_VALUE_ERROR unless `sz` bytes at offset `off` lie inside `d`. */
int ga__data_check_range(const gpudata *d, size_t off, size_t sz);
/* Find out whether two buffers may share memory, as foreign sub-buffers of one
 * memory object do, and if so by how many bytes `b` starts after `a`. */
int ga__data_distance(int *related, ptrdiff_t *distance, const gpudata *a,
                      const gpudata *b);

#endif
