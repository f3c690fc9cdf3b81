/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys: lists of numbers by which caches find launches, and launches that are
 * renewed find kernels. */
#ifndef OCL_LAUNCH_LAUNCH_KEY_H
#define OCL_LAUNCH_LAUNCH_KEY_H

#include <gpuarray/array.h>

enum { GA_LAUNCH_KEY_MAX = 1024 };

/* n may exceed GA_LAUNCH_KEY_MAX: then the rest is missing, and the key must
 * not be stored or compared. */
typedef struct ga__launch_key {
  size_t n;
  size_t v[GA_LAUNCH_KEY_MAX];
} ga__launch_key;

/* Start a key. `family` distinguishes the functions that make keys. The key
 * holds whether kernels flush subnormals, too (launch_flush.h). */
void ga__launch_key_start(ga__launch_key *k, gpucontext *ctx,
                          const char *family);
void ga__launch_key_number(ga__launch_key *k, size_t v);
void ga__launch_key_double(ga__launch_key *k, double v); /* adds its bits */
/* Add bytes without padding. Their count is fixed, or in the key already. */
void ga__launch_key_bytes(ga__launch_key *k, const void *p, size_t bytes);
/* Add a text. The key of NULL differs from that of every text. */
void ga__launch_key_text(ga__launch_key *k, const char *text);
/* Add what launches depend on of an offset in bytes: its alignment. */
void ga__launch_key_offset(ga__launch_key *k, size_t offset);
/* Add dtype, sizes, strides, flags and the alignment of the offset. */
void ga__launch_key_array(ga__launch_key *k, const GpuArray *a);

#endif
