/* SPDX-License-Identifier: BSD-2-Clause */
/* Pivots of LU factors, found by a group of G work-items. Stands behind
 * factor_group.cl. */
#define WAIT barrier(CLK_LOCAL_MEM_FENCE) /* for what is in local memory */

/* Nonzero if a value is chosen before another one: it is larger, or its row
 * comes first. */
GA_INLINE int is_before(const W a, const int row, const W b, const int other) {
  return a > b || (a == b && row < other);
}

#if SHUFFLES
/* The same of what `n` of 32 work-items found, a power of 2; the others found
 * what these did. */
GA_INLINE void warp_choose(W *most, int *where, const uint n) {
#if PTX > 1 && UNITS == 1
  /* Floats that are not negative are ordered as their bits are, and -1 comes
   * before them. */
  int bits, first;

  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;"
               : "=r"(bits)
               : "r"(as_int(*most)));
  const int at = as_int(*most) == bits ? *where : INT_MAX;
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;"
               : "=r"(first)
               : "r"(at));
  *most = as_float(bits);
  *where = first;
#else
#pragma unroll
  for (uint by = n / 2; by > 0; by /= 2) {
    const W other = shuffle_value(*most, by);
    const int at = (int)shuffle_word((uint)*where, by);
    const int is_better = is_before(other, at, *most, *where);

    *most = is_better ? other : *most;
    *where = is_better ? at : *where;
  }
#endif
}
#endif

/* The row with the largest value, the first one of those, from what each
 * work-item found. `found` and `rows` have room for G values. */
GA_INLINE int group_choose(local W *found, local int *rows, W most, int where) {
  const int me = (int)get_local_id(0);

#if SHUFFLES
  warp_choose(&most, &where, 32);
  if (me % 32 == 0) {
    found[me / 32] = most;
    rows[me / 32] = where;
  }
  WAIT;
  most = found[me % WARPS];
  where = rows[me % WARPS];
  warp_choose(&most, &where, WARPS);
  return where;
#else
  found[me] = most;
  rows[me] = where;
  for (int span = G / 2; span > 0; span /= 2) {
    WAIT;
    if (me < span && is_before(found[me + span], rows[me + span], found[me],
                               rows[me])) {
      found[me] = found[me + span];
      rows[me] = rows[me + span];
    }
  }
  WAIT;
  return rows[0];
#endif
}

/* Nonzero if a value may be a pivot: a NaN is none. NVIDIA's compiler takes
 * |x| > -1 for true. */
GA_INLINE int is_larger(const W v, const W most) {
  return v > most && v <= INFINITY;
}
