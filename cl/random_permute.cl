/* SPDX-License-Identifier: BSD-2-Clause */
/* The first elements of a random order of the numbers below n, each on its own:
 * a Feistel cipher is a permutation of 2 * half_bits bits, and where it leads
 * out of the range it is applied again (Black and Rogaway: Ciphers with
 * arbitrary finite domains, CT-RSA 2002). There are at least twice as many
 * numbers of so many bits as n, since a cipher by itself is an even permutation.
 *
 *   keys   ROUNDS random words */
#define ROUNDS 24

/* Mixes 32 bits (constants: Appleby, MurmurHash3). */
static inline uint mix_bits(uint v) {
  v = (v ^ v >> 16) * 0x85EBCA6Bu;
  v = (v ^ v >> 13) * 0xC2B2AE35u;
  return v ^ v >> 16;
}

kernel void permute(global char *z_buf, const ulong z_off,
                    global const char *key_buf, const ulong key_off,
                    const ulong count, const ulong n, const uint half_bits) {
  const ulong i = (ulong)get_global_id(0);
  global long *z = (global long *)(z_buf + z_off);
  global const uint *keys = (global const uint *)(key_buf + key_off);
  const uint mask = (1u << half_bits) - 1;
  ulong x = i;

  if (i >= count)
    return;
  do {
    uint left = (uint)(x >> half_bits), right = (uint)x & mask;

    for (int r = 0; r < ROUNDS; ++r) {
      const uint next = left ^ (mix_bits(right ^ keys[r]) & mask);

      left = right;
      right = next;
    }
    x = (ulong)left << half_bits | right;
  } while (x >= n);
  z[i] = (long)x;
}
