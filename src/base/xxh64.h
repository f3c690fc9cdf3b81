/* SPDX-License-Identifier: BSD-2-Clause */
/* XXH64 (the public specification of xxHash, with seed 0), for fast checksums.
 * They detect accidents, not attacks. */
#ifndef BASE_XXH64_H
#define BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

typedef struct ga__xxh64 {
  uint64_t lane[4];
  uint64_t n; /* bytes so far */
  unsigned char block[32];
} ga__xxh64;

void ga__xxh64_init(ga__xxh64 *s);
void ga__xxh64_add(ga__xxh64 *s, const void *bytes, size_t n);
uint64_t ga__xxh64_end(const ga__xxh64 *s);
/* The checksum of `n` bytes. */
uint64_t ga__xxh64_of(const void *bytes, size_t n);

#endif
