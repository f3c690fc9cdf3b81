/* SPDX-License-Identifier: BSD-2-Clause */
/* Keyed bytes on disk. A file holds its whole key and a checksum. A file that
 * is unreadable, truncated, corrupt or of another format is a miss, never a
 * wrong answer or an error. Files appear by rename. The size is bounded: the
 * least recently used files go first. Safe between threads and processes.
 *
 * Where: $GPUARRAY_CACHE_PATH, else $XDG_CACHE_HOME/gpugraph, else
 * ~/.cache/gpugraph (macOS: ~/Library/Caches/gpugraph). Off when
 * GPUARRAY_NO_CACHE is set and neither empty nor "0", whatever the folder.
 * Bound: GPUARRAY_CACHE_MB, default 512. It is also off when others could put
 * files into the folder. */
#ifndef CACHE_DISK_H
#define CACHE_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

typedef struct ga__disk ga__disk;

/* `path` NULL: the folder described above. With a bad folder the cache is off,
 * and ga__disk_stat gives the reason; the only error is GA_MEMORY_ERROR. */
int ga__disk_open(ga__disk **out, const char *path);
void ga__disk_close(ga__disk *d); /* accepts NULL */
/* Nonzero if there is a folder. Without one, callers skip the work of making
 * entries. */
int ga__disk_is_on(const ga__disk *d);

/* 1, and the caller frees *bytes; or 0 for a miss. Files that belong to others
 * or that others may write, and entries that are not regular files, are
 * misses. */
int ga__disk_get(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                 unsigned char **bytes, size_t *n);
/* Best effort: a failed write does not switch the cache off; the first reason
 * is kept for ga__disk_stat. Entries larger than the bound are not stored. */
void ga__disk_put(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                  const void *bytes, size_t n);
void ga__disk_drop(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]);

/* An entry is given to a driver: begin, and end when it has proved good, with
 * what begin returned. When the process dies in between, the entry has 0 bytes
 * from then on. */
size_t ga__disk_begin(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]);
void ga__disk_end(ga__disk *d, size_t attempt);

typedef struct ga__disk_info {
  const char *path; /* borrowed; NULL when switched off */
  const char *why;  /* why it is off or a write failed, or NULL; borrowed */
  uint64_t bytes, max_bytes;
  size_t files;
} ga__disk_info;
/* Looks through the folder. */
void ga__disk_stat(ga__disk *d, ga__disk_info *out);
/* Remove every entry; returns the number removed. */
size_t ga__disk_wipe(ga__disk *d);

#endif
