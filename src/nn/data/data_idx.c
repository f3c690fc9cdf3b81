/* SPDX-License-Identifier: BSD-2-Clause */
/* IDX files: two zero bytes, the type, the number of axes, each size as a
 * big-endian number of 32 bits, the elements, big-endian. */
#include "nn/data/data.h"

#include <string.h>

enum { HEAD = 4, SIZE = 4 };

static const int dtypes[] = {
    [0x08] = GA_UBYTE, [0x09] = GA_BYTE,  [0x0b] = GA_SHORT,
    [0x0c] = GA_INT,   [0x0d] = GA_FLOAT, [0x0e] = GA_DOUBLE};

static int host_is_little(void) {
  const uint16_t one = 1;

  return *(const unsigned char *)&one == 1;
}

/* The dtype of a file, or -1. */
static int dtype_of(unsigned char type) {
  if (type >= sizeof dtypes / sizeof *dtypes)
    return -1;
  return dtypes[type] != 0 ? dtypes[type] : -1;
}

static int check_head(const unsigned char *p, size_t n, const char *path) {
  if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s is compressed by gzip: unpack it first", path);
  if (n < HEAD)
    return ga__fail(GA_VALUE_ERROR, "%s: %zu bytes are no IDX file", path, n);
  if (p[0] != 0 || p[1] != 0 || dtype_of(p[2]) < 0)
    return ga__fail(GA_VALUE_ERROR,
                    "%s begins with %02x%02x%02x%02x, expected 0000, a type, "
                    "and the number of axes",
                    path, p[0], p[1], p[2], p[3]);
  if (p[3] < 1 || p[3] > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%s has %u axes, expected 1 to %d", path,
                    p[3], GG_MAX_ND);
  if (n < HEAD + (size_t)SIZE * p[3])
    return ga__fail(GA_VALUE_ERROR, "%s ends within its sizes", path);
  return GA_NO_ERROR;
}

/* Read the sizes; the elements fill the rest of the file. */
static int read_sizes(gg_host_array *a, const unsigned char *p, size_t n,
                      const char *path) {
  a->dtype = dtype_of(p[2]);
  a->nd = p[3];
  a->bytes = ga__dtype_size(a->dtype);
  for (unsigned int i = 0; i < a->nd; i++) {
    const unsigned char *b = p + HEAD + SIZE * i;
    a->dims[i] = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 |
                 (size_t)b[3];
    if (a->dims[i] == 0)
      return ga__fail(GA_VALUE_ERROR, "%s: axis %u has size 0", path, i);
    a->bytes = ga__times(a->bytes, a->dims[i]);
  }
  const size_t there = n - HEAD - (size_t)SIZE * a->nd;
  if (a->bytes == there)
    return GA_NO_ERROR;
  if (a->bytes == SIZE_MAX)
    return ga__fail(GA_VALUE_ERROR, "%s promises more bytes than there can be",
                    path);
  return ga__fail(GA_VALUE_ERROR, "%s promises %zu bytes, %zu are there", path,
                  a->bytes, there);
}

static int take(gg_data *d, const char *path) {
  const unsigned char *p = d->map;
  gg_host_array *a = &d->array;

  GA_TRY(check_head(p, d->map_bytes, path));
  GA_TRY(read_sizes(a, p, d->map_bytes, path));
  const size_t size = ga__dtype_size(a->dtype);
  const unsigned char *from = p + HEAD + SIZE * a->nd;
  a->data = (void *)(uintptr_t)from;
  if (size == 1 || !host_is_little())
    return GA_NO_ERROR;
  GA_TRY(gg__data_alloc(d, a->dtype, a->nd, a->dims));
  gg__data_swap(d->memory, from, a->bytes / size, size);
  return GA_NO_ERROR;
}

int gg_data_idx(gg_data **out, const char *path) {
  gg_data *d;

  GA_TRY(gg__data_check(out, path));
  GA_TRY(gg__data_new(&d));
  int err = ga__file_map(path, &d->map, &d->map_bytes);
  if (err == GA_NO_ERROR)
    err = take(d, path);
  return gg__data_done(out, d, err);
}
