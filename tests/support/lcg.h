/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random, the same in every run: a linear congruential
 * generator, whose state the caller has. */
#ifndef SUPPORT_LCG_H
#define SUPPORT_LCG_H

#include <stddef.h>
#include <stdint.h>

/* 31 bits. */
static inline uint32_t lcg_next(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33);
}

/* In [0, n); 0 for an n of 0. */
static inline size_t lcg_below(uint64_t *state, size_t n) {
  const uint32_t x = lcg_next(state);

  return n != 0 ? x % n : 0;
}

#endif
