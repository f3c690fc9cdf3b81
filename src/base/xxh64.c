/* SPDX-License-Identifier: BSD-2-Clause */
/* XXH64: four lanes of multiply and rotate over blocks of 32 bytes. */
#include "base/xxh64.h"

#include <string.h>

#define P1 0x9E3779B185EBCA87u
#define P2 0xC2B2AE3D27D4EB4Fu
#define P3 0x165667B19E3779F9u
#define P4 0x85EBCA77C2B2AE63u
#define P5 0x27D4EB2F165667C5u

enum { BLOCK = 32 };

static uint64_t rotl(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

/* Read little-endian on every host. */
static uint64_t load32(const unsigned char *p) {
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
         (uint64_t)p[3] << 24;
}

static uint64_t load64(const unsigned char *p) {
  return load32(p) | load32(p + 4) << 32;
}

static uint64_t mix(uint64_t lane, uint64_t x) {
  return rotl(lane + x * P2, 31) * P1;
}

void ga__xxh64_init(ga__xxh64 *s) {
  memset(s, 0, sizeof *s);
  s->lane[0] = P1 + P2;
  s->lane[1] = P2;
  s->lane[2] = 0;
  s->lane[3] = 0 - P1;
}

/* The lanes are local variables, so that they stay in registers. */
static void add_blocks(ga__xxh64 *s, const unsigned char *p, size_t n_blocks) {
  uint64_t a = s->lane[0], b = s->lane[1], c = s->lane[2], d = s->lane[3];

  for (; n_blocks > 0; n_blocks--, p += BLOCK) {
    a = mix(a, load64(p));
    b = mix(b, load64(p + 8));
    c = mix(c, load64(p + 16));
    d = mix(d, load64(p + 24));
  }
  s->lane[0] = a;
  s->lane[1] = b;
  s->lane[2] = c;
  s->lane[3] = d;
}

void ga__xxh64_add(ga__xxh64 *s, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  const size_t held = (size_t)(s->n % BLOCK);
  size_t part = held != 0 ? BLOCK - held : 0;

  if (n == 0)
    return;
  s->n += n;
  if (part > n)
    part = n;
  if (part != 0) {
    memcpy(s->block + held, p, part);
    if (held + part < BLOCK)
      return;
    add_blocks(s, s->block, 1);
  }
  p += part;
  n -= part;
  add_blocks(s, p, n / BLOCK);
  memcpy(s->block, p + n / BLOCK * BLOCK, n % BLOCK);
}

/* Combine the lanes into one number. */
static uint64_t join(const ga__xxh64 *s) {
  uint64_t h = rotl(s->lane[0], 1) + rotl(s->lane[1], 7) +
               rotl(s->lane[2], 12) + rotl(s->lane[3], 18);

  for (int i = 0; i < 4; i++)
    h = (h ^ mix(0, s->lane[i])) * P1 + P4;
  return h;
}

/* Add the last bytes, which do not fill a block. */
static uint64_t add_rest(uint64_t h, const unsigned char *p, size_t n) {
  for (; n >= 8; p += 8, n -= 8)
    h = rotl(h ^ mix(0, load64(p)), 27) * P1 + P4;
  if (n >= 4) {
    h = rotl(h ^ load32(p) * P1, 23) * P2 + P3;
    p += 4;
    n -= 4;
  }
  for (; n > 0; p++, n--)
    h = rotl(h ^ *p * P5, 11) * P1;
  return h;
}

uint64_t ga__xxh64_end(const ga__xxh64 *s) {
  uint64_t h = (s->n < BLOCK ? P5 : join(s)) + s->n;

  h = add_rest(h, s->block, (size_t)(s->n % BLOCK));
  h = (h ^ h >> 33) * P2;
  h = (h ^ h >> 29) * P3;
  return h ^ h >> 32;
}

uint64_t ga__xxh64_of(const void *bytes, size_t n) {
  ga__xxh64 s;

  ga__xxh64_init(&s);
  ga__xxh64_add(&s, bytes, n);
  return ga__xxh64_end(&s);
}
