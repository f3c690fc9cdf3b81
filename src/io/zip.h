/* SPDX-License-Identifier: BSD-2-Clause */
/* Zip archives of .npz files: stored or deflated entries, with the 64-bit
 * extension, without encryption and on one disk. */
#ifndef IO_ZIP_H
#define IO_ZIP_H

#include "base/file.h"
#include "base/map.h"
#include "base/stream.h"
#include "io/deflate.h"

/* Signatures of records and bytes of their fixed parts. */
enum {
  ZIP_LOCAL = 0x04034b50,
  ZIP_CENTRAL = 0x02014b50,
  ZIP_END = 0x06054b50,
  ZIP_END64 = 0x06064b50,
  ZIP_LOCATOR64 = 0x07064b50,
  ZIP_LOCAL_BYTES = 30,
  ZIP_CENTRAL_BYTES = 46,
  ZIP_END_BYTES = 22,
  ZIP_END64_BYTES = 56,
  ZIP_LOCATOR64_BYTES = 20,
  ZIP_EXTRA64 = 1, /* tag of the field with 64-bit sizes */
  ZIP_STORED = 0,
  ZIP_DEFLATED = 8
};
#define ZIP_MANY 0xFFFFFFFFu /* the value is in the 64-bit field */

typedef struct ga__zip_entry {
  char *name; /* owned */
  unsigned int method, flags;
  uint32_t crc;
  uint64_t packed, bytes; /* bytes in the file, and unpacked */
  uint64_t at;            /* offset of its local header */
} ga__zip_entry;

/* --- reading --- */

typedef struct ga__zip {
  ga__file_source file;
  char *path; /* owned */
  uint64_t file_bytes;
  ga__zip_entry *entries;
  size_t n;
} ga__zip;

int ga__zip_open(ga__zip *z, const char *path);
void ga__zip_close(ga__zip *z); /* accepts a zeroed one */

/* A stream of the bytes of an entry; an archive has one at a time. At the end
 * ga__zip_stream_end() verifies the checksum. */
typedef struct ga__zip_stream {
  ga__byte_source source;
  ga__zip *zip;
  const ga__zip_entry *entry;
  ga__deflate *inflate; /* NULL: stored */
  uint64_t packed_left;
  uint32_t crc;
  ga__flow flow;
  unsigned char block[1 << 15];
} ga__zip_stream;

int ga__zip_stream_open(ga__zip_stream *s, ga__zip *z, const ga__zip_entry *e);
int ga__zip_stream_end(ga__zip_stream *s);
void ga__zip_stream_close(ga__zip_stream *s);

/* --- writing --- */

typedef struct ga__zip_new {
  ga__sink sink; /* takes the bytes of the current entry */
  ga__newfile file;
  uint64_t at;            /* bytes written so far */
  ga__zip_entry *entries; /* allocated for the next power of two */
  size_t n;
  ga__map names;        /* of entries; a set */
  ga__deflate *deflate; /* NULL: entries are stored */
  unsigned char block[1 << 15];
} ga__zip_new;

int ga__zip_create(ga__zip_new *z, const char *path);
/* Between these two calls, z->sink takes the bytes of the entry. */
int ga__zip_begin(ga__zip_new *z, const char *name, int compress);
int ga__zip_end(ga__zip_new *z);
/* Write the directory and close; with `keep` 0 leave no file behind. */
int ga__zip_finish(ga__zip_new *z, int keep);

#endif
