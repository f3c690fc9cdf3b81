/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 as FIPS 180-4 describes it. */
#include "base/sha256.h"

#include <string.h>

/* Fractions of the cube roots of the first 64 primes. */
static const uint32_t round_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n) {
  return x >> n | x << (32 - n);
}

/* Expand 64 bytes, read as big-endian words, to the 64 words of the rounds. */
static void schedule(uint32_t w[64], const unsigned char *p) {
  for (int i = 0; i < 16; i++, p += 4)
    w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           (uint32_t)p[3];
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
}

static void compress(uint32_t h[8], const unsigned char *block) {
  uint32_t w[64], v[8];

  schedule(w, block);
  memcpy(v, h, sizeof v);
  for (int i = 0; i < 64; i++) {
    const uint32_t t1 = v[7] +
                        (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
                        ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_k[i] + w[i];
    const uint32_t t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
                        ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    /* Copied one by one: a call of memmove would take as long as the round. */
    v[7] = v[6];
    v[6] = v[5];
    v[5] = v[4];
    v[4] = v[3] + t1;
    v[3] = v[2];
    v[2] = v[1];
    v[1] = v[0];
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++)
    h[i] += v[i];
}

void ga__sha256_init(ga__sha256 *s) {
  /* Fractions of the square roots of the first 8 primes. */
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                    0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19};

  memcpy(s->h, first, sizeof s->h);
  s->n = 0;
}

void ga__sha256_add(ga__sha256 *s, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  size_t have = (size_t)(s->n % sizeof s->block);
  size_t room;

  s->n += n;
  while (n > 0) {
    if (have == 0 && n >= sizeof s->block) {
      compress(s->h, p);
      room = sizeof s->block;
    } else {
      room = sizeof s->block - have;
      if (room > n)
        room = n;
      memcpy(s->block + have, p, room);
      have += room;
      if (have == sizeof s->block) {
        compress(s->h, s->block);
        have = 0;
      }
    }
    p += room;
    n -= room;
  }
}

void ga__sha256_add_str(ga__sha256 *s, const char *text) {
  if (text == NULL)
    text = "\xff";
  ga__sha256_add(s, text, strlen(text) + 1);
}

void ga__sha256_end(ga__sha256 *s, unsigned char out[GA_SHA256_BYTES]) {
  static const unsigned char pad[64] = {0x80};
  const uint64_t bits = s->n * 8;
  unsigned char tail[8];

  for (int i = 0; i < 8; i++)
    tail[i] = (unsigned char)(bits >> (56 - 8 * i));
  ga__sha256_add(s, pad, (size_t)((119 - s->n % 64) % 64 + 1));
  ga__sha256_add(s, tail, sizeof tail);
  for (int i = 0; i < GA_SHA256_BYTES; i++)
    out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void ga__sha256_hex(const unsigned char d[GA_SHA256_BYTES], char out[65]) {
  static const char digit[] = "0123456789abcdef";

  for (size_t i = 0; i < GA_SHA256_BYTES; i++) {
    out[2 * i] = digit[d[i] >> 4];
    out[2 * i + 1] = digit[d[i] & 15];
  }
  out[64] = '\0';
}
