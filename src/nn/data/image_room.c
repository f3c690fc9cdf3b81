/* SPDX-License-Identifier: BSD-2-Clause */
#include "nn/data/image_room.h"

#include "base/alloc.h"
#include "base/arith.h"

/* A file that claims more is refused. */
#define MOST ((size_t)1 << 28)

int gg__image_room(const gg__image_bytes *from, gg__image_size *size,
                   size_t height, size_t width, unsigned char **out) {
  if (ga__times(height, width) > MOST || height == 0 || width == 0)
    return ga__fail(GA_VALUE_ERROR, "%s has %zu x %zu pixels", from->path,
                    height, width);
  if ((size->height != 0 && size->height != height) ||
      (size->width != 0 && size->width != width))
    return ga__fail(GA_VALUE_ERROR,
                    "%s has %zu x %zu pixels, expected %zu x %zu", from->path,
                    height, width, size->height != 0 ? size->height : height,
                    size->width != 0 ? size->width : width);
  size->height = height;
  size->width = width;
  *out = ga__calloc(height * width, (size_t)size->channels);
  return *out != NULL ? GA_NO_ERROR : ga__fail_nomem();
}
