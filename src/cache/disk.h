/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache on disk: bytes by key. A file contains its whole key and a checksum.
 * A file that is unreadable, truncated, corrupt or of another format is a miss,
 * never a wrong result or an error. Files are created by renaming. The size is
 * bounded: the least recently used files are removed first. Threads and
 * processes may use it at the same time.
 *
 * The folder is $GPUARRAY_CACHE_PATH, else $XDG_CACHE_HOME/gpugraph, else
 * ~/.cache/gpugraph (macOS: ~/Library/Caches/gpugraph). The bound is
 * $GPUARRAY_CACHE_MB MiB, by default 512. The cache is off if
 * $GPUARRAY_NO_CACHE is set and neither empty nor "0", or if other users could
 * put files into the folder. */
#ifndef CACHE_DISK_H
#define CACHE_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

typedef struct ga__disk ga__disk;

/* Open the cache in the folder `path`, or with NULL in the one above. If the
 * folder cannot be used, the cache is off, and ga__disk_stat gives the reason.
 * The only error is GA_MEMORY_ERROR. */
int ga__disk_open(ga__disk **out, const char *path);
void ga__disk_close(ga__disk *d); /* accepts NULL */
/* Nonzero unless the cache is off. Callers need not produce entries for one
 * that is off. */
int ga__disk_is_on(const ga__disk *d);

/* Read an entry. Returns 1, and the caller frees *bytes; or 0 for a miss. Files
 * that other users own or may write, and those that are not regular, are
 * misses. */
int ga__disk_get(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                 unsigned char **bytes, size_t *n);
/* Store an entry, if possible. A failed write does not switch the cache off;
 * ga__disk_stat gives the reason of the first one. Entries larger than the
 * bound are not stored. */
void ga__disk_put(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                  const void *bytes, size_t n);
void ga__disk_drop(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]);

/* Mark an entry that is given to a driver: begin before, and end once it has
 * proved good, with the return value of begin. If the process dies in between,
 * the entry has 0 bytes from then on. */
size_t ga__disk_begin(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]);
void ga__disk_end(ga__disk *d, size_t attempt);

typedef struct ga__disk_info {
  const char *path; /* borrowed; NULL if the cache is off */
  const char *why;  /* why the cache is off or a write failed, or NULL;
                       borrowed */
  uint64_t bytes, max_bytes;
  size_t files;
} ga__disk_info;
/* Reads the whole folder. */
void ga__disk_stat(ga__disk *d, ga__disk_info *out);
/* Remove every entry. Returns their count. */
size_t ga__disk_wipe(ga__disk *d);

#endif
