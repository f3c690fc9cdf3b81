/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks indices before they are used. */
#ifndef INDEX_PUT_CHECK_H
#define INDEX_PUT_CHECK_H

#include <gpuarray/array.h>

/* GA_VALUE_ERROR if the indices are not integers. */
int ga__put_check_type(const GpuArray *index);
/* GA_VALUE_ERROR if an index is out of range for `rows` rows. The message has
 * the first such index, its position in C order and `axis`. Blocks. */
int ga__put_check_indices(const GpuArray *index, size_t rows,
                          unsigned int axis);

#endif
