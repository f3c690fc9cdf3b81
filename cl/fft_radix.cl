/* SPDX-License-Identifier: BSD-2-Clause */
/* Small transforms in registers, and the passes of a transform over rows of a
 * work array. The text in front of this one defines
 *
 *   V            a number, or a vector of numbers of several transforms
 *   PASS_KIND    how functions of passes are declared
 *   PASS_PARAMS  parameters: the work array w, its rows, and what BUTTERFLIES
 *                needs
 *   BUTTERFLIES(R, m)  a loop over small transforms
 *   BUTTERFLY(R, m)    declares j and, of the first element, `at`
 *   PART(k, m)   from there to the element that lies k * m rows on
 *   GET(p), PUT(v, p)      of a real part
 *   GET_I(p), PUT_I(v, p)  of its imaginary part
 *
 * Transforms are forward: exp(-2 pi i j k / R). */

/* Turn a number by -90 degrees. */
#define TURN(r, i)                                                             \
  {                                                                            \
    const V turned = -(r);                                                     \
    r = i;                                                                     \
    i = turned;                                                                \
  }

/* a, b = a + b, a - b, by indices. */
#define CROSS(a, b)                                                            \
  {                                                                            \
    const V cr = r[b], ci = i[b];                                              \
    r[b] = r[a] - cr;                                                          \
    i[b] = i[a] - ci;                                                          \
    r[a] += cr;                                                                \
    i[a] += ci;                                                                \
  }

#define EXCHANGE(a, b)                                                         \
  {                                                                            \
    const V er = r[a], ei = i[a];                                              \
    r[a] = r[b];                                                               \
    i[a] = i[b];                                                               \
    r[b] = er;                                                                 \
    i[b] = ei;                                                                 \
  }

GA_INLINE void dft2(V *r, V *i, global const W *roots) {
  CROSS(0, 1)
}

GA_INLINE void dft4(V *r, V *i, global const W *roots) {
  CROSS(0, 2)
  CROSS(1, 3)
  TURN(r[3], i[3])
  CROSS(0, 1)
  CROSS(2, 3)
  EXCHANGE(1, 2)
}

GA_INLINE void dft8(V *r, V *i, global const W *roots) {
  const V h = (V)sqrt((W)0.5f);

  CROSS(0, 4)
  CROSS(1, 5)
  CROSS(2, 6)
  CROSS(3, 7)
  TURN(r[6], i[6])
  const V r5 = r[5], r7 = r[7];
  r[5] = (r5 + i[5]) * h;
  i[5] = (i[5] - r5) * h;
  r[7] = (i[7] - r7) * h;
  i[7] = (-i[7] - r7) * h;
  CROSS(0, 2)
  CROSS(1, 3)
  CROSS(4, 6)
  CROSS(5, 7)
  TURN(r[3], i[3])
  TURN(r[7], i[7])
  CROSS(0, 1)
  CROSS(2, 3)
  CROSS(4, 5)
  CROSS(6, 7)
  EXCHANGE(1, 4)
  EXCHANGE(3, 6)
}

#if F_ODD
/* An odd prime R: terms j and R - j differ in the sign of the sine. */
#define DFT_ODD(R)                                                             \
  GA_INLINE void dft##R(V *r, V *i, global const W *roots) {                   \
    V ar[R / 2], ai[R / 2], br[R / 2], bi[R / 2];                              \
    const V r0 = r[0], i0 = i[0];                                              \
    _Pragma("unroll") for (int j = 1; j <= R / 2; ++j) {                       \
      ar[j - 1] = r[j] + r[R - j];                                             \
      ai[j - 1] = i[j] + i[R - j];                                             \
      br[j - 1] = r[j] - r[R - j];                                             \
      bi[j - 1] = i[j] - i[R - j];                                             \
      r[0] += ar[j - 1];                                                       \
      i[0] += ai[j - 1];                                                       \
    }                                                                          \
    _Pragma("unroll") for (int k = 1; k <= R / 2; ++k) {                       \
      V pr = r0, pi = i0, qr = (V)0, qi = (V)0;                                \
      _Pragma("unroll") for (int j = 1; j <= R / 2; ++j) {                     \
        const V c = (V)roots[2 * (j * k % R)];                                 \
        const V s = (V)roots[2 * (j * k % R) + 1];                             \
        pr = fma(c, ar[j - 1], pr);                                            \
        pi = fma(c, ai[j - 1], pi);                                            \
        qr = fma(s, br[j - 1], qr);                                            \
        qi = fma(s, bi[j - 1], qi);                                            \
      }                                                                        \
      r[k] = pr - qi;                                                          \
      i[k] = pi + qr;                                                          \
      r[R - k] = pr + qi;                                                      \
      i[R - k] = pi - qr;                                                      \
    }                                                                          \
  }
DFT_ODD(3)
DFT_ODD(5)
DFT_ODD(7)
DFT_ODD(11)
DFT_ODD(13)
#endif

/* One pass: rows are blocks of R * m rows. Rows j, j + m, ... of a block are
 * transformed, and result k is multiplied by root j * k of the block, so blocks
 * of m rows are left, which are independent. `t` has the roots of R, then, for
 * each j, those of results 1 to R - 1. */
#define PASS(R)                                                                \
  PASS_KIND void pass##R(PASS_PARAMS, const uint m, global const W *t) {       \
    BUTTERFLIES(R, m) {                                                        \
      BUTTERFLY(R, m)                                                          \
      V r[R], i[R];                                                            \
      _Pragma("unroll") for (int k = 0; k < R; ++k) {                          \
        r[k] = GET(at + PART(k, m));                                           \
        i[k] = GET_I(at + PART(k, m));                                         \
      }                                                                        \
      dft##R(r, i, t);                                                         \
      global const W *f = t + 2 * R + 2 * (R - 1) * j;                         \
      if (m > 1) {                                                             \
        _Pragma("unroll") for (int k = 1; k < R; ++k, f += 2) {                \
          const V fr = (V)f[0], fi = (V)f[1], rk = r[k];                       \
          r[k] = fma(rk, fr, -(i[k] * fi));                                    \
          i[k] = fma(rk, fi, i[k] * fr);                                       \
        }                                                                      \
      }                                                                        \
      _Pragma("unroll") for (int k = 0; k < R; ++k) {                          \
        PUT(r[k], at + PART(k, m));                                            \
        PUT_I(i[k], at + PART(k, m));                                          \
      }                                                                        \
    }                                                                          \
  }
PASS(2)
PASS(4)
PASS(8)
#if F_ODD
PASS(3)
PASS(5)
PASS(7)
PASS(11)
PASS(13)
#endif

/* All passes. `plan` has their number, then for each its radix, its m, and
 * where its roots begin. */
#define PASSES(plan, roots, ...)                                               \
  for (uint pass = 0; pass < (plan)[0]; ++pass) {                              \
    global const uint *now = (plan) + 1 + 3 * pass;                            \
    const uint radix = now[0], m = now[1];                                     \
    global const W *t = (roots) + now[2];                                      \
    if (radix == 8)                                                            \
      pass8(__VA_ARGS__, m, t);                                                \
    else if (radix == 4)                                                       \
      pass4(__VA_ARGS__, m, t);                                                \
    else if (radix == 2)                                                       \
      pass2(__VA_ARGS__, m, t);                                                \
    ODD_PASSES(__VA_ARGS__)                                                    \
    PASS_END                                                                   \
  }
#if F_ODD
#define ODD_PASSES(...)                                                        \
  else if (radix == 3) pass3(__VA_ARGS__, m, t);                               \
  else if (radix == 5) pass5(__VA_ARGS__, m, t);                               \
  else if (radix == 7) pass7(__VA_ARGS__, m, t);                               \
  else if (radix == 11) pass11(__VA_ARGS__, m, t);                             \
  else pass13(__VA_ARGS__, m, t);
#else
#define ODD_PASSES(...)
#endif
