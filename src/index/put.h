/* SPDX-License-Identifier: BSD-2-Clause */
/* One call around indices as an iteration space. */
#ifndef INDEX_PUT_H
#define INDEX_PUT_H

#include <gpuarray/index.h>

#include "codegen/gen_put.h"

/* A launch for a job that has been checked. The slots are what is written,
 * what is read, and the indices. */
int ga__put_launch(GpuLaunch **out, const ga__put_job *j);

/* Fail with GA_VALUE_ERROR when an index is out of bounds for `rows` rows along
 * `axis`. Waits for the device. */
int ga__put_check_indices(const GpuArray *index, size_t rows,
                          unsigned int axis);

#endif
