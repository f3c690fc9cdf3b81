/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of indices before they are used. */
#ifndef INDEX_PUT_CHECK_H
#define INDEX_PUT_CHECK_H

#include <gpuarray/array.h>

/* Fail with GA_VALUE_ERROR when an index is out of bounds for `rows` rows along
 * `axis`. Waits for the device. */
int ga__put_check_indices(const GpuArray *index, size_t rows,
                          unsigned int axis);

#endif
