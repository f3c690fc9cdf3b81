/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers as vectors of two reals, for cl/factor_eig.cl. UNITS: see
 * factor_group.cl. */
#define C GA_JOIN(T, 2)
#define COMPLEX_AT(x, z)                                                       \
  ((global C *)(x##_buf + x##_off) + (long)(z)*x##_bs)

#if UNITS == 2
#define EPS DBL_EPSILON
#define LEAST (DBL_MIN / DBL_EPSILON)
#define MOST DBL_MAX
#define LARGE 0x1p400
#else
#define EPS FLT_EPSILON
#define LEAST (FLT_MIN / FLT_EPSILON)
#define MOST FLT_MAX
#define LARGE 0x1p50f
#endif

GA_INLINE C times(const C a, const C b) {
  return (C)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* The conjugate of a, times b. */
GA_INLINE C conj_times(const C a, const C b) {
  return (C)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

GA_INLINE W square_of(const C a) {
  return a.x * a.x + a.y * a.y;
}

GA_INLINE W size_of(const C a) {
  return hypot(a.x, a.y);
}

GA_INLINE W sum_of_parts(const C a) {
  return fabs(a.x) + fabs(a.y);
}

GA_INLINE W largest_part(const C a) {
  return fmax(fabs(a.x), fabs(a.y));
}

/* Scaled, so that the square of b cannot overflow. */
GA_INLINE C quotient(const C a, const C b) {
  if (fabs(b.x) >= fabs(b.y)) {
    const W q = b.y / b.x, d = b.x + b.y * q;
    return (C)((a.x + a.y * q) / d, (a.y - a.x * q) / d);
  }
  const W q = b.x / b.y, d = b.x * q + b.y;
  return (C)((a.x * q + a.y) / d, (a.y * q - a.x) / d);
}

/* The square root with a real part that is not negative. */
GA_INLINE C root(const C a) {
  const W t = sqrt(fabs(a.x) / 2 + size_of(a) / 2);

  if (t == 0)
    return (C)(0, 0);
  if (a.x >= 0)
    return (C)(t, a.y / t / 2);
  return (C)(fabs(a.y) / t / 2, copysign(t, a.y));
}
