/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves .npy data between streams and arrays, for files and archives. Both
 * functions block. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include <gpuarray/array.h>

#include "base/stream.h"

int ga__npy_load(GpuArray *a, gpucontext *ctx, ga__byte_source *from);
int ga__npy_save(const GpuArray *a, ga__sink *to);

#endif
