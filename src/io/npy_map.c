/* SPDX-License-Identifier: BSD-2-Clause */
/* .npy data where it lies: mapped files, and unpacked entries of archives. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "io/npy.h"
#include "io/npy_header.h"

typedef struct owner {
  ga__npy_header h;
  const unsigned char *map; /* the file, or NULL */
  size_t map_bytes;
  unsigned char *memory; /* or this */
} owner;

/* Parse the header of `n` bytes; *at is where the elements begin. */
static int parse(ga__npy_header *h, size_t *at, const unsigned char *p,
                 size_t n) {
  size_t prefix, text;

  if (n < GA_NPY_PREFIX_MAX)
    return ga__fail(GA_VALUE_ERROR, "%zu bytes are no .npy data", n);
  GA_TRY(ga__npy_prefix_bytes(&prefix, p));
  GA_TRY(ga__npy_text_bytes(&text, p));
  if (text > n - prefix)
    return ga__fail(GA_VALUE_ERROR, "a header of %zu bytes, %zu are there",
                    text, n - prefix);
  GA_TRY(ga__npy_parse(h, (const char *)p + prefix, text));
  *at = prefix + text;
  if (h->bytes > n - *at)
    return ga__fail(GA_VALUE_ERROR,
                    "the header promises %zu bytes, %zu are there", h->bytes,
                    n - *at);
  return GA_NO_ERROR;
}

static void owner_free(owner *o) {
  ga__file_unmap(o->map, o->map_bytes);
  ga__free(o->memory);
  ga__free(o);
}

/* Describe the array at p; messages say which file it is. */
static int fill(gpunpy *out, owner *o, const unsigned char *p, size_t n,
                const char *path, const char *name) {
  size_t at = 0;
  const int err = parse(&o->h, &at, p, n);

  if (err != GA_NO_ERROR) {
    char why[200];
    snprintf(why, sizeof why, "%s", ga__err_text(err));
    return ga__fail(err, "%s%s%s: %s", path, name != NULL ? ", entry " : "",
                    name != NULL ? name : "", why);
  }
  *out = (gpunpy){.typecode = o->h.typecode,
                  .is_swapped = o->h.is_swapped,
                  .is_fortran = o->h.order == GA_F_ORDER,
                  .nd = o->h.nd,
                  .dims = o->h.dims,
                  .data = p + at,
                  .bytes = o->h.bytes,
                  .owner = o};
  return GA_NO_ERROR;
}

int ga__npy_hold(gpunpy *out, unsigned char *p, size_t n, const char *path,
                 const char *name) {
  owner *o = ga__calloc(1, sizeof *o);

  if (o == NULL)
    return ga__fail_nomem();
  int err = fill(out, o, p, n, path, name);
  if (err == GA_NO_ERROR)
    o->memory = p;
  else
    owner_free(o);
  return err;
}

int ga__npy_map(gpunpy *out, const char *path, const char *name, uint64_t at,
                uint64_t bytes) {
  owner *o = ga__calloc(1, sizeof *o);

  if (o == NULL)
    return ga__fail_nomem();
  int err = ga__file_map(path, &o->map, &o->map_bytes);
  if (err == GA_NO_ERROR && at >= o->map_bytes)
    err = ga__fail(GA_VALUE_ERROR, "%s ends early, after %zu bytes", path,
                   o->map_bytes);
  if (err == GA_NO_ERROR) {
    const uint64_t left = o->map_bytes - at;
    err = fill(out, o, o->map + at, (size_t)(bytes < left ? bytes : left), path,
               name);
  }
  if (err != GA_NO_ERROR)
    owner_free(o);
  return err;
}

int gpunpy_map(gpunpy *out, const char *path) {
  if (out == NULL || path == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s NULL",
                    out == NULL ? "result is" : "path is");
  memset(out, 0, sizeof *out);
  return ga__npy_map(out, path, NULL, 0, UINT64_MAX);
}

void gpunpy_unmap(gpunpy *a) {
  if (a == NULL)
    return;
  if (a->owner != NULL)
    owner_free(a->owner);
  memset(a, 0, sizeof *a);
}
