/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits rows on a GPU, with a group for each part of a row: neighbouring
 * work-items read neighbouring elements, and write them. The group that moves
 * elements puts a tile in the order of classes in local memory. Macros: those
 * of split_class.cl, and
 *
 *   #define S_ITEMS 8   elements of a tile for each work-item
 *
 * A tile has less than 2^16 elements, so four counts fit a number. */
#include "split_class.cl"
#include "sum_before.cl"

#define SPLIT_TILE (S_GROUP * S_ITEMS)
#define SPLIT_FOURS ((SPLIT_CLASSES + 3) / 4)
#define SPLIT_ONE(c) (1ul << 16 * ((c) % 4))
#define SPLIT_FIELD(fours, c)                                                  \
  ((uint)((fours)[(c) / 4] >> 16 * ((c) % 4)) & 0xffff)
/* Work-items that read runs of S_ITEMS meet different banks. */
#define SPLIT_PAD(i) ((i) + (i) / 32)
#define SPLIT_AHEAD 8

/* Global size: rows x parts x S_GROUP. */
kernel void split_count(S_OPERAND(src), S_OPERAND(pivot), S_SIZES,
                        global R_IDX *counts, const ulong n_rows,
                        const ulong n_, const ulong parts_, const ulong chunk_,
                        const uint shift, const uint how) {
  local uint sums[SPLIT_CLASSES];
  S_PART_OF(get_group_id(0))
  SPLIT_BEGIN
  const uint me = (uint)get_local_id(0);
  uint mine[SPLIT_CLASSES];
  R_IDX j = from + me;

  if (me < SPLIT_CLASSES)
    sums[me] = 0;
#pragma unroll
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    mine[c] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; to - from >= SPLIT_AHEAD * S_GROUP &&
         j < to - (SPLIT_AHEAD - 1) * S_GROUP;
       j += SPLIT_AHEAD * S_GROUP) {
    S_WORD w[SPLIT_AHEAD];

#pragma unroll
    for (uint k = 0; k < SPLIT_AHEAD; ++k)
      w[k] = S_LOAD(src, j + k * S_GROUP);
#pragma unroll
    for (uint k = 0; k < SPLIT_AHEAD; ++k) {
      const uint own = split_class(s_order(w[k], flip, nan), pivots);

      SPLIT_COUNT(mine, own);
    }
  }
  for (; j < to; j += S_GROUP) {
    const uint own = split_class(s_order(S_LOAD(src, j), flip, nan), pivots);

    SPLIT_COUNT(mine, own);
  }
#pragma unroll
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    atomic_add(&sums[c], mine[c]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < SPLIT_CLASSES)
    SPLIT_OF_PART(counts)[me * parts] = sums[me];
}

/* The same geometry. */
kernel void split_move(S_OPERAND(src), S_OPERAND(pivot), S_OPERAND(dst),
                       S_OPERAND(pos), S_SIZES, global const R_IDX *places,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift, const uint how,
                       const uint stores) {
  local S_WORD word[SPLIT_PAD(SPLIT_TILE)];
  local ushort comes_from[SPLIT_PAD(SPLIT_TILE)];
  local ulong sums[S_SUMS];
  S_PART_OF(get_group_id(0))
  SPLIT_BEGIN
  S_BASE(dst, row)
  S_BASE(pos, row)
  const uint me = (uint)get_local_id(0);
  R_IDX next[SPLIT_CLASSES];

#pragma unroll
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    next[c] = SPLIT_OF_PART(places)[c * parts];
  for (R_IDX tile = from; tile < to; tile += SPLIT_TILE) {
    const uint count = (uint)min(to - tile, (R_IDX)SPLIT_TILE);
    S_WORD w[S_ITEMS];
    uint own[S_ITEMS];
    ulong at[SPLIT_FOURS], all[SPLIT_FOURS];

#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      w[e] = e * S_GROUP + me < count ? S_LOAD(src, tile + e * S_GROUP + me)
                                      : (S_WORD)0;
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      word[SPLIT_PAD(e * S_GROUP + me)] = w[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    /* The run of this work-item. What is behind the row belongs to the last
     * class, and stays behind it. */
#pragma unroll
    for (uint q = 0; q < SPLIT_FOURS; ++q)
      at[q] = 0;
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      const uint i = me * S_ITEMS + e;

      w[e] = word[SPLIT_PAD(i)];
      own[e] = i < count ? split_class(s_order(w[e], flip, nan), pivots)
                         : SPLIT_CLASSES - 1;
#pragma unroll
      for (uint q = 0; q < SPLIT_FOURS; ++q)
        at[q] += own[e] / 4 == q ? SPLIT_ONE(own[e]) : 0;
    }
#pragma unroll
    for (uint q = 0; q < SPLIT_FOURS; ++q)
      at[q] = s_before(sums, at[q], &all[q]);
    /* Where classes begin in the tile, and where they go from there. */
    uint first[SPLIT_CLASSES], start = 0;
    R_IDX goes[SPLIT_CLASSES];
#pragma unroll
    for (uint c = 0; c < SPLIT_CLASSES; ++c) {
      first[c] = start;
      at[c / 4] += start * SPLIT_ONE(c);
      goes[c] = next[c] - start;
      next[c] += SPLIT_FIELD(all, c);
      start += SPLIT_FIELD(all, c);
    }
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      uint to_e = 0;
#pragma unroll
      for (uint q = 0; q < SPLIT_FOURS; ++q) {
        if (own[e] / 4 == q) {
          to_e = (uint)(at[q] >> 16 * (own[e] % 4)) & 0xffff;
          at[q] += SPLIT_ONE(own[e]);
        }
      }
      word[SPLIT_PAD(to_e)] = w[e];
      comes_from[SPLIT_PAD(to_e)] = (ushort)(me * S_ITEMS + e);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      const uint i = e * S_GROUP + me;
      R_IDX k = goes[0];

#pragma unroll
      for (uint c = 1; c < SPLIT_CLASSES; ++c)
        k = i >= first[c] ? goes[c] : k;
      k += i;
      if (i < count && stores & S_STORE_VALUES)
        S_STORE(S_WORD, dst, k, word[SPLIT_PAD(i)]);
      if (i < count && stores & S_STORE_POSITIONS)
        S_STORE(long, pos, k, (long)(tile + comes_from[SPLIT_PAD(i)]));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
