/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of matrices, real or complex, for kernels that serve both. N is a
 * number, W a real one, as worked; arrays are of T, with PARTS of them for each
 * number. Complex dtypes have cl/complex_pairs.cl in front. */
#ifdef W2
#define PARTS 2
#define N W2
#define LDN(p) LD2(p)
#define STN(v, p) ST2(v, p)
#define REAL(v) ((W2)(v, 0))   /* a real number */
#define RE(v) ((v).x)          /* the real part */
#define IM(v) ((v).y)
#define CONJ(v) ((W2)((v).x, -(v).y))
#define SIZE(v) hypot((v).x, (v).y)
#define MEASURE(v) SIZE(v) /* what v is phase_of(v) times */
#else
#define PARTS 1
#define N W
#define LDN(p) LD(p)
#define STN(v, p) ST(v, p)
#define REAL(v) (v)
#define RE(v) (v)
#define IM(v) 0
#define CONJ(v) (v)
#define SIZE(v) fabs(v)
#define MEASURE(v) (v)
#endif

/* The numbers of matrix z; and those that begin k numbers after p. */
#define NUMBERS_AT(x, z)                                                       \
  ((global T *)(x##_buf + x##_off) + PARTS * ((long)(z)*x##_bs))
#define AFTER(p, k) ((p) + PARTS * (k))

/* The larger part without its sign, NaN if one is NaN. */
GA_INLINE W largest_part(const N v) {
#ifdef W2
  const W a = fabs(v.x), b = fabs(v.y);

  return b > a || b != b ? b : a;
#else
  return fabs(v);
#endif
}

/* c + a b */
GA_INLINE N plus_product(const N c, const N a, const N b) {
#ifdef W2
  return fma((W2)(a.x), b, fma((W2)(-a.y, a.y), b.yx, c));
#else
  return fma(a, b, c);
#endif
}

/* The real part of c + a conj(b). */
GA_INLINE W plus_dot(const W c, const N a, const N b) {
#ifdef W2
  return fma(a.y, b.y, fma(a.x, b.x, c));
#else
  return fma(a, b, c);
#endif
}

/* v / MEASURE(v), where that is not 0. The factor keeps it a unit where v is
 * subnormal. */
GA_INLINE N phase_of(const N v) {
#ifdef W2
  const W2 up = v * (W)0x1p64f;

  return up / hypot(up.x, up.y);
#else
  return 1;
#endif
}

/* v / d, where d is neither very large nor very small. */
GA_INLINE N divided(const N v, const N d) {
#ifdef W2
  return plus_product((W2)(0), v, CONJ(d)) / plus_dot(0, d, d);
#else
  return v / d;
#endif
}

/* x / d, where d is not 0. A complex d is first divided by its larger part, so
 * that no square overflows. */
GA_INLINE N divided_by(const N x, const N d) {
#ifdef W2
  const int by_real = fabs(d.x) >= fabs(d.y);
  const W p = by_real ? 1 : d.x / d.y, q = by_real ? d.y / d.x : 1;

  return (W2)(fma(x.x, p, x.y * q), fma(x.y, p, -x.x * q)) /
         fma(d.x, p, d.y * q);
#else
  return x / d;
#endif
}

/* The same, where `over` is 1 / d and `is_plain` says that it is normal. */
GA_INLINE N quotient(const N x, const N d, const N over, const int is_plain) {
#ifdef W2
  return is_plain ? plus_product((W2)(0), x, over) : divided_by(x, d);
#else
  return is_plain ? x * over : x / d;
#endif
}

/* v times a power of 2. */
GA_INLINE N scaled(const N v, const int e) {
#ifdef W2
  return (W2)(ldexp(v.x, e), ldexp(v.y, e));
#else
  return ldexp(v, e);
#endif
}
