/* SPDX-License-Identifier: BSD-2-Clause */
/* The file: two zero bytes, the type (8: unsigned byte), the number of
 * dimensions, each size as a big-endian 32-bit number, then the elements. */
#include "idx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_BYTES = 1 << 30, FIRST_BYTES = 1 << 20 };

static int read_size(gzFile f, size_t *out) {
  unsigned char b[4];
  if (gzread(f, b, 4) != 4)
    return -1;
  *out = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
  return 0;
}

static int read_header(idx *out, gzFile f, unsigned int nd, const char *path,
                       char *why, size_t bytes) {
  unsigned char magic[4];
  if (gzread(f, magic, 4) != 4) {
    snprintf(why, bytes, "%s: shorter than an IDX header", path);
    return -1;
  }
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] != nd) {
    snprintf(why, bytes,
             "%s: starts with %02x%02x%02x%02x, an IDX file of bytes with %u "
             "dimensions starts with 000008%02x",
             path, magic[0], magic[1], magic[2], magic[3], nd, nd);
    return -1;
  }
  out->nd = nd;
  out->n = 1;
  for (unsigned int i = 0; i < nd; i++) {
    if (read_size(f, &out->dims[i]) != 0) {
      snprintf(why, bytes, "%s: ends within the sizes", path);
      return -1;
    }
    if (out->dims[i] == 0 || out->n > MAX_BYTES / out->dims[i]) {
      snprintf(why, bytes, "%s: dimension %u has the size %zu", path, i,
               out->dims[i]);
      return -1;
    }
    out->n *= out->dims[i];
  }
  return 0;
}

/* Make room for elements, twice as much as there was, but no more than n. */
static int grow(idx *out, size_t *room) {
  size_t want = *room == 0 ? FIRST_BYTES : 2 * *room;

  if (want > out->n)
    want = out->n;
  unsigned char *data = realloc(out->data, want);
  if (data == NULL)
    return -1;
  out->data = data;
  *room = want;
  return 0;
}

/* Memory grows with what is there: a short file may claim any size. */
static int read_elements(idx *out, gzFile f, const char *path, char *why,
                         size_t bytes) {
  size_t room = 0, have = 0;

  while (have < out->n) {
    if (have == room && grow(out, &room) != 0) {
      snprintf(why, bytes, "%s: no memory for %zu bytes", path, out->n);
      return -1;
    }
    int got = gzread(f, out->data + have, (unsigned int)(room - have));
    if (got <= 0) {
      snprintf(why, bytes, "%s: truncated or damaged, %zu of %zu elements",
               path, have, out->n);
      return -1;
    }
    have += (size_t)got;
  }
  return 0;
}

int idx_read(idx *out, const char *path, unsigned int nd, char *why,
             size_t why_bytes) {
  memset(out, 0, sizeof *out);
  if (nd < 1 || nd > 4) {
    snprintf(why, why_bytes, "%s: %u dimensions asked for", path, nd);
    return -1;
  }
  gzFile f = gzopen(path, "rb");
  if (f == NULL) {
    snprintf(why, why_bytes, "%s: cannot be opened", path);
    return -1;
  }
  int err = read_header(out, f, nd, path, why, why_bytes);
  if (err == 0)
    err = read_elements(out, f, path, why, why_bytes);
  gzclose(f);
  if (err != 0)
    idx_clear(out);
  return err;
}

void idx_clear(idx *a) {
  free(a->data);
  memset(a, 0, sizeof *a);
}
