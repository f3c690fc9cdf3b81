/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads zlib at first use. Its interface has been the same since version 1.2,
 * and it checks the version and the size of the structure itself, so the build
 * needs neither its header nor its library. */
#include "io/deflate.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/library.h"

/* zlib's z_stream */
typedef struct zstream {
  const unsigned char *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*alloc)(void *, unsigned int, unsigned int);
  void (*free)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} zstream;

enum {
  Z_OK = 0,
  Z_STREAM_END = 1,
  Z_MEM_ERROR = -4,
  Z_BUF_ERROR = -5,
  Z_NO_FLUSH = 0,
  Z_FINISH = 4,
  Z_DEFLATED = 8,
  Z_LEVEL = 6,
  Z_RAW = -15, /* window bits, no header */
  Z_MEMORY = 8
};

static struct {
  unsigned long (*crc32)(unsigned long, const unsigned char *, unsigned int);
  int (*inflateInit2_)(zstream *, int, const char *, int);
  int (*inflate)(zstream *, int);
  int (*inflateEnd)(zstream *);
  int (*deflateInit2_)(zstream *, int, int, int, int, int, const char *, int);
  int (*deflate)(zstream *, int);
  int (*deflateEnd)(zstream *);
} zlib;

static const ga__symbol symbols[] = {{"crc32", &zlib.crc32},
                                     {"inflateInit2_", &zlib.inflateInit2_},
                                     {"inflate", &zlib.inflate},
                                     {"inflateEnd", &zlib.inflateEnd},
                                     {"deflateInit2_", &zlib.deflateInit2_},
                                     {"deflate", &zlib.deflate},
                                     {"deflateEnd", &zlib.deflateEnd},
                                     {NULL, NULL}};
static ga__library library = {.files = {"libz.so.1"}, .symbols = symbols};

int ga__deflate_need(void) {
  if (ga__library_load(&library))
    return GA_NO_ERROR;
  return ga__fail(GA_LOAD_ERROR, "zlib (libz.so.1) cannot be loaded");
}

static unsigned int at_most(size_t n) {
  return n < UINT_MAX ? (unsigned int)n : UINT_MAX;
}

uint32_t ga__crc32(uint32_t crc, const void *p, size_t n) {
  const unsigned char *from = p;

  while (n > 0) {
    const unsigned int k = at_most(n);

    crc = (uint32_t)zlib.crc32(crc, from, k);
    from += k;
    n -= k;
  }
  return crc;
}

struct ga__deflate {
  zstream z;
  int (*end)(zstream *);
};

static int fail_status(const char *call, const zstream *z, int status) {
  if (status == Z_MEM_ERROR)
    return ga__fail_nomem();
  return ga__fail(GA_VALUE_ERROR, "%s: %s", call,
                  z->msg != NULL ? z->msg : "the data is damaged");
}

static int finish_new(ga__deflate **out, ga__deflate *d, int status,
                      int (*end)(zstream *)) {
  if (status == Z_OK) {
    d->end = end;
    *out = d;
    return GA_NO_ERROR;
  }
  int err = fail_status("zlib", &d->z, status);
  ga__free(d);
  return err;
}

int ga__inflate_new(ga__deflate **out) {
  ga__deflate *d = ga__calloc(1, sizeof *d);

  *out = NULL;
  if (d == NULL)
    return ga__fail_nomem();
  return finish_new(out, d,
                    zlib.inflateInit2_(&d->z, Z_RAW, "1.2", (int)sizeof d->z),
                    zlib.inflateEnd);
}

int ga__deflate_new(ga__deflate **out) {
  ga__deflate *d = ga__calloc(1, sizeof *d);

  *out = NULL;
  if (d == NULL)
    return ga__fail_nomem();
  return finish_new(out, d,
                    zlib.deflateInit2_(&d->z, Z_LEVEL, Z_DEFLATED, Z_RAW,
                                       Z_MEMORY, 0, "1.2", (int)sizeof d->z),
                    zlib.deflateEnd);
}

void ga__deflate_free(ga__deflate *d) {
  if (d == NULL)
    return;
  d->end(&d->z);
  ga__free(d);
}

static int step(ga__deflate *d, ga__flow *f, int (*work)(zstream *, int),
                int flush) {
  const unsigned int n_in = at_most(f->n_in), n_out = at_most(f->n_out);

  d->z.next_in = f->in;
  d->z.avail_in = n_in;
  d->z.next_out = f->out;
  d->z.avail_out = n_out;
  int status = work(&d->z, flush);
  if (n_in != d->z.avail_in) /* f->in and f->out may be NULL when unused */
    f->in += n_in - d->z.avail_in;
  if (n_out != d->z.avail_out)
    f->out += n_out - d->z.avail_out;
  f->n_in -= n_in - d->z.avail_in;
  f->n_out -= n_out - d->z.avail_out;
  return status == Z_BUF_ERROR ? Z_OK : status; /* not an error: call again */
}

int ga__inflate_step(ga__deflate *d, ga__flow *f, int *ended) {
  const int status = step(d, f, zlib.inflate, Z_NO_FLUSH);

  *ended = status == Z_STREAM_END;
  return status == Z_OK || *ended ? GA_NO_ERROR
                                  : fail_status("inflate", &d->z, status);
}

int ga__deflate_step(ga__deflate *d, ga__flow *f, int last, int *ended) {
  const int status = step(d, f, zlib.deflate, last ? Z_FINISH : Z_NO_FLUSH);

  *ended = status == Z_STREAM_END;
  return status == Z_OK || *ended ? GA_NO_ERROR
                                  : fail_status("deflate", &d->z, status);
}
