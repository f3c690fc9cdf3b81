/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes zip archives. Sizes are not known when an entry begins, so its local
 * header is written twice. It always has the 64-bit field. */
#include "io/zip.h"

#include <string.h>

#include "base/alloc.h"

enum {
  VERSION = 45,      /* needed to read 64-bit sizes */
  DATE = 1 << 5 | 1, /* 1 January 1980: equal contents give equal files */
  UTF8 = 1 << 11,    /* flag: the name's encoding */
  LOCAL_EXTRA = 20,  /* bytes of the 64-bit field with two sizes */
  CENTRAL_EXTRA = 28 /* the same and the offset */
};

/* A record while it is made. */
typedef struct record {
  unsigned char bytes[128];
  size_t n;
} record;

static void put(record *r, uint64_t v, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    r->bytes[r->n++] = (unsigned char)(v >> (8 * i) & 0xFF);
}

static int emit(ga__zip_new *z, const void *p, size_t n) {
  GA_TRY(ga__newfile_write(&z->file, p, n));
  z->at += n;
  return GA_NO_ERROR;
}

/* Write what local and central headers have in common. */
static void put_common(record *r, const ga__zip_entry *e) {
  put(r, VERSION, 2);
  put(r, UTF8, 2);
  put(r, e->method, 2);
  put(r, 0, 2); /* time */
  put(r, DATE, 2);
  put(r, e->crc, 4);
  put(r, ZIP_MANY, 4);
  put(r, ZIP_MANY, 4);
  put(r, strlen(e->name), 2);
}

static void put_local(record *r, const ga__zip_entry *e) {
  put(r, ZIP_LOCAL, 4);
  put_common(r, e);
  put(r, LOCAL_EXTRA, 2);
}

static void put_local_extra(record *r, const ga__zip_entry *e) {
  put(r, ZIP_EXTRA64, 2);
  put(r, LOCAL_EXTRA - 4, 2);
  put(r, e->bytes, 8);
  put(r, e->packed, 8);
}

static void put_central(record *r, const ga__zip_entry *e) {
  put(r, ZIP_CENTRAL, 4);
  put(r, VERSION, 2);
  put_common(r, e);
  put(r, CENTRAL_EXTRA, 2);
  put(r, 0, 2); /* comment */
  put(r, 0, 2); /* disk */
  put(r, 0, 2); /* attributes, internal and external */
  put(r, 0, 4);
  put(r, ZIP_MANY, 4);
}

/* --- the current entry --- */

static ga__zip_entry *current(ga__zip_new *z) {
  return &z->entries[z->n - 1];
}

static int pack(ga__zip_new *z, const void *p, size_t n, int last) {
  ga__flow f = {.in = p, .n_in = n};
  int ended = 0;

  do {
    f.out = z->block;
    f.n_out = sizeof z->block;
    GA_TRY(ga__deflate_step(z->deflate, &f, last, &ended));
    GA_TRY(emit(z, z->block, sizeof z->block - f.n_out));
  } while (last ? !ended : f.n_in > 0);
  return GA_NO_ERROR;
}

static int write_entry(ga__sink *sink, const void *p, size_t n) {
  ga__zip_new *z = (ga__zip_new *)sink;
  ga__zip_entry *e = current(z);

  e->bytes += n;
  e->crc = ga__crc32(e->crc, p, n);
  return z->deflate != NULL ? pack(z, p, n, 0) : emit(z, p, n);
}

static int emit_local(ga__zip_new *z, const ga__zip_entry *e) {
  record head = {.n = 0}, extra = {.n = 0};

  put_local(&head, e);
  put_local_extra(&extra, e);
  GA_TRY(emit(z, head.bytes, head.n));
  GA_TRY(emit(z, e->name, strlen(e->name)));
  return emit(z, extra.bytes, extra.n);
}

static int check_name(const ga__zip_new *z, const char *name) {
  if (name[0] == '\0' || strlen(name) > 0xFFFF)
    return ga__fail(GA_VALUE_ERROR, "an entry's name of %zu bytes",
                    strlen(name));
  if (ga__map_get(&z->names, name, strlen(name)) != NULL)
    return ga__fail(GA_VALUE_ERROR, "%s has an entry \"%s\" already",
                    z->file.path, name);
  return GA_NO_ERROR;
}

static int grow(ga__zip_new *z) {
  if ((z->n & (z->n - 1)) != 0)
    return GA_NO_ERROR;
  ga__zip_entry *entries =
      ga__realloc_array(z->entries, z->n != 0 ? 2 * z->n : 1, sizeof *entries);
  if (entries == NULL)
    return ga__fail_nomem();
  z->entries = entries;
  return GA_NO_ERROR;
}

int ga__zip_begin(ga__zip_new *z, const char *name, int compress) {
  GA_TRY(check_name(z, name));
  GA_TRY(grow(z));
  ga__zip_entry *e = &z->entries[z->n];
  memset(e, 0, sizeof *e);
  e->method = compress ? ZIP_DEFLATED : ZIP_STORED;
  e->at = z->at;
  e->name = ga__strdup(name);
  if (e->name == NULL)
    return ga__fail_nomem();
  z->n++;
  GA_TRY(ga__map_put(&z->names, name, strlen(name), z));
  if (compress)
    GA_TRY(ga__deflate_new(&z->deflate));
  return emit_local(z, e);
}

int ga__zip_end(ga__zip_new *z) {
  ga__zip_entry *e = current(z);
  record head = {.n = 0}, extra = {.n = 0};
  const uint64_t name_at = e->at + ZIP_LOCAL_BYTES;
  const size_t name = strlen(e->name);

  if (z->deflate != NULL)
    GA_TRY(pack(z, NULL, 0, 1));
  ga__deflate_free(z->deflate);
  z->deflate = NULL;
  e->packed = z->at - name_at - name - LOCAL_EXTRA;
  put_local(&head, e);
  put_local_extra(&extra, e);
  GA_TRY(ga__newfile_write_at(&z->file, e->at, head.bytes, head.n));
  return ga__newfile_write_at(&z->file, name_at + name, extra.bytes, extra.n);
}

/* --- the archive --- */

int ga__zip_create(ga__zip_new *z, const char *path) {
  memset(z, 0, sizeof *z);
  z->sink.write = write_entry;
  GA_TRY(ga__deflate_need());
  return ga__newfile_open(&z->file, path, GA_FILE_PATCHED);
}

static int emit_central(ga__zip_new *z, const ga__zip_entry *e) {
  record head = {.n = 0}, extra = {.n = 0};

  put_central(&head, e);
  put(&extra, ZIP_EXTRA64, 2);
  put(&extra, CENTRAL_EXTRA - 4, 2);
  put(&extra, e->bytes, 8);
  put(&extra, e->packed, 8);
  put(&extra, e->at, 8);
  GA_TRY(emit(z, head.bytes, head.n));
  GA_TRY(emit(z, e->name, strlen(e->name)));
  return emit(z, extra.bytes, extra.n);
}

/* Write the directory, the 64-bit end record, its locator, and the old end
 * record, which refers to them. */
static int emit_end(ga__zip_new *z) {
  const uint64_t from = z->at;
  record end = {.n = 0};

  for (size_t i = 0; i < z->n; i++)
    GA_TRY(emit_central(z, &z->entries[i]));
  uint64_t to = z->at;
  put(&end, ZIP_END64, 4);
  put(&end, ZIP_END64_BYTES - 12, 8);
  put(&end, VERSION, 2);
  put(&end, VERSION, 2);
  put(&end, 0, 8); /* disks */
  put(&end, z->n, 8);
  put(&end, z->n, 8);
  put(&end, to - from, 8);
  put(&end, from, 8);
  put(&end, ZIP_LOCATOR64, 4);
  put(&end, 0, 4);
  put(&end, to, 8);
  put(&end, 1, 4);
  put(&end, ZIP_END, 4);
  put(&end, 0, 4); /* disks */
  put(&end, 0xFFFF, 2);
  put(&end, 0xFFFF, 2);
  put(&end, ZIP_MANY, 4);
  put(&end, ZIP_MANY, 4);
  put(&end, 0, 2); /* comment */
  return emit(z, end.bytes, end.n);
}

int ga__zip_finish(ga__zip_new *z, int keep) {
  int failed = GA_NO_ERROR;

  if (keep)
    failed = emit_end(z);
  int err = ga__newfile_close(&z->file, keep && failed == GA_NO_ERROR);
  ga__deflate_free(z->deflate);
  for (size_t i = 0; i < z->n; i++)
    ga__free(z->entries[i].name);
  ga__free(z->entries);
  ga__map_clear(&z->names);
  memset(z, 0, sizeof *z);
  return failed != GA_NO_ERROR ? failed : err;
}
