/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads zip archives, which are not trusted: first the directory, at the
 * end. */
#include "io/zip.h"

#include <string.h>

#include "base/alloc.h"

#define COMMENT_MAX ((uint64_t)0xFFFF)
#define DIRECTORY_MAX ((uint64_t)64 << 20)
#define ENCRYPTED 1u /* flag of an entry */
/* The highest ratio of deflate. */
#define RATIO_MAX 1032

static unsigned int get16(const unsigned char *p) {
  return (unsigned int)p[0] | (unsigned int)p[1] << 8;
}

static uint32_t get32(const unsigned char *p) {
  return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p) {
  return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static int fail(const ga__zip *z, const char *what) {
  return ga__fail(GA_VALUE_ERROR, "%s is not a .npz file: %s", z->path, what);
}

static int read_at(ga__zip *z, uint64_t at, void *p, size_t n) {
  GA_TRY(ga__file_source_seek(&z->file, at));
  return z->file.source.read(&z->file.source, p, n);
}

/* --- the end record --- */

/* Number of entries, offset and bytes of the directory. */
typedef struct directory {
  uint64_t n, at, bytes;
} directory;

/* Find the last end record in the tail of the file. A comment may follow it. */
static const unsigned char *find_end(const unsigned char *p, size_t n) {
  for (size_t i = n - ZIP_END_BYTES + 1; i-- > 0;) {
    if (get32(p + i) == ZIP_END && get16(p + i + 20) + i + ZIP_END_BYTES == n)
      return p + i;
  }
  return NULL;
}

static int read_end64(ga__zip *z, directory *d, uint64_t end_at) {
  unsigned char p[ZIP_END64_BYTES];

  if (end_at < ZIP_LOCATOR64_BYTES)
    return fail(z, "its end record is truncated");
  GA_TRY(read_at(z, end_at - ZIP_LOCATOR64_BYTES, p, ZIP_LOCATOR64_BYTES));
  if (get32(p) != ZIP_LOCATOR64)
    return fail(z, "its 64-bit end record is missing");
  uint64_t at = get64(p + 8);
  if (at > z->file_bytes || z->file_bytes - at < sizeof p)
    return fail(z, "its 64-bit end record is outside");
  GA_TRY(read_at(z, at, p, sizeof p));
  if (get32(p) != ZIP_END64)
    return fail(z, "its 64-bit end record is damaged");
  d->n = get64(p + 32);
  d->bytes = get64(p + 40);
  d->at = get64(p + 48);
  return GA_NO_ERROR;
}

static int read_end_in(ga__zip *z, directory *d, const unsigned char *tail,
                       size_t n) {
  const unsigned char *p = find_end(tail, n);

  if (p == NULL)
    return fail(z, "it has no end record");
  d->n = get16(p + 10);
  d->bytes = get32(p + 12);
  d->at = get32(p + 16);
  if (d->n == 0xFFFF || d->bytes == ZIP_MANY || d->at == ZIP_MANY)
    GA_TRY(read_end64(z, d, z->file_bytes - n + (uint64_t)(p - tail)));
  if (d->at > z->file_bytes || d->bytes > z->file_bytes - d->at ||
      d->bytes > DIRECTORY_MAX || d->n > d->bytes / ZIP_CENTRAL_BYTES)
    return fail(z, "its directory is outside of the file");
  return GA_NO_ERROR;
}

static int read_end(ga__zip *z, directory *d) {
  uint64_t n = ZIP_END_BYTES + COMMENT_MAX;
  unsigned char *tail;
  int err;

  if (z->file_bytes < ZIP_END_BYTES)
    return fail(z, "it is too short");
  if (n > z->file_bytes)
    n = z->file_bytes;
  tail = ga__malloc((size_t)n);
  if (tail == NULL)
    return ga__fail_nomem();
  GA_CHECK(read_at(z, z->file_bytes - n, tail, (size_t)n));
  err = read_end_in(z, d, tail, (size_t)n);

done:
  ga__free(tail);
  return err;
}

/* --- the directory --- */

/* Read the 64-bit values that replace 32-bit ones, in their order. */
static int read_extra(const ga__zip *z, ga__zip_entry *e,
                      const unsigned char *p, size_t n) {
  uint64_t *wide[3] = {&e->bytes, &e->packed, &e->at};

  while (n >= 4) {
    const unsigned int tag = get16(p), bytes = get16(p + 2);
    size_t used = 0;

    if (bytes > n - 4)
      return fail(z, "an extra field is truncated");
    for (int i = 0; tag == ZIP_EXTRA64 && i < 3; i++) {
      if (*wide[i] != ZIP_MANY)
        continue;
      if (bytes - used < 8)
        return fail(z, "a 64-bit size is missing");
      *wide[i] = get64(p + 4 + used);
      used += 8;
    }
    p += 4 + bytes;
    n -= 4 + bytes;
  }
  return GA_NO_ERROR;
}

/* Refuse impossible sizes before anything is allocated for them. */
static int check_entry(const ga__zip *z, const ga__zip_entry *e) {
  if (e->at > z->file_bytes || e->packed > z->file_bytes - e->at)
    return fail(z, "an entry is outside of the file");
  if (e->method == ZIP_STORED && e->packed != e->bytes)
    return fail(z, "an entry has two sizes");
  if (e->method == ZIP_DEFLATED && e->bytes / RATIO_MAX > e->packed)
    return fail(z, "an entry expands to more than is possible");
  return GA_NO_ERROR;
}

/* Read the entry at `*p` and advance behind it. */
static int read_entry(ga__zip *z, const unsigned char **p, size_t *left) {
  ga__zip_entry *e = &z->entries[z->n];
  const unsigned char *q = *p;

  if (*left < ZIP_CENTRAL_BYTES || get32(q) != ZIP_CENTRAL)
    return fail(z, "its directory is damaged");
  size_t name = get16(q + 28);
  size_t extra = get16(q + 30);
  size_t bytes = ZIP_CENTRAL_BYTES + name + extra + get16(q + 32);
  if (bytes > *left)
    return fail(z, "its directory is truncated");
  e->flags = get16(q + 8);
  e->method = get16(q + 10);
  e->crc = get32(q + 16);
  e->packed = get32(q + 20);
  e->bytes = get32(q + 24);
  e->at = get32(q + 42);
  GA_TRY(read_extra(z, e, q + ZIP_CENTRAL_BYTES + name, extra));
  GA_TRY(check_entry(z, e));
  e->name = ga__malloc(name + 1);
  if (e->name == NULL)
    return ga__fail_nomem();
  memcpy(e->name, q + ZIP_CENTRAL_BYTES, name);
  e->name[name] = '\0';
  z->n++;
  *p += bytes;
  *left -= bytes;
  return GA_NO_ERROR;
}

static int read_directory(ga__zip *z) {
  unsigned char *all = NULL;
  directory d = {0, 0, 0};
  int err;

  GA_TRY(read_end(z, &d));
  size_t left = (size_t)d.bytes;
  all = ga__malloc(left);
  z->entries = ga__calloc((size_t)d.n, sizeof *z->entries);
  if (all == NULL || z->entries == NULL) {
    ga__free(all);
    return ga__fail_nomem();
  }
  GA_CHECK(read_at(z, d.at, all, left));
  const unsigned char *p = all;
  while (z->n < d.n)
    GA_CHECK(read_entry(z, &p, &left));

done:
  ga__free(all);
  return err;
}

int ga__zip_open(ga__zip *z, const char *path) {
  int err;

  memset(z, 0, sizeof *z);
  z->file.fd = -1;
  GA_TRY(ga__deflate_need());
  z->path = ga__strdup(path);
  if (z->path == NULL)
    return ga__fail_nomem();
  GA_CHECK(ga__file_source_open(&z->file, z->path, 1));
  z->file_bytes = z->file.source.left;
  if (z->file_bytes == UINT64_MAX)
    GA_CHECK(fail(z, "it is not a regular file"));
  GA_CHECK(read_directory(z));

done:
  if (err != GA_NO_ERROR)
    ga__zip_close(z);
  return err;
}

void ga__zip_close(ga__zip *z) {
  if (z->path == NULL)
    return;
  ga__file_source_close(&z->file);
  for (size_t i = 0; i < z->n; i++)
    ga__free(z->entries[i].name);
  ga__free(z->entries);
  ga__free(z->path);
  memset(z, 0, sizeof *z);
}

/* --- the bytes of an entry --- */

static int fail_entry(const ga__zip_stream *s, const char *what) {
  return ga__fail(GA_VALUE_ERROR, "%s: entry \"%s\" %s", s->zip->path,
                  s->entry->name, what);
}

/* Fill the block with packed bytes. */
static int refill(ga__zip_stream *s) {
  size_t n = sizeof s->block;

  if (n > s->packed_left)
    n = (size_t)s->packed_left;
  GA_TRY(s->zip->file.source.read(&s->zip->file.source, s->block, n));
  s->packed_left -= n;
  s->flow.in = s->block;
  s->flow.n_in = n;
  return GA_NO_ERROR;
}

static int inflate_some(ga__zip_stream *s, void *p, size_t n) {
  int ended = 0;

  s->flow.out = p;
  s->flow.n_out = n;
  while (s->flow.n_out > 0) {
    const size_t before = s->flow.n_out;

    if (ended)
      return fail_entry(s, "expands to less than it says");
    if (s->flow.n_in == 0 && s->packed_left > 0)
      GA_TRY(refill(s));
    GA_TRY(ga__inflate_step(s->inflate, &s->flow, &ended));
    if (s->flow.n_in == 0 && s->packed_left == 0 && s->flow.n_out == before)
      return fail_entry(s, "ends early");
  }
  return GA_NO_ERROR;
}

static int read_stored(ga__zip_stream *s, void *p, size_t n) {
  if (n > s->packed_left)
    return fail_entry(s, "ends early");
  s->packed_left -= n;
  return s->zip->file.source.read(&s->zip->file.source, p, n);
}

static int read_stream(ga__byte_source *source, void *p, size_t n) {
  ga__zip_stream *s = (ga__zip_stream *)source;

  if (n > source->left)
    return fail_entry(s, "ends early");
  GA_TRY(s->inflate != NULL ? inflate_some(s, p, n) : read_stored(s, p, n));
  source->left -= n;
  s->crc = ga__crc32(s->crc, p, n);
  return GA_NO_ERROR;
}

/* Seek to the data behind the local header. */
static int seek_data(ga__zip_stream *s) {
  unsigned char p[ZIP_LOCAL_BYTES];
  ga__zip *z = s->zip;
  uint64_t at = s->entry->at;

  if (z->file_bytes - at < sizeof p)
    return fail_entry(s, "is outside of the file");
  GA_TRY(read_at(z, at, p, sizeof p));
  if (get32(p) != ZIP_LOCAL)
    return fail_entry(s, "is not where the directory says");
  at += sizeof p + get16(p + 26) + get16(p + 28);
  if (at > z->file_bytes || s->entry->packed > z->file_bytes - at)
    return fail_entry(s, "is outside of the file");
  return ga__file_source_seek(&z->file, at);
}

int ga__zip_stream_open(ga__zip_stream *s, ga__zip *z, const ga__zip_entry *e) {
  memset(s, 0, sizeof *s);
  s->source.read = read_stream;
  s->source.left = e->bytes;
  s->zip = z;
  s->entry = e;
  s->packed_left = e->packed;
  if (e->flags & ENCRYPTED)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: entry \"%s\" is encrypted",
                    z->path, e->name);
  if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s: entry \"%s\" is compressed by method %u", z->path,
                    e->name, e->method);
  GA_TRY(seek_data(s));
  return e->method == ZIP_DEFLATED ? ga__inflate_new(&s->inflate) : GA_NO_ERROR;
}

int ga__zip_stream_end(ga__zip_stream *s) {
  unsigned char rest[256];

  while (s->source.left > 0) {
    const size_t n =
        s->source.left < sizeof rest ? (size_t)s->source.left : sizeof rest;

    GA_TRY(s->source.read(&s->source, rest, n));
  }
  return s->crc == s->entry->crc ? GA_NO_ERROR
                                 : fail_entry(s, "has a wrong checksum");
}

void ga__zip_stream_close(ga__zip_stream *s) {
  ga__deflate_free(s->inflate);
  s->inflate = NULL;
}
