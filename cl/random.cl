/* SPDX-License-Identifier: BSD-2-Clause */
/* Random words by Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
 * numbers: as easy as 1, 2, 3. SC 2011). A draw is a row of 2^66 words: word w
 * is word w % 4 of block w / 4. Blocks are functions of the key, the number of
 * the draw and their own number, so that work-items need not know of each
 * other.
 *
 * ga_words<n>(g, w) are the n words from w on, a multiple of n or of 4. Macro in
 * front:
 *
 *   #define LONG_LANES 1   several blocks at a time, in lanes of 64 bits, for
 *                          CPUs; else block by block */
typedef ulong2 ga_philox; /* the key, the number of the draw */
#define KEY_OF(g) ((g).x)
#define DRAW_OF(g) ((g).y)

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
#define PHILOX_ROUNDS 10

static inline ga_philox ga_philox_open(global const ulong *state,
                                       const ulong offset) {
  state = (global const ulong *)((global const char *)state + offset);
  return (ga_philox)(state[0], state[1]);
}

static inline uint4 ga_words4(const ga_philox g, const ulong w) {
  uint4 x = (uint4)((uint)(w >> 2), (uint)(w >> 34), (uint)DRAW_OF(g),
                    (uint)(DRAW_OF(g) >> 32));
  uint k0 = (uint)KEY_OF(g), k1 = (uint)(KEY_OF(g) >> 32);

#pragma unroll
  for (int r = 0; r < PHILOX_ROUNDS; ++r) {
    const uint lo0 = x.s0 * PHILOX_M0, hi0 = mul_hi(x.s0, PHILOX_M0);
    const uint lo1 = x.s2 * PHILOX_M1, hi1 = mul_hi(x.s2, PHILOX_M1);

    x = (uint4)(hi1 ^ x.s1 ^ k0, lo1, hi0 ^ x.s3 ^ k1, lo0);
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
  return x;
}

static inline uint2 ga_words2(const ga_philox g, const ulong w) {
  const uint4 x = ga_words4(g, w & ~3ul);

  return w & 2 ? x.hi : x.lo;
}

static inline uint ga_words(const ga_philox g, const ulong w) {
  const uint2 x = ga_words2(g, w & ~1ul);

  return w & 1 ? x.hi : x.lo;
}

#if LONG_LANES
/* A product of 32-bit numbers is one instruction in lanes of 64 bits. Pairs of
 * lanes hold words 0 and 2 of a block, or words 1 and 3; what is above bit 31
 * does not count. The halves of the products go to the other lane of their
 * pair. */
#define LOW 0xFFFFFFFFul

#define PHILOX_STEP(n, x, y, high, low)                                        \
  {                                                                            \
    const GA_JOIN(uint, n) p =                                                 \
        GA_JOIN(as_uint, n)(((x) & LOW) * factor);                             \
    y = GA_JOIN(AS_LONGS, n)(p.high) ^ (y) ^ k;                                    \
    x = GA_JOIN(AS_LONGS, n)(p.low);                                               \
    k += step;                                                                 \
  }
#define AS_LONGS8 as_ulong4
#define AS_LONGS16 as_ulong8

static inline uint8 ga_words8(const ga_philox g, const ulong w) {
  const ulong4 factor = ((ulong2)(PHILOX_M0, PHILOX_M1)).s0101;
  const ulong4 step = ((ulong2)(PHILOX_W0, PHILOX_W1)).s0101;
  const ulong2 block = (ulong2)(w >> 2) + (ulong2)(0, 1);
  ulong4 x = (ulong4)(block.s0, DRAW_OF(g), block.s1, DRAW_OF(g));
  ulong4 y = x >> 32;
  ulong4 k = ((ulong2)(KEY_OF(g), KEY_OF(g) >> 32)).s0101;

#pragma unroll
  for (int r = 0; r < PHILOX_ROUNDS; r += 2) {
    PHILOX_STEP(8, x, y, s32107654, s23016745)
    PHILOX_STEP(8, y, x, s32107654, s23016745)
  }
  return as_uint8((x & LOW) | y << 32);
}

static inline uint16 ga_words16(const ga_philox g, const ulong w) {
  const ulong8 factor = ((ulong2)(PHILOX_M0, PHILOX_M1)).s01010101;
  const ulong8 step = ((ulong2)(PHILOX_W0, PHILOX_W1)).s01010101;
  const ulong4 block = (ulong4)(w >> 2) + (ulong4)(0, 1, 2, 3);
  ulong8 x = (ulong8)(block.s0, DRAW_OF(g), block.s1, DRAW_OF(g), block.s2,
                      DRAW_OF(g), block.s3, DRAW_OF(g));
  ulong8 y = x >> 32;
  ulong8 k = ((ulong2)(KEY_OF(g), KEY_OF(g) >> 32)).s01010101;

#pragma unroll
  for (int r = 0; r < PHILOX_ROUNDS; r += 2) {
    PHILOX_STEP(16, x, y, s32107654ba98fedc, s23016745ab89efcd)
    PHILOX_STEP(16, y, x, s32107654ba98fedc, s23016745ab89efcd)
  }
  return as_uint16((x & LOW) | y << 32);
}
#else
static inline uint8 ga_words8(const ga_philox g, const ulong w) {
  return (uint8)(ga_words4(g, w), ga_words4(g, w + 4));
}

static inline uint16 ga_words16(const ga_philox g, const ulong w) {
  return (uint16)(ga_words8(g, w), ga_words8(g, w + 8));
}
#endif

/* Pairs of words as numbers of 64 bits; n counts these. */
static inline ulong ga_longs(const ga_philox g, const ulong n) {
  return as_ulong(ga_words2(g, 2 * n));
}

static inline ulong2 ga_longs2(const ga_philox g, const ulong n) {
  return as_ulong2(ga_words4(g, 2 * n));
}

static inline ulong4 ga_longs4(const ga_philox g, const ulong n) {
  return as_ulong4(ga_words8(g, 2 * n));
}

static inline ulong8 ga_longs8(const ga_philox g, const ulong n) {
  return as_ulong8(ga_words16(g, 2 * n));
}

static inline ulong16 ga_longs16(const ga_philox g, const ulong n) {
  return (ulong16)(ga_longs8(g, n), ga_longs8(g, n + 8));
}

#undef LOW
#undef PHILOX_STEP
#undef AS_LONGS8
#undef AS_LONGS16
#undef PHILOX_M0
#undef PHILOX_M1
#undef PHILOX_W0
#undef PHILOX_W1
#undef PHILOX_ROUNDS
