/* SPDX-License-Identifier: BSD-2-Clause */
/* A round of sort_tile.cl on NVIDIA's GPUs: the work-items of a warp that have
 * the same digit find each other by masks in local memory. */
#define S_ROUND_BITS S_DIGIT_BITS
#define S_PAD(i) (i)
#define S_WARP 32
#define S_WARP_COUNT (S_GROUP / S_WARP)
/* Digits of a work-item when counts are added up. */
#define S_SHARE (S_DIGITS / S_GROUP)

/* The counts of digits by each warp. */
#define S_COUNTS local ushort counts_of[S_WARP_COUNT * S_DIGITS];
/* While the elements of a tile are in registers, their place in local memory
 * has, for each digit, which work-items of each warp have it. */
#define S_MASKS (S_WARP_COUNT * S_DIGITS)
#define S_PLACES                                                               \
  (S_TILE * sizeof(S_WORD) > S_MASKS * 4 ? S_TILE                              \
                                         : S_MASKS * 4 / sizeof(S_WORD))

/* The element of the tile that is number e of work-item `me`: a warp has
 * neighbouring ones. */
#define S_MINE(e)                                                              \
  (me / S_WARP * (S_WARP * S_ITEMS) + (e) * S_WARP + me % S_WARP)

/* All of a warp come here; what they stored before, all see behind it. */
#define s_warp_sync() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")

/* The number of the work-item `k` before this one in the warp, or 0. */
GA_INLINE R_IDX s_from_before(const R_IDX x, const uint k) {
  R_IDX all = 0;

#pragma unroll
  for (uint h = 0; h < sizeof(R_IDX) / 4; ++h) {
    uint y;
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 t;\n\t"
                 "shfl.sync.up.b32 t|p, %1, %2, 0, 0xffffffff;\n\t"
                 "selp.u32 %0, t, 0, p;\n\t}"
                 : "=r"(y)
                 : "r"((uint)(x >> 32 * h)), "r"(k));
    all |= (R_IDX)y << 32 * h;
  }
  return all;
}

/* The sum of the numbers that work-items before this one bring. All come here,
 * and to a barrier before `sums` is used again. */
GA_INLINE R_IDX s_sum_before(local R_IDX *sums, const uint me,
                             const R_IDX mine) {
  R_IDX sum = mine, before = 0;

#pragma unroll
  for (uint k = 1; k < S_WARP; k *= 2)
    sum += s_from_before(sum, k);
  if (me % S_WARP == S_WARP - 1)
    sums[me / S_WARP] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint w = 0; w < S_WARP_COUNT; ++w)
    before += w < me / S_WARP ? sums[w] : 0;
  return before + sum - mine;
}

/* Turn the counts of warps into the sums of those before them: of lower digits,
 * and of the same digit in the warps before. */
#define S_MY_COUNT(k)                                                          \
  ((k) % S_WARP_COUNT * S_DIGITS + me * S_SHARE + (k) / S_WARP_COUNT)
GA_INLINE void s_scan_counts(local ushort *counts, local R_IDX *sums,
                             const uint me) {
  uint c[S_SHARE * S_WARP_COUNT], sum = 0;

#pragma unroll
  for (uint k = 0; k < S_SHARE * S_WARP_COUNT; ++k) {
    c[k] = counts[S_MY_COUNT(k)];
    sum += c[k];
  }
  sum = (uint)s_sum_before(sums, me, sum);
#pragma unroll
  for (uint k = 0; k < S_SHARE * S_WARP_COUNT; ++k) {
    counts[S_MY_COUNT(k)] = (ushort)sum;
    sum += c[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Set to[e] to the place of element S_MINE(e), w[e], when the tile is in order
 * of the digit at `shift`. Elements from `count` on stay behind all others. All
 * come here. */
GA_INLINE void s_places(const S_WORD *w, uint *to, local uint *masks,
                        local ushort *counts, local R_IDX *sums, const uint me,
                        const uint count, const uint shift, const S_WORD flip,
                        const S_WORD nan) {
  volatile local ushort *const each = counts + me / S_WARP * S_DIGITS;
  volatile local uint *const mask = masks + me / S_WARP * S_DIGITS;
  const uint bit = 1u << me % S_WARP;

  for (uint k = me; k < S_MASKS; k += S_GROUP) {
    counts[k] = 0;
    masks[k] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e) {
    const uint d = S_MINE(e) < count ? S_DIGIT(w[e]) : S_DIGITS - 1;

    atomic_or(&mask[d], bit);
    s_warp_sync();
    const uint peers = mask[d], rank = (uint)popcount(peers & (bit - 1));
    const uint had = each[d];
    s_warp_sync();
    if (rank == 0) {
      each[d] = (ushort)(had + (uint)popcount(peers));
      mask[d] = 0;
    }
    s_warp_sync();
    to[e] = d << 16 | (had + rank);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  s_scan_counts(counts, sums, me);
#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e)
    to[e] = (to[e] & 0xffff) + each[to[e] >> 16];
}

/* Put the tile in order of the digit at `shift`. What is behind its first
 * `count` elements stays there. All come here, with the tile stored. */
GA_INLINE void s_round(local S_WORD *word, local S_POS *pos,
                       local ushort *counts, local R_IDX *sums, const uint me,
                       const uint count, const uint shift, const S_WORD flip,
                       const S_WORD nan) {
  S_WORD w[S_ITEMS];
  uint to[S_ITEMS];
#if S_INDICES
  S_POS p[S_ITEMS];
#endif

#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e) {
    w[e] = word[S_MINE(e)];
#if S_INDICES
    p[e] = pos[S_MINE(e)];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  s_places(w, to, (local uint *)word, counts, sums, me, count, shift, flip,
           nan);
#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e) {
    word[to[e]] = w[e];
#if S_INDICES
    pos[to[e]] = p[e];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
