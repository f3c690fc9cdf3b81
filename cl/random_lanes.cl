/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers out of random words (random.cl), W_LANES neighbours at a time:
 * ga_<what>_<type><lanes>(g, i) are those from element i on, where i is a
 * multiple of the lanes, or of 4 (of 2 for types of 64 bits). Macros in front:
 *
 *   #define W_LANES 16   lanes: 2, 4, 8, 16; nothing for one
 *   #define PAIRS 8      half as many; nothing for one
 *   #define ONE_LANE 0   1: W_LANES is empty
 *
 * Uniform numbers are odd multiples of half a step, so that neither 0 nor 1 is
 * among them and their mean is 1/2: steps are 2^-23 for float, 2^-52 for
 * double, 2^-10 for half, 2^-7 for bfloat. They come from the top bits of a word, or of a pair of
 * words for double. Narrow floats are worked with as float. */
#define LANES_OF(name) GA_JOIN(name, W_LANES)
#define PAIRS_OF(name) GA_JOIN(name, PAIRS)

static inline w_uint LANES_OF(ga_bits_uint)(const ga_philox g, const ulong i) {
  return LANES_OF(ga_words)(g, i);
}

static inline w_ulong LANES_OF(ga_bits_ulong)(const ga_philox g,
                                              const ulong i) {
  return LANES_OF(ga_longs)(g, i);
}

/* 1.b - (1 - 2^-24) for 23 bits b, exactly. */
static inline w_float LANES_OF(ga_uniform_float)(const ga_philox g,
                                                 const ulong i) {
  const w_uint w = LANES_OF(ga_words)(g, i);

  return LANES_OF(as_float)(w >> 9 | 0x3F800000u) - 0x1.fffffep-1f;
}

static inline w_float LANES_OF(ga_uniform_half)(const ga_philox g,
                                                const ulong i) {
  const w_uint w = LANES_OF(ga_words)(g, i);

  return LANES_OF(as_float)(w >> 22 << 13 | 0x3F800000u) - 0x1.ffcp-1f;
}

static inline w_float LANES_OF(ga_uniform_bfloat)(const ga_philox g,
                                                  const ulong i) {
  const w_uint w = LANES_OF(ga_words)(g, i);

  return LANES_OF(as_float)(w >> 25 << 16 | 0x3F800000u) - 0x1.fep-1f;
}

/* Two independent normal numbers from two words (Box and Muller 1958): r cos a
 * and r sin a, with r^2 = -2 log(u). The angle is its quadrant, the two bits at
 * the top of v after rounding, and a rest of at most an eighth of a turn, of
 * which polynomials give sine and cosine (coefficients: Moshier, Cephes). */
static inline void LANES_OF(ga_normal_pair)(const PAIRS_OF(uint) u,
                                            const PAIRS_OF(uint) v,
                                            PAIRS_OF(float) *a,
                                            PAIRS_OF(float) *b) {
  typedef PAIRS_OF(float) real;
  const real open = fma(PAIRS_OF(convert_float)(u), (real)(0x1p-32f),
                        (real)(0x1p-33f));
  const real r = sqrt((real)(-2.0f) * log(open));
  const PAIRS_OF(uint) turned = v + 0x20000000u, quadrant = turned >> 30;
  const PAIRS_OF(int) rest =
      PAIRS_OF(as_int)(turned & 0x3FFFFFFFu) - 0x20000000;
  const real x = PAIRS_OF(convert_float)(rest) * (real)(0x1.921fb6p-30f);
  const real z = x * x;
  const real sine = fma(
      fma(fma(z, (real)(-1.9515295891e-4f), (real)(8.3321608736e-3f)), z,
          (real)(-1.6666654611e-1f)),
      z * x, x);
  const real cosine = fma(
      fma(fma(z, (real)(2.443315711809948e-5f), (real)(-1.388731625493765e-3f)),
          z, (real)(4.166664568298827e-2f)),
      z * z, fma(z, (real)(-0.5f), (real)(1.0f)));
  /* Odd quadrants swap the two; bit 31 is the sign. */
  const real odd = PAIRS_OF(as_float)(0u - (quadrant & 1u));
  const PAIRS_OF(uint) minus_a = (quadrant ^ quadrant >> 1) << 31;
  const PAIRS_OF(uint) minus_b = quadrant >> 1 << 31;

  *a = r * PAIRS_OF(as_float)(
               PAIRS_OF(as_uint)(bitselect(cosine, sine, odd)) ^ minus_a);
  *b = r * PAIRS_OF(as_float)(
               PAIRS_OF(as_uint)(bitselect(sine, cosine, odd)) ^ minus_b);
}

static inline w_float LANES_OF(ga_normal_float)(const ga_philox g,
                                                const ulong i) {
  PAIRS_OF(float) a, b;
#if ONE_LANE
  const uint2 w = ga_words2(g, i & ~1ul);

  ga_normal_pair(w.lo, w.hi, &a, &b);
  return i & 1 ? b : a;
#else
  const w_uint w = LANES_OF(ga_words)(g, i);
  w_float z;

  LANES_OF(ga_normal_pair)(w.even, w.odd, &a, &b);
  z.even = a;
  z.odd = b;
  return z;
#endif
}

static inline w_float LANES_OF(ga_normal_half)(const ga_philox g,
                                               const ulong i) {
  return LANES_OF(ga_normal_float)(g, i);
}

static inline w_float LANES_OF(ga_normal_bfloat)(const ga_philox g,
                                                 const ulong i) {
  return LANES_OF(ga_normal_float)(g, i);
}

#ifdef cl_khr_fp64
static inline w_double LANES_OF(ga_open_double)(const w_ulong w) {
  return LANES_OF(as_double)(w >> 12 | 0x3FF0000000000000ul) -
         0x1.fffffffffffffp-1;
}

static inline w_double LANES_OF(ga_uniform_double)(const ga_philox g,
                                                   const ulong i) {
  return LANES_OF(ga_open_double)(LANES_OF(ga_longs)(g, i));
}

static inline w_double LANES_OF(ga_normal_double)(const ga_philox g,
                                                  const ulong i) {
  PAIRS_OF(double) r, t;
#if ONE_LANE
  const ulong2 w = ga_longs2(g, i & ~1ul);

  r = sqrt(-2 * log(ga_open_double(w.lo)));
  t = 2 * ga_open_double(w.hi);
  return r * (i & 1 ? sinpi(t) : cospi(t));
#else
  const w_double u = LANES_OF(ga_uniform_double)(g, i);
  w_double z;

  r = sqrt(-2 * log(u.even));
  t = 2 * u.odd;
  z.even = r * cospi(t);
  z.odd = r * sinpi(t);
  return z;
#endif
}
#endif

#undef LANES_OF
#undef PAIRS_OF
