/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflow-checked arithmetic on sizes.
 *
 * Products that count elements or bytes of an existing array cannot overflow:
 * its bytes are at most SSIZE_MAX, even if it repeats elements
 * (ga__dims_bytes). Other products, such as sizes of workspaces, use ga__times,
 * which gives SIZE_MAX on overflow; an allocation of SIZE_MAX fails. */
#ifndef BASE_ARITH_H
#define BASE_ARITH_H

#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

static inline size_t ga__ceil_div(size_t a, size_t b) {
  GA_ASSERT(b > 0);
  return a / b + (a % b != 0);
}

static inline size_t ga__round_up(size_t a, size_t b) {
  return ga__ceil_div(a, b) * b;
}

/* a * b, or SIZE_MAX on overflow. */
static inline size_t ga__times(size_t a, size_t b) {
  return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static inline size_t ga__at_most(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline size_t ga__at_least(size_t a, size_t b) {
  return a > b ? a : b;
}

static inline size_t ga__between(size_t lo, size_t v, size_t hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

/* The greatest common divisor; that of 0 and n is n. */
static inline size_t ga__gcd(size_t a, size_t b) {
  while (b != 0) {
    const size_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

/* The smallest power of two that is at least n. */
static inline size_t ga__ceil_pow2(size_t n) {
  size_t p = 1;

  GA_ASSERT(n <= SIZE_MAX / 2 + 1);
  while (p < n)
    p *= 2;
  return p;
}

/* The largest power of two at most n, for n of at least 1. */
static inline size_t ga__floor_pow2(size_t n) {
  size_t p = 1;

  GA_ASSERT(n > 0);
  while (p <= n / 2)
    p *= 2;
  return p;
}

#endif
