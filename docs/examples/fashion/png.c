/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files of grey pixels: a signature and chunks, in base64. */
#include "png.h"

#include <string.h>
#include <zlib.h>

enum { LINES = PNG_SIDE * (PNG_SIDE + 1), MOST = 2 * LINES };

/* A file in memory. */
typedef struct file {
  unsigned char data[MOST];
  size_t n;
} file;

static void append(file *p, const void *data, size_t n) {
  memcpy(p->data + p->n, data, n);
  p->n += n;
}

static void append_number(file *p, unsigned long v) {
  const unsigned char big_endian[4] = {
      (unsigned char)(v >> 24), (unsigned char)(v >> 16),
      (unsigned char)(v >> 8), (unsigned char)v};
  append(p, big_endian, 4);
}

/* A chunk: its length, type, data, and a checksum of type and data. */
static void append_chunk(file *p, const char *type, const void *data,
                         size_t n) {
  append_number(p, (unsigned long)n);
  const size_t at = p->n;
  append(p, type, 4);
  append(p, data, n);
  append_number(p, crc32(0, p->data + at, (uInt)n + 4));
}

/* The size, 8 bits a pixel, grey (0), and no choices. */
static void append_header(file *p, size_t height, size_t width) {
  static const unsigned char kind[5] = {8, 0, 0, 0, 0};
  file header = {.n = 0};
  append_number(&header, (unsigned long)width);
  append_number(&header, (unsigned long)height);
  append(&header, kind, sizeof kind);
  append_chunk(p, "IHDR", header.data, header.n);
}

/* The lines, each behind a byte that says it is stored as it is. */
static int append_lines(file *p, const unsigned char *grey, size_t height,
                        size_t width) {
  unsigned char lines[LINES] = {0}, packed[MOST - 64];
  uLongf n = sizeof packed;
  for (size_t y = 0; y < height; y++)
    memcpy(lines + y * (width + 1) + 1, grey + y * width, width);
  int err = compress(packed, &n, lines, (uLong)(height * (width + 1)));
  if (err == Z_OK)
    append_chunk(p, "IDAT", packed, n);
  return err;
}

static void put_base64(FILE *f, const unsigned char *s, size_t n) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    const unsigned int v = (unsigned int)s[i] << 16 |
                           (i + 1 < n ? (unsigned int)s[i + 1] << 8 : 0) |
                           (i + 2 < n ? s[i + 2] : 0);
    fputc(digits[v >> 18], f);
    fputc(digits[v >> 12 & 63], f);
    fputc(i + 1 < n ? digits[v >> 6 & 63] : '=', f);
    fputc(i + 2 < n ? digits[v & 63] : '=', f);
  }
}

void png_put(FILE *f, const unsigned char *grey, size_t height, size_t width) {
  static const unsigned char signature[8] = {0x89, 'P',  'N',  'G',
                                             '\r', '\n', 0x1a, '\n'};
  file p = {.n = 0};
  if (height > PNG_SIDE || width > PNG_SIDE)
    return;
  append(&p, signature, sizeof signature);
  append_header(&p, height, width);
  if (append_lines(&p, grey, height, width) != Z_OK)
    return;
  append_chunk(&p, "IEND", "", 0);
  fputs("data:image/png;base64,", f);
  put_base64(f, p.data, p.n);
}
