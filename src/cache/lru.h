/* SPDX-License-Identifier: BSD-2-Clause */
/* Keyed objects in memory, the least recently used dropped first. Knows
 * nothing of what the objects are. Not locked: the owner locks. */
#ifndef CACHE_LRU_H
#define CACHE_LRU_H

#include <stddef.h>

#include "base/sha256.h"

typedef struct ga__lru ga__lru;

/* Holds at most `max` objects; `drop` is called once for each that leaves. */
int ga__lru_new(ga__lru **out, size_t max, void (*drop)(void *));
/* Borrowed until the next put. NULL on a miss. Marks the entry as used. */
void *ga__lru_get(ga__lru *c, const unsigned char key[GA_SHA256_BYTES]);
/* Takes over `value`; on failure it is dropped before returning. */
int ga__lru_put(ga__lru *c, const unsigned char key[GA_SHA256_BYTES],
                void *value);
size_t ga__lru_count(const ga__lru *c);
void ga__lru_free(ga__lru *c); /* drops everything; accepts NULL */

#endif
