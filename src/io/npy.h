/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves .npy data between streams and arrays, for files and archives. The
 * first two functions block. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include <gpuarray/array.h>
#include <gpuarray/npy.h>

#include "base/stream.h"

int ga__npy_load(GpuArray *a, gpucontext *ctx, ga__byte_source *from);
int ga__npy_save(const GpuArray *a, ga__sink *to);
/* Map `bytes` of a file from offset `at`, or all that follow for UINT64_MAX.
 * `name` is the entry's, for messages, or NULL. *out is zeroed. */
int ga__npy_map(gpunpy *out, const char *path, const char *name, uint64_t at,
                uint64_t bytes);
/* The same for bytes in memory, which belong to *out then. On failure they stay
 * the caller's. */
int ga__npy_hold(gpunpy *out, unsigned char *p, size_t n, const char *path,
                 const char *name);

#endif
