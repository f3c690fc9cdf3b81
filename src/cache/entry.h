/* SPDX-License-Identifier: BSD-2-Clause */
/* One file of the cache on disk: a header with key and checksum, then the
 * payload. */
#ifndef CACHE_ENTRY_H
#define CACHE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

enum { GA_ENTRY_HEADER = 84 }; /* bytes before the payload */

/* Read the payload, which the caller frees; NULL for a miss. A file that is
 * truncated, damaged, of another format or larger than max_bytes is removed.
 * One that other users own or may write is ignored. */
unsigned char *ga__entry_read(const char *path, const unsigned char *key,
                              uint64_t max_bytes, size_t *n);
int ga__entry_write(const char *path, const unsigned char *key,
                    const void *bytes, size_t n);

#endif
