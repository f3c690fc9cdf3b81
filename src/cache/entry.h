/* SPDX-License-Identifier: BSD-2-Clause */
/* One file of the cache on disk: a header with key and checksum, then bytes. */
#ifndef CACHE_ENTRY_H
#define CACHE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

enum { GA_ENTRY_HEADER = 84 }; /* bytes before the payload */

/* The payload, which the caller frees, or NULL for a miss. A file of ours that
 * is cut off, damaged, of another format or larger than max_bytes is removed.
 * One that others own or may write is ignored. */
unsigned char *ga__entry_read(const char *path, const unsigned char *key,
                              uint64_t max_bytes, size_t *n);
int ga__entry_write(const char *path, const unsigned char *key,
                    const void *bytes, size_t n);

#endif
