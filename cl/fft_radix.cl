/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms of a few numbers, in registers: exp(-2 pi i j k / R). The text in
 * front of this one defines
 *
 *   V         a number, or a vector of numbers of several transforms
 *   F_DOUBLE  W is double
 *   F_ODD     transforms of odd lengths are needed, too
 *
 * `roots` has the roots of R, for odd R. */

/* A constant of type W. */
#if F_DOUBLE
#define NUMBER(x) x
#else
#define NUMBER(x) x##f
#endif

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
  const V h = (V)NUMBER(0.70710678118654752440);

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

/* r[a] = r[a] * (c - s i). */
#define ROTATE(a, c, s)                                                        \
  {                                                                            \
    const V old = r[a];                                                         \
    r[a] = fma(old, (V)(c), i[a] * (V)(s));                                     \
    i[a] = fma(i[a], (V)(c), -(old * (V)(s)));                                  \
  }

/* Even results are the transform of sums, odd ones that of rotated
 * differences. */
GA_INLINE void dft16(V *r, V *i, global const W *roots) {
  const V h = NUMBER(0.70710678118654752440);
  const V c = NUMBER(0.92387953251128675613), s = NUMBER(0.38268343236508977173);
  V er[8], ei[8], od[8], oi[8];

  _Pragma("unroll") for (int k = 0; k < 8; ++k) CROSS(k, k + 8)
  ROTATE(9, c, s)
  ROTATE(10, h, h)
  ROTATE(11, s, c)
  TURN(r[12], i[12])
  ROTATE(13, -s, c)
  ROTATE(14, -h, h)
  ROTATE(15, -c, s)
  _Pragma("unroll") for (int k = 0; k < 8; ++k) {
    er[k] = r[k];
    ei[k] = i[k];
    od[k] = r[k + 8];
    oi[k] = i[k + 8];
  }
  dft8(er, ei, roots);
  dft8(od, oi, roots);
  _Pragma("unroll") for (int k = 0; k < 8; ++k) {
    r[2 * k] = er[k];
    i[2 * k] = ei[k];
    r[2 * k + 1] = od[k];
    i[2 * k + 1] = oi[k];
  }
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
