/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash map from byte strings to pointers. It uses open addressing and copies
 * keys. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct ga__map_slot ga__map_slot;

typedef struct ga__map {
  ga__map_slot *slots;
  size_t n, cap; /* entries, slots (a power of two) */
} ga__map;

#define GA_MAP_INIT                                                            \
  { NULL, 0, 0 }

/* A 64-bit hash of `n` bytes. `seed` may be an earlier hash, to continue it. */
uint64_t ga__hash(uint64_t seed, const void *bytes, size_t n);

void *ga__map_get(const ga__map *m, const void *key, size_t key_bytes);
/* Insert or overwrite; `value` must not be NULL. GA_MEMORY_ERROR on failure. */
int ga__map_put(ga__map *m, const void *key, size_t key_bytes, void *value);
/* Remove and return the value, or NULL. */
void *ga__map_remove(ga__map *m, const void *key, size_t key_bytes);
void ga__map_clear(ga__map *m); /* frees keys; values belong to the caller */

#endif
