/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4), for cache keys and checksums. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define GA_SHA256_BYTES 32

typedef struct ga__sha256 {
  uint32_t h[8];
  uint64_t n; /* bytes so far */
  unsigned char block[64];
} ga__sha256;

void ga__sha256_init(ga__sha256 *s);
void ga__sha256_add(ga__sha256 *s, const void *bytes, size_t n);
/* Add a string with its NUL, so that "a", "bc" and "ab", "c" differ. NULL
 * differs from every string of UTF-8. */
void ga__sha256_add_str(ga__sha256 *s, const char *text);
void ga__sha256_end(ga__sha256 *s, unsigned char out[GA_SHA256_BYTES]);
void ga__sha256_hex(const unsigned char d[GA_SHA256_BYTES], char out[65]);

#endif
