/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of archives as bytes, for those whose dtype arrays do not have. */
#ifndef IO_NPZ_H
#define IO_NPZ_H

#include <gpuarray/npy.h>

/* Read an entry of at most `most` bytes, header and all, to `to`; *n becomes
 * their number. GA_VALUE_ERROR if there is none, or if it is longer. */
int ga__npz_read(unsigned char *to, size_t most, size_t *n, gpunpz *z,
                 const char *name);
/* Add an entry of these bytes. */
int ga__npz_write(gpunpz_new *z, const char *name, const void *bytes, size_t n);

#endif
