/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG by libjpeg or libjpeg-turbo. Its errors leave by longjmp, so nothing
 * that has to be freed is kept in variables of the function that reads. */
#include "nn/data/image_jpeg.h"

#ifdef GG_HAVE_JPEG

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "base/library.h"

#if JPEG_LIB_VERSION >= 80
#define NAME "libjpeg.so.8"
#else
#define NAME "libjpeg.so.62"
#endif

static struct {
  struct jpeg_error_mgr *(*errors)(struct jpeg_error_mgr *);
  void (*create)(j_decompress_ptr, int, size_t);
  void (*source)(j_decompress_ptr, const unsigned char *, unsigned long);
  int (*header)(j_decompress_ptr, boolean);
  boolean (*start)(j_decompress_ptr);
  JDIMENSION (*lines)(j_decompress_ptr, JSAMPARRAY, JDIMENSION);
  boolean (*finish)(j_decompress_ptr);
  void (*destroy)(j_decompress_ptr);
} jpeg;

static const ga__symbol symbols[] = {{"jpeg_std_error", &jpeg.errors},
                                     {"jpeg_CreateDecompress", &jpeg.create},
                                     {"jpeg_mem_src", &jpeg.source},
                                     {"jpeg_read_header", &jpeg.header},
                                     {"jpeg_start_decompress", &jpeg.start},
                                     {"jpeg_read_scanlines", &jpeg.lines},
                                     {"jpeg_finish_decompress", &jpeg.finish},
                                     {"jpeg_destroy_decompress", &jpeg.destroy},
                                     {NULL, NULL}};
static ga__library library = {.files = {NAME}, .symbols = symbols};

/* A file that is being read. */
typedef struct reader {
  struct jpeg_error_mgr errors; /* first: the library knows its address */
  struct jpeg_decompress_struct d;
  const gg__image_bytes *from;
  gg__image_size *size;
  unsigned char **out;
  jmp_buf failed;
  char why[JMSG_LENGTH_MAX];
} reader;

static void leave(j_common_ptr d) {
  reader *r = (reader *)d->err;

  r->errors.format_message(d, r->why);
  longjmp(r->failed, 1);
}

/* Warnings are damages that the library would fill with grey. */
static void say(j_common_ptr d, int level) {
  if (level < 0)
    leave(d);
}

static int read_lines(reader *r) {
  const int channels = r->size->channels;

  jpeg.create(&r->d, JPEG_LIB_VERSION, sizeof r->d);
  jpeg.source(&r->d, r->from->p, (unsigned long)r->from->n);
  jpeg.header(&r->d, TRUE);
  GA_TRY(gg__image_room(r->from, r->size, r->d.image_height, r->d.image_width,
                        r->out));
  r->d.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.start(&r->d);
  while (r->d.output_scanline < r->d.output_height) {
    JSAMPROW row = *r->out + (size_t)r->d.output_scanline * r->size->width *
                                 (size_t)channels;
    jpeg.lines(&r->d, &row, 1);
  }
  jpeg.finish(&r->d);
  return GA_NO_ERROR;
}

int gg__image_jpeg(const gg__image_bytes *from, gg__image_size *size,
                   unsigned char **out) {
  reader r = {.from = from, .size = size, .out = out};
  int err;

  if (!ga__library_load(&library))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: %s is missing", from->path,
                    NAME);
  r.d.err = jpeg.errors(&r.errors);
  r.errors.error_exit = leave;
  r.errors.emit_message = say;
  if (setjmp(r.failed) == 0)
    err = read_lines(&r);
  else
    err = ga__fail(GA_VALUE_ERROR, "%s: %s", from->path, r.why);
  jpeg.destroy(&r.d);
  return err;
}

#else

int gg__image_jpeg(const gg__image_bytes *from, gg__image_size *size,
                   unsigned char **out) {
  (void)size;
  (void)out;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "%s: this library was built without libjpeg (GPUGRAPH_JPEG)",
                  from->path);
}

#endif
