/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured once on a device: a byte by key, in the cache on disk. */
#ifndef OCL_KERNEL_NOTED_H
#define OCL_KERNEL_NOTED_H

#include <gpuarray/device.h>

/* Nonzero if notes are kept: the cache on disk is on. */
int ga__noted_on(gpucontext *ctx);
/* Read the note of `n` bytes `key` for this device and driver into *value.
 * `family` distinguishes who writes notes. Returns 1, or 0 if there is none. */
int ga__noted_get(gpucontext *ctx, const char *family, const void *key,
                  size_t n, unsigned char *value);
/* Write one, if possible. */
void ga__noted_put(gpucontext *ctx, const char *family, const void *key,
                   size_t n, unsigned char value);

#endif
