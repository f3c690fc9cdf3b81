/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers: structs of two reals, with their arithmetic as functions
 * ga_cfloat_add(a, b) and so on. The text stands once in a program for each
 * type that occurs. Macros in front of it:
 *
 *   #define C_REAL float
 *   #define C_TYPE ga_cfloat */
#define C_FN(name) GA_JOIN(C_TYPE, name)

#ifndef CLUDA_H /* it has the types */
typedef struct C_FN(_struct) {
  C_REAL r, i;
} C_TYPE;
#endif

static inline C_TYPE C_FN(_make)(C_REAL r, C_REAL i) {
  C_TYPE z = {r, i};
  return z;
}

static inline C_TYPE C_FN(_add)(C_TYPE a, C_TYPE b) {
  return C_FN(_make)(a.r + b.r, a.i + b.i);
}

static inline C_TYPE C_FN(_sub)(C_TYPE a, C_TYPE b) {
  return C_FN(_make)(a.r - b.r, a.i - b.i);
}

static inline C_TYPE C_FN(_mul)(C_TYPE a, C_TYPE b) {
  return C_FN(_make)(a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r);
}

/* Scaled by the larger part of b, so that its square cannot overflow. A divisor
 * of 0 divides both parts, as in NumPy. */
static inline C_TYPE C_FN(_div)(C_TYPE a, C_TYPE b) {
  if (b.r == 0 && b.i == 0) {
    return C_FN(_make)(a.r / fabs(b.r), a.i / fabs(b.r));
  } else if (fabs(b.r) >= fabs(b.i)) {
    const C_REAL q = b.i / b.r, d = b.r + b.i * q;
    return C_FN(_make)((a.r + a.i * q) / d, (a.i - a.r * q) / d);
  } else {
    const C_REAL q = b.r / b.i, d = b.r * q + b.i;
    return C_FN(_make)((a.r * q + a.i) / d, (a.i * q - a.r) / d);
  }
}

static inline C_TYPE C_FN(_neg)(C_TYPE a) {
  return C_FN(_make)(-a.r, -a.i);
}

static inline C_TYPE C_FN(_conj)(C_TYPE a) {
  return C_FN(_make)(a.r, -a.i);
}

static inline C_REAL C_FN(_abs)(C_TYPE a) {
  return hypot(a.r, a.i);
}

static inline C_REAL C_FN(_arg)(C_TYPE a) {
  return atan2(a.i, a.r);
}

/* --- functions, at zeros, infinities and NaN as C11's Annex G has them --- */

/* exp(x) (c + i s), with an exp(x) that may overflow where this does not. */
static inline C_TYPE C_FN(_scale)(C_REAL x, C_REAL c, C_REAL s) {
  const C_REAL e = exp(x), half_e = exp(x / 2);
  if (isinf(e))
    return C_FN(_make)(half_e * c * half_e, half_e * s * half_e);
  return C_FN(_make)(e * c, e * s);
}

static inline C_TYPE C_FN(_exp)(C_TYPE a) {
  if (a.i == 0)
    return C_FN(_make)(exp(a.r), a.i);
  if (isinf(a.r) && !isfinite(a.i))
    return a.r < 0 ? C_FN(_make)(0, copysign((C_REAL)0, a.i))
                   : C_FN(_make)(a.r, NAN);
  return C_FN(_scale)(a.r, cos(a.i), sin(a.i));
}

/* The logarithm of the size is exact near 1, where the sum of the squares less
 * 1 has few digits otherwise. Sizes that overflow are halved. */
static inline C_TYPE C_FN(_log)(C_TYPE a) {
  const C_REAL x = fmax(fabs(a.r), fabs(a.i)), y = fmin(fabs(a.r), fabs(a.i));
  const C_REAL size = hypot(a.r, a.i);
  C_REAL r = log(size);

  if (x > (C_REAL)0.5f && size < 2)
    r = log1p((x - 1) * (x + 1) + y * y) / 2;
  else if (isinf(size) && !isinf(x))
    r = log(hypot(x / 2, y / 2)) + log((C_REAL)2);
  return C_FN(_make)(r, atan2(a.i, a.r));
}

/* The root of a finite number other than 0. */
static inline C_TYPE C_FN(_root)(C_TYPE a) {
  const C_REAL t = sqrt(fabs(a.r) / 2 + hypot(a.r, a.i) / 2);

  if (a.r >= 0)
    return C_FN(_make)(t, a.i / t / 2);
  return C_FN(_make)(fabs(a.i) / t / 2, copysign(t, a.i));
}

/* Large and small numbers are scaled by a power of 4. */
static inline C_TYPE C_FN(_sqrt)(C_TYPE a) {
  const C_REAL size = fmax(fabs(a.r), fabs(a.i));
  const int bits = sizeof(C_REAL) == 4 ? 124 : 1020;
  int power = 0;

  if (a.r == 0 && a.i == 0)
    return C_FN(_make)(0, a.i);
  if (isinf(a.i))
    return C_FN(_make)(INFINITY, a.i);
  if (isinf(a.r) && a.r > 0)
    return C_FN(_make)(a.r, isnan(a.i) ? a.i : copysign((C_REAL)0, a.i));
  if (isinf(a.r))
    return C_FN(_make)(isnan(a.i) ? a.i : 0, copysign((C_REAL)INFINITY, a.i));
  if (size > ldexp((C_REAL)1, bits))
    power = 2;
  else if (size < ldexp((C_REAL)1, -bits))
    power = -bits / 2;
  const C_TYPE b =
      C_FN(_root)(C_FN(_make)(ldexp(a.r, -power), ldexp(a.i, -power)));
  return C_FN(_make)(ldexp(b.r, power / 2), ldexp(b.i, power / 2));
}

/* Powers of 0 are 0, 1 or NaN, as in NumPy. */
static inline C_TYPE C_FN(_pow)(C_TYPE a, C_TYPE b) {
  if (b.r == 0 && b.i == 0)
    return C_FN(_make)(1, 0);
  if (a.r == 0 && a.i == 0)
    return b.r > 0 && b.i == 0 ? C_FN(_make)(0, 0) : C_FN(_make)(NAN, NAN);
  return C_FN(_exp)(C_FN(_mul)(b, C_FN(_log)(a)));
}

static inline C_TYPE C_FN(_sinh)(C_TYPE a) {
  const C_REAL s = sinh(a.r), c = cosh(a.r);

  if (a.i == 0)
    return C_FN(_make)(s, a.i);
  if (!isfinite(a.i))
    return C_FN(_make)(a.r == 0 || isinf(a.r) ? a.r : NAN, NAN);
  if (isfinite(a.r) && isinf(c)) {
    const C_TYPE e = C_FN(_scale)(fabs(a.r), cos(a.i) / 2, sin(a.i) / 2);
    return C_FN(_make)(copysign((C_REAL)1, a.r) * e.r, e.i);
  }
  return C_FN(_make)(s * cos(a.i), c * sin(a.i));
}

static inline C_TYPE C_FN(_cosh)(C_TYPE a) {
  const C_REAL s = sinh(a.r), c = cosh(a.r);

  if (a.i == 0)
    return C_FN(_make)(c, isnan(a.r) ? a.i : copysign((C_REAL)1, a.r) * a.i);
  if (!isfinite(a.i))
    return C_FN(_make)(isinf(a.r) ? c : NAN, a.r == 0 ? a.r : NAN);
  if (a.r == 0)
    return C_FN(_make)(cos(a.i), a.r * sin(a.i));
  if (isfinite(a.r) && isinf(c)) {
    const C_TYPE e = C_FN(_scale)(fabs(a.r), cos(a.i) / 2, sin(a.i) / 2);
    return C_FN(_make)(e.r, copysign((C_REAL)1, a.r) * e.i);
  }
  return C_FN(_make)(c * cos(a.i), s * sin(a.i));
}

/* After W. Kahan, "Branch cuts for complex elementary functions" (1987). */
static inline C_TYPE C_FN(_tanh)(C_TYPE a) {
  const C_REAL s = sinh(a.r), t = tan(a.i);

  if (isnan(a.r))
    return C_FN(_make)(a.r, a.i == 0 ? a.i : a.r);
  if (isinf(a.r))
    return C_FN(_make)(copysign((C_REAL)1, a.r),
                       copysign((C_REAL)0, isfinite(a.i) ? sin(2 * a.i) : a.i));
  if (!isfinite(a.i))
    return C_FN(_make)(a.r == 0 ? a.r : NAN, NAN);
  if (fabs(a.r) > (sizeof(C_REAL) == 4 ? 11 : 22)) {
    const C_REAL e = exp(-fabs(a.r));
    return C_FN(_make)(copysign((C_REAL)1, a.r),
                       4 * sin(a.i) * cos(a.i) * e * e);
  }
  const C_REAL b = 1 + t * t, rho = sqrt(1 + s * s), d = 1 + b * s * s;
  return C_FN(_make)(b * rho * s / d, t / d);
}

/* f(i z) = i g(z) for the pairs sinh, sin and tanh, tan. */
static inline C_TYPE C_FN(_sin)(C_TYPE a) {
  const C_TYPE b = C_FN(_sinh)(C_FN(_make)(-a.i, a.r));
  return C_FN(_make)(b.i, -b.r);
}

static inline C_TYPE C_FN(_cos)(C_TYPE a) {
  return C_FN(_cosh)(C_FN(_make)(-a.i, a.r));
}

static inline C_TYPE C_FN(_tan)(C_TYPE a) {
  const C_TYPE b = C_FN(_tanh)(C_FN(_make)(-a.i, a.r));
  return C_FN(_make)(b.i, -b.r);
}

static inline int C_FN(_eq)(C_TYPE a, C_TYPE b) {
  return a.r == b.r && a.i == b.i;
}

#undef C_FN
#undef C_REAL
#undef C_TYPE
