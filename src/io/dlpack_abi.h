/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures of DLPack 1.x and of the versions before it, with the same
 * layout. Names are our own, except the two tags that callers know. */
#ifndef IO_DLPACK_ABI_H
#define IO_DLPACK_ABI_H

#include <stdint.h>

enum {
  DL_CPU = 1,
  DL_OPENCL = 4,
  DL_MAJOR = 1,
  DL_MINOR = 0,
  DL_READ_ONLY = 1, /* flags */
  DL_IS_COPIED = 2
};

/* Codes of dtypes. */
enum {
  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_COMPLEX = 5,
  DL_BOOL = 6
};

typedef struct dl_type {
  uint8_t code, bits; /* bits of one lane */
  uint16_t lanes;
} dl_type;

typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  dl_type dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: C contiguous */
  uint64_t byte_offset;
} dl_tensor;

struct DLManagedTensor {
  dl_tensor tensor;
  void *manager;
  void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  dl_tensor tensor;
};

#endif
