/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers, beyond what <gpuarray/buffer.h> offers. */
#ifndef OCL_BUFFER_H
#define OCL_BUFFER_H

#include <gpuarray/buffer.h>

#include "ocl/clerror.h"

cl_mem ga__data_mem(const gpudata *d);
size_t ga__data_bytes(const gpudata *d);
/* Set `bytes` bytes from `off` on to the low 8 bits of `value`. */
int ga__data_fill(gpudata *d, size_t off, size_t bytes, int value);
/* GA_VALUE_ERROR when a range of bytes is not inside of `d`. */
int ga__data_check_range(const gpudata *d, size_t off, size_t sz);
/* Whether two buffers lie in one memory object, as wrapped sub-buffers may,
 * and how many bytes behind the start of `a` that of `b` is. */
int ga__data_distance(int *related, ptrdiff_t *distance, const gpudata *a,
                      const gpudata *b);

#endif
