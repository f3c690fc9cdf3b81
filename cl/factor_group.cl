/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and largest values of a group of G work-items, for kernels that factor
 * matrices. A group of one needs no local memory.
 *
 *   #define PTX 1        NVIDIA, where 32 work-items exchange values without
 *                        local memory: a group waits once instead of for each
 *                        halving; 2: from sm_80 on, where they find the largest
 *                        of 32 integers at once
 *   #define UNITS 1      units of 32 bits of a value
 *   #define FENCE        the memory that a SYNC orders. Without it, local and
 *                        global memory: for kernels whose work-items read
 *                        elements of matrices that others wrote */
#ifndef FENCE
#define FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#if G > 1
#define SYNC barrier(FENCE)
#define SHARED local
#else
#define SYNC
#define SHARED
#endif
#define SHUFFLES (PTX && G >= 32)

#if SHUFFLES
#define WARPS (G / 32)

GA_INLINE uint shuffle_word(const uint v, const uint by) {
  uint to;

  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(to)
               : "r"(v), "r"(by));
  return to;
}

GA_INLINE uint shuffle_word_from(const uint v, const int lane) {
  uint to;

  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(to)
               : "r"(v), "r"(lane));
  return to;
}

/* The value of work-item `lane` of the 32. */
GA_INLINE W shuffle_from(const W v, const int lane) {
#if UNITS == 2
  const uint2 x = as_uint2(v);

  return as_double((uint2)(shuffle_word_from(x.s0, lane),
                           shuffle_word_from(x.s1, lane)));
#else
  return as_float(shuffle_word_from(as_uint(v), lane));
#endif
}

/* The value of the work-item whose id differs in the bit `by`. */
GA_INLINE W shuffle_value(const W v, const uint by) {
#if UNITS == 2
  const uint2 x = as_uint2(v);

  return as_double((uint2)(shuffle_word(x.s0, by), shuffle_word(x.s1, by)));
#else
  return as_float(shuffle_word(as_uint(v), by));
#endif
}
#endif

/* The sum, or the larger of two values, NaN if there is one. */
GA_INLINE W group_join(const W a, const W b, const int is_most) {
  if (is_most)
    return b > a || b != b ? b : a;
  return a + b;
}

/* All of the group's values joined, in the same order each time. */
GA_INLINE W group_fold(const W v, SHARED W *all, const int is_most) {
  const int me = (int)get_local_id(0);

#if SHUFFLES
  W x = v;

#pragma unroll
  for (uint by = 16; by > 0; by /= 2)
    x = group_join(x, shuffle_value(x, by), is_most);
  SYNC;
  if (me % 32 == 0)
    all[me / 32] = x;
  SYNC;
  x = is_most || me % 32 < WARPS ? all[me % WARPS] : 0;
#pragma unroll
  for (uint by = 16; by > 0; by /= 2)
    x = group_join(x, shuffle_value(x, by), is_most);
  return x;
#else
  SYNC;
  all[me] = v;
  for (int span = G / 2; span > 0; span /= 2) {
    SYNC;
    if (me < span)
      all[me] = group_join(all[me], all[me + span], is_most);
  }
  SYNC;
  return all[0];
#endif
}

/* The sum of the group's values. */
GA_INLINE W group_sum(const W v, SHARED W *all) {
  return group_fold(v, all, 0);
}

/* The largest of them, NaN if there is one. */
GA_INLINE W group_most(const W v, SHARED W *all) {
  return group_fold(v, all, 1);
}
