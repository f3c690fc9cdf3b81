/* SPDX-License-Identifier: BSD-2-Clause */
/* What readers of images share. */
#ifndef NN_DATA_IMAGE_ROOM_H
#define NN_DATA_IMAGE_ROOM_H

#include <stddef.h>

#include "base/err.h"

/* Sizes that an image must have; 0: those of the file, which are set. */
typedef struct gg__image_size {
  size_t height, width;
  int channels; /* 1: grey, 3: red, green, blue */
} gg__image_size;

/* Bytes of a file that is in memory, in any format; `path` is for messages. */
typedef struct gg__image_bytes {
  const char *path;
  const unsigned char *p;
  size_t n;
} gg__image_bytes;

/* Compare the sizes of a file with `size`, or set them; make room for it. */
int gg__image_room(const gg__image_bytes *from, gg__image_size *size,
                   size_t height, size_t width, unsigned char **out);

#endif
