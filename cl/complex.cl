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

static inline C_TYPE C_FN(_exp)(C_TYPE a) {
  const C_REAL e = exp(a.r);
  return C_FN(_make)(e * cos(a.i), e * sin(a.i));
}

static inline int C_FN(_eq)(C_TYPE a, C_TYPE b) {
  return a.r == b.r && a.i == b.i;
}

#undef C_FN
#undef C_REAL
#undef C_TYPE
