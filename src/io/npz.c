/* SPDX-License-Identifier: BSD-2-Clause */
/* .npz files: zip archives of .npy data. */
#include "io/npz.h"

#include <string.h>

#include "base/alloc.h"
#include "io/npy.h"
#include "io/zip.h"

static const char suffix[] = ".npy";
#define SUFFIX_BYTES (sizeof suffix - 1)

/* --- reading --- */

struct gpunpz {
  ga__zip zip;
  ga__map entries; /* ga__zip_entry by name */
};

/* Remove the suffix from all names and make the map. Of several entries with
 * one name the last counts, as for NumPy. */
static int list_names(gpunpz *z) {
  for (size_t i = 0; i < z->zip.n; i++) {
    char *name = z->zip.entries[i].name;
    size_t n = strlen(name);

    if (n > SUFFIX_BYTES && strcmp(name + n - SUFFIX_BYTES, suffix) == 0)
      n -= SUFFIX_BYTES;
    name[n] = '\0';
    GA_TRY(ga__map_put(&z->entries, name, n, &z->zip.entries[i]));
  }
  return GA_NO_ERROR;
}

int gpunpz_open(gpunpz **out, const char *path) {
  gpunpz *z = ga__calloc(1, sizeof *z);

  *out = NULL;
  if (z == NULL)
    return ga__fail_nomem();
  int err = ga__zip_open(&z->zip, path);
  if (err == GA_NO_ERROR)
    err = list_names(z);
  if (err == GA_NO_ERROR)
    *out = z;
  else
    gpunpz_close(z);
  return err;
}

void gpunpz_close(gpunpz *z) {
  if (z == NULL)
    return;
  ga__zip_close(&z->zip);
  ga__map_clear(&z->entries);
  ga__free(z);
}

size_t gpunpz_count(const gpunpz *z) {
  return z->zip.n;
}

const char *gpunpz_name(const gpunpz *z, size_t i) {
  return i < z->zip.n ? z->zip.entries[i].name : NULL;
}

static int load(GpuArray *a, gpucontext *ctx, ga__zip_stream *s) {
  GA_TRY(ga__npy_load(a, ctx, &s->source));
  int err = ga__zip_stream_end(s);
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

/* Open the stream of an entry; to be closed and freed even on failure. */
static int open_entry(ga__zip_stream **s, gpunpz *z, const char *name) {
  const ga__zip_entry *e = ga__map_get(&z->entries, name, strlen(name));

  *s = NULL;
  if (e == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s has no entry \"%s\"", z->zip.path,
                    name);
  *s = ga__calloc(1, sizeof **s);
  return *s != NULL ? ga__zip_stream_open(*s, &z->zip, e) : ga__fail_nomem();
}

static void close_entry(ga__zip_stream *s) {
  if (s != NULL)
    ga__zip_stream_close(s);
  ga__free(s);
}

int gpunpz_load(GpuArray *a, gpucontext *ctx, gpunpz *z, const char *name) {
  ga__zip_stream *s;

  memset(a, 0, sizeof *a);
  int err = open_entry(&s, z, name);
  if (err == GA_NO_ERROR)
    err = load(a, ctx, s);
  close_entry(s);
  return err;
}

static int read_entry(unsigned char *to, size_t most, size_t *n,
                      ga__zip_stream *s) {
  const uint64_t bytes = s->entry->bytes;

  if (bytes > most)
    return ga__fail(
        GA_VALUE_ERROR, "%s: entry \"%s\" has %llu bytes, expected %zu at most",
        s->zip->path, s->entry->name, (unsigned long long)bytes, most);
  *n = (size_t)bytes;
  GA_TRY(s->source.read(&s->source, to, *n));
  return ga__zip_stream_end(s);
}

int ga__npz_read(unsigned char *to, size_t most, size_t *n, gpunpz *z,
                 const char *name) {
  ga__zip_stream *s;
  int err = open_entry(&s, z, name);

  if (err == GA_NO_ERROR)
    err = read_entry(to, most, n, s);
  close_entry(s);
  return err;
}

/* The bytes of an entry: in the file, or unpacked. */
static int map_entry(gpunpy *out, gpunpz *z, ga__zip_stream *s) {
  const ga__zip *file = &z->zip;

  if (s->entry->method == ZIP_STORED)
    return ga__npy_map(out, file->path, s->entry->name,
                       file->file_bytes - file->file.source.left,
                       s->entry->bytes);
  unsigned char *bytes = ga__malloc((size_t)s->entry->bytes);
  if (bytes == NULL)
    return ga__fail_nomem();
  int err = s->source.read(&s->source, bytes, (size_t)s->entry->bytes);
  if (err == GA_NO_ERROR)
    err = ga__zip_stream_end(s);
  if (err == GA_NO_ERROR)
    err = ga__npy_hold(out, bytes, (size_t)s->entry->bytes, file->path,
                       s->entry->name);
  if (err != GA_NO_ERROR)
    ga__free(bytes);
  return err;
}

int gpunpz_map(gpunpy *out, const char *path, const char *name) {
  ga__zip_stream *s = NULL;
  gpunpz *z;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write the array");
  memset(out, 0, sizeof *out);
  if (path == NULL || name == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s is NULL",
                    path == NULL ? "path" : "name");
  GA_TRY(gpunpz_open(&z, path));
  int err = open_entry(&s, z, name);
  if (err == GA_NO_ERROR)
    err = map_entry(out, z, s);
  close_entry(s);
  gpunpz_close(z);
  return err;
}

/* --- writing --- */

struct gpunpz_new {
  ga__zip_new zip;
  int compress;
  int failed; /* code of the first failure; the file is then abandoned */
};

int gpunpz_create(gpunpz_new **out, const char *path, int compress) {
  gpunpz_new *z = ga__calloc(1, sizeof *z);

  *out = NULL;
  if (z == NULL)
    return ga__fail_nomem();
  z->compress = compress != 0;
  int err = ga__zip_create(&z->zip, path);
  if (err != GA_NO_ERROR)
    ga__free(z);
  else
    *out = z;
  return err;
}

/* What an entry consists of: an array, or bytes. */
typedef struct content {
  const GpuArray *array;
  const void *bytes;
  size_t n;
} content;

static int put(ga__sink *to, const content *c) {
  return c->array != NULL ? ga__npy_save(c->array, to)
                          : to->write(to, c->bytes, c->n);
}

static int add(gpunpz_new *z, const char *name, const content *c) {
  ga__strb full = GA_STRB_INIT;
  int err;

  ga__strb_append(&full, name);
  ga__strb_append(&full, suffix);
  GA_CHECK(full.err);
  GA_CHECK(ga__zip_begin(&z->zip, full.s, z->compress));
  GA_CHECK(put(&z->zip.sink, c));
  GA_CHECK(ga__zip_end(&z->zip));

done:
  ga__strb_clear(&full);
  return err;
}

static int add_unless_failed(gpunpz_new *z, const char *name,
                             const content *c) {
  if (z->failed != GA_NO_ERROR)
    return ga__fail(z->failed, "%s failed before and is abandoned",
                    z->zip.file.path);
  int err = add(z, name, c);
  z->failed = err;
  return err;
}

int gpunpz_add(gpunpz_new *z, const char *name, const GpuArray *a) {
  return add_unless_failed(z, name, &(content){.array = a});
}

int ga__npz_write(gpunpz_new *z, const char *name, const void *bytes,
                  size_t n) {
  return add_unless_failed(z, name, &(content){.bytes = bytes, .n = n});
}

int gpunpz_finish(gpunpz_new *z, int keep) {
  if (z == NULL)
    return GA_NO_ERROR;
  int failed = z->failed;
  if (keep && failed != GA_NO_ERROR)
    ga__fail(failed, "%s failed before and is abandoned", z->zip.file.path);
  int err = ga__zip_finish(&z->zip, keep && failed == GA_NO_ERROR);
  ga__free(z);
  return keep && failed != GA_NO_ERROR ? failed : err;
}
