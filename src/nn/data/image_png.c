/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG by libpng's simple interface. */
#include "nn/data/image_png.h"

#ifdef GG_HAVE_PNG

#include <png.h>
#include <string.h>

#include "base/library.h"

static struct {
  int (*begin)(png_imagep, png_const_voidp, size_t);
  int (*finish)(png_imagep, png_const_colorp, void *, png_int_32, void *);
  void (*end)(png_imagep);
} png;

static const ga__symbol symbols[] = {
    {"png_image_begin_read_from_memory", &png.begin},
    {"png_image_finish_read", &png.finish},
    {"png_image_free", &png.end},
    {NULL, NULL}};
static ga__library library = {.files = {"libpng16.so.16"}, .symbols = symbols};

int gg__image_png(const gg__image_bytes *from, gg__image_size *size,
                  unsigned char **out) {
  png_image image;

  if (!ga__library_load(&library))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: libpng16.so.16 is missing",
                    from->path);
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png.begin(&image, from->p, from->n))
    return ga__fail(GA_VALUE_ERROR, "%s: %s", from->path, image.message);
  int err = gg__image_room(from, size, image.height, image.width, out);
  image.format = size->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (err == GA_NO_ERROR &&
      (!png.finish(&image, NULL, *out, 0, NULL) || PNG_IMAGE_FAILED(image)))
    err = ga__fail(GA_VALUE_ERROR, "%s: %s", from->path, image.message);
  png.end(&image);
  return err;
}

#else

int gg__image_png(const gg__image_bytes *from, gg__image_size *size,
                  unsigned char **out) {
  (void)size;
  (void)out;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "%s: this library was built without libpng (GPUGRAPH_PNG)",
                  from->path);
}

#endif
