/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG by libpng's simple interface. */
#include "nn/data/image_png.h"

#ifdef GG_HAVE_PNG

#include <dlfcn.h>
#include <png.h>
#include <pthread.h>
#include <string.h>

static struct {
  pthread_once_t once;
  int is_there;
  int (*begin)(png_imagep, png_const_voidp, size_t);
  int (*finish)(png_imagep, png_const_colorp, void *, png_int_32, void *);
  void (*end)(png_imagep);
} png = {.once = PTHREAD_ONCE_INIT};

static int find(void *library, const char *name, void *fn) {
  void *p = dlsym(library, name);

  memcpy(fn, &p, sizeof p);
  return p != NULL;
}

static void load(void) {
  void *library = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);

  png.is_there =
      library != NULL &&
      find(library, "png_image_begin_read_from_memory", &png.begin) &&
      find(library, "png_image_finish_read", &png.finish) &&
      find(library, "png_image_free", &png.end);
}

int gg__image_png(const gg__image_bytes *from, gg__image_size *size,
                  unsigned char **out) {
  png_image image;

  pthread_once(&png.once, load);
  if (!png.is_there)
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
