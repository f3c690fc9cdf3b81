/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers as pairs of lanes, real part first, for the products of
 * complex matrices. Arrays are of W; a number takes two of them. Macros put in
 * front, here for complex64 on 16 lanes:
 *
 *   #define W float
 *   #define W2 float2                one number
 *   #define VL 16                    lanes of a vector, which is VL / 2 numbers
 *   #define WV float16
 *   #define LDV(p) vload16(0, p)     the vector at p; STV(v, p)
 *   #define SWAP(v) (v).s1032...     real and imaginary parts exchanged
 *   #define PAIRS(x, y) ((WV)(x, y, x, y, ...))
 *
 * A product of a and b is summed as four real sums: of re a * re b (rr), and so
 * on. Conjugates are signs of the imaginary parts, +1 or -1, that are applied
 * to the sums. */
#define LD2(p) vload2(0, p)
#define ST2(v, p) vstore2(v, 0, p)

static inline W2 pair_of(W rr, W ii, W ri, W ir, W sa, W sb) {
  return (W2)(rr - sa * sb * ii, sb * ri + sa * ir);
}

/* v * s. With a real s an infinite part of v stays with its own part. */
static inline W2 pair_times(W2 v, W2 s) {
  const W2 by_real = v * s.x;

  return s.y == 0 ? by_real : fma(v.yx, (W2)(-s.y, s.y), by_real);
}

static inline WV pairs_times(WV v, W2 s) {
  const WV by_real = v * s.x;

  return s.y == 0 ? by_real : fma(SWAP(v), PAIRS(-s.y, s.y), by_real);
}

/* Of vectors v and one number s in each product: p sums v * re s, q v * im s;
 * sv and ss conjugate. */
static inline WV pairs_total(WV p, WV q, W sv, W ss) {
  return fma(SWAP(q), PAIRS(-ss * sv, ss), p * PAIRS((W)1, sv));
}
