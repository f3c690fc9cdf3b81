/* SPDX-License-Identifier: BSD-2-Clause */
/* A round of sort_tile.cl on any GPU: each work-item counts its elements by 4
 * bits of a digit. Neighbours that read runs of S_ITEMS meet different banks. */
#define S_ROUND_BITS 4
#define S_ROUND_DIGITS (1 << S_ROUND_BITS)
#define S_PAD(i) ((i) + (i) / 32)
#define S_PAD_COUNTS(i) ((i) + (i) / 16)
#define S_PLACES S_PAD(S_TILE)
/* The sum of the numbers that work-items before this one bring. All come here.
 * `sums` has S_GROUP + S_GROUP / 16 elements. */
GA_INLINE R_IDX s_sum_before(local R_IDX *sums, const uint me,
                             const R_IDX mine) {
  R_IDX sum = 0;

  sums[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < S_GROUP / 16) {
    for (uint k = 0; k < 16; ++k)
      sum += sums[me * 16 + k];
    sums[S_GROUP + me] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint k = 0; k < me / 16; ++k)
    sum += sums[S_GROUP + k];
  for (uint k = me / 16 * 16; k < me; ++k)
    sum += sums[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

#define S_COUNTS                                                               \
  local ulong counts_of[S_PAD_COUNTS(S_ROUND_DIGITS * S_GROUP / 4)];

/* Turn counts of S_ROUND_DIGITS digits by S_GROUP work-items, four to an
 * element, into the sums of those before them. */
GA_INLINE void s_scan_counts(local ulong *counts, local R_IDX *sums,
                             const uint me) {
  ulong four[4];
  uint sum = 0;

  for (uint q = 0; q < 4; ++q) {
    four[q] = counts[S_PAD_COUNTS(me * 4 + q)];
    for (uint h = 0; h < 4; ++h)
      sum += (uint)(four[q] >> (16 * h)) & 0xffff;
  }
  sum = (uint)s_sum_before(sums, me, sum);
  for (uint q = 0; q < 4; ++q) {
    ulong before = 0;
    for (uint h = 0; h < 4; ++h) {
      before |= (ulong)sum << (16 * h);
      sum += (uint)(four[q] >> (16 * h)) & 0xffff;
    }
    counts[S_PAD_COUNTS(me * 4 + q)] = before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Where this work-item counts digit k, in shorts. */
#define S_EACH(k)                                                              \
  (4 * S_PAD_COUNTS(((k) * S_GROUP + me) / 4) + ((k) * S_GROUP + me) % 4)

/* Put the tile in order of the 4 bits at `shift`. What is behind its first
 * `count` elements stays there. All come here, with the tile stored. */
GA_INLINE void s_round(local S_WORD *word, local S_POS *pos,
                       local ulong *counts, local R_IDX *sums, const uint me,
                       const uint count, const uint shift, const S_WORD flip,
                       const S_WORD nan) {
  local ushort *const each = (local ushort *)counts;
  S_WORD w[S_ITEMS];
  uint d[S_ITEMS], to[S_ITEMS];
  ulong mine = 0;
#if S_INDICES
  S_POS p[S_ITEMS];
#endif

  for (uint e = 0; e < S_ITEMS; ++e) {
    const uint i = me * S_ITEMS + e;
    w[e] = word[S_PAD(i)];
#if S_INDICES
    p[e] = pos[S_PAD(i)];
#endif
    d[e] = i < count ? (uint)(s_order(w[e], flip, nan) >> shift) &
                           (S_ROUND_DIGITS - 1)
                     : S_ROUND_DIGITS - 1;
    to[e] = (uint)(mine >> (4 * d[e])) & 15;
    mine += 1ul << (4 * d[e]);
  }
  for (uint k = 0; k < S_ROUND_DIGITS; ++k)
    each[S_EACH(k)] = (ushort)((mine >> (4 * k)) & 15);
  barrier(CLK_LOCAL_MEM_FENCE);
  s_scan_counts(counts, sums, me);
  for (uint e = 0; e < S_ITEMS; ++e) {
    to[e] += each[S_EACH(d[e])];
    word[S_PAD(to[e])] = w[e];
#if S_INDICES
    pos[S_PAD(to[e])] = p[e];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
