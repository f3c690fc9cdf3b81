/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache of objects in memory, by key. The least recently used ones are
 * dropped first. It has no lock: the owner locks. */
#ifndef CACHE_LRU_H
#define CACHE_LRU_H

#include <stddef.h>

typedef struct ga__lru ga__lru;

/* Create a cache of at most `max` objects, which cost at most `max_cost`
 * together. It owns its objects, and calls `drop` once for each that it
 * removes. */
int ga__lru_new(ga__lru **out, size_t max, size_t max_cost,
                void (*drop)(void *));
/* Borrowed until the next put. NULL on a miss. Marks the entry as used. */
void *ga__lru_get(ga__lru *c, const void *key, size_t key_bytes);
/* Add an object, in place of one with the same key. Takes over `value`, and
 * drops it on failure. */
int ga__lru_put(ga__lru *c, const void *key, size_t key_bytes, void *value,
                size_t cost);
size_t ga__lru_count(const ga__lru *c);
void ga__lru_free(ga__lru *c); /* drops everything; accepts NULL */

#endif
