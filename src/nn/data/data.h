/* SPDX-License-Identifier: BSD-2-Clause */
/* What data from files consists of. */
#ifndef NN_DATA_DATA_H
#define NN_DATA_DATA_H

#include <gpuarray/npy.h>
#include <gpugraph/data.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/file.h"
#include "base/strb.h"

typedef struct gg__images gg__images;

struct gg_data {
  gg_host_array array;
  /* What holds the elements; those that are not used are zeroed. */
  void *memory;
  gpunpy npy;
  const unsigned char *map;
  size_t map_bytes;
  /* Files that are read when they are needed, or NULL: how row i is, and what
   * frees them. */
  gg__images *images;
  int (*read_row)(gg_data *d, size_t i, void *out);
  void (*free_images)(gg__images *x);
  /* Of lines and files. */
  char **names; /* of columns; owned, or NULL */
  size_t n_names, skipped;
  char *why; /* the first was skipped, or NULL */
};

/* Make data without elements. */
int gg__data_new(gg_data **out);
/* Give it an array of that dtype and those sizes in memory of its own: zeros.
 * GA_XLARGE_ERROR if it is too large. */
int gg__data_alloc(gg_data *d, int dtype, unsigned int nd, const size_t *dims);
/* Give *out what has been read into d, or free it; returns `err`. */
int gg__data_done(gg_data **out, gg_data *d, int err);
/* GA_INVALID_ERROR for NULL; else *out is NULL. */
int gg__data_check(gg_data **out, const char *path);
/* Count what is left out because of the thread's error `code`. */
int gg__data_skip(gg_data *d, int code);
/* Copy elements of `size` bytes with their bytes in reverse. */
void gg__data_swap(void *to, const void *from, size_t n, size_t size);

#endif
