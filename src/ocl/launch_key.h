/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys: lists of numbers by which a launch or a kernel is found again. */
#ifndef OCL_LAUNCH_KEY_H
#define OCL_LAUNCH_KEY_H

#include <gpuarray/array.h>

enum { GA_LAUNCH_KEY_MAX = 1024 };

/* What belongs to longer keys is not found again. */
typedef struct ga__launch_key {
  size_t n;
  size_t v[GA_LAUNCH_KEY_MAX];
} ga__launch_key;

/* Start a key. `family` distinguishes the functions that make keys. */
void ga__launch_key_start(ga__launch_key *k, gpucontext *ctx,
                          const char *family);
void ga__launch_key_number(ga__launch_key *k, size_t v);
void ga__launch_key_double(ga__launch_key *k, double v); /* its bits */
/* Bytes of a size that the key determines. The type has no padding. */
void ga__launch_key_bytes(ga__launch_key *k, const void *p, size_t bytes);
/* NULL differs from every text. */
void ga__launch_key_text(ga__launch_key *k, const char *text);
/* The part of an offset that launches depend on: the alignment of vectors. */
void ga__launch_key_offset(ga__launch_key *k, size_t offset);
/* Dtype, sizes, strides, flags and offset. */
void ga__launch_key_array(ga__launch_key *k, const GpuArray *a);

#endif
