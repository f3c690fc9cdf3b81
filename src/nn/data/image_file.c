/* SPDX-License-Identifier: BSD-2-Clause */
#include "nn/data/image_file.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "nn/data/image_jpeg.h"
#include "nn/data/image_png.h"

/* From pixels to planes. */
static void split(unsigned char *to, const unsigned char *from,
                  const gg__image_size *s) {
  const size_t n = s->height * s->width, channels = (size_t)s->channels;

  for (size_t k = 0; k < channels; k++)
    for (size_t i = 0; i < n; i++)
      to[k * n + i] = from[i * channels + k];
}

static int read_pixels(const gg__image_bytes *from, gg__image_size *size,
                       unsigned char **out) {
  static const unsigned char png[4] = {0x89, 'P', 'N', 'G'},
                             jpeg[2] = {0xff, 0xd8};

  if (from->n >= sizeof png && memcmp(from->p, png, sizeof png) == 0)
    return gg__image_png(from, size, out);
  if (from->n >= sizeof jpeg && memcmp(from->p, jpeg, sizeof jpeg) == 0)
    return gg__image_jpeg(from, size, out);
  return ga__fail(GA_VALUE_ERROR, "%s is neither PNG nor JPEG", from->path);
}

int gg__image_read(const char *path, gg__image_size *size, unsigned char *out) {
  gg__image_bytes from = {.path = path};
  unsigned char *pixels = NULL;

  GA_TRY(ga__file_map(path, &from.p, &from.n));
  const int err = read_pixels(&from, size, &pixels);
  if (err == GA_NO_ERROR && out != NULL)
    split(out, pixels, size);
  ga__free(pixels);
  ga__file_unmap(from.p, from.n);
  return err;
}
