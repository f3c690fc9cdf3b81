/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorting by digits on a GPU. A group sorts a tile of elements in local
 * memory: a round puts it in order of 4 bits, two rounds in that of a digit. In
 * a warp the work-items with the same digit find each other, and one round is
 * enough.
 *
 * Rows of at most a tile are sorted there at once (`sort_tile_row`). Longer
 * ones are cut into parts, of which each is some tiles and the work of a group.
 * For each digit, from the lowest to the highest, `sort_tile_count` counts how
 * often each part has it, `sort_tile_scan` adds up the counts of the parts
 * before, and `sort_tile_move` sorts tile by tile, so that elements with the
 * same digit are stored side by side. Macros: those of sort_word.cl, and
 *
 *   #define S_ITEMS 8      elements of a work-item, at most 15 without S_WARPS
 *   #define S_POS uint     type of positions in workspaces
 *   #define S_WARPS 0      1: NVIDIA, where the work-items of a warp of 32 see
 *                          each other's digits: a round is a whole digit
 *
 * with an S_DIGIT_BITS of 8; parts need an S_GROUP of S_DIGITS.
 *
 * Counts are [rows][parts][digits], totals [rows][digits]. */
#define S_TILE (S_GROUP * S_ITEMS)
#if S_WARPS
#define S_PAD(i) (i)
#define S_ROUND_BITS S_DIGIT_BITS
#else
/* Neighbours that read runs of S_ITEMS meet different banks. */
#define S_PAD(i) ((i) + (i) / 32)
#define S_PAD_COUNTS(i) ((i) + (i) / 16)
#define S_ROUND_BITS 4
#endif
#define S_ROUND_DIGITS (1 << S_ROUND_BITS)

/* What positions are: bits of an argument. */
#define S_AT_NONE 1 /* not there yet: elements are counted */
#define S_AT_LONG 2 /* the caller's */
#define S_POS_LONG 4

/* The sum of the numbers that work-items before this one bring. All come here.
 * `sums` has S_GROUP + S_GROUP / 16 elements. */
GA_INLINE uint s_sum_before(local uint *sums, const uint me, const uint mine) {
  uint sum = 0;

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

#if S_WARPS
#define S_WARP 32
#define S_WARP_COUNT (S_GROUP / S_WARP)
/* Digits of a work-item when counts are added up. */
#define S_SHARE (S_DIGITS / S_GROUP)

/* The counts of digits by each warp. */
#define S_COUNTS local ushort counts_of[S_WARP_COUNT * S_DIGITS];

/* The element of the tile that is number e of work-item `me`: a warp has
 * neighbouring ones. */
#define S_MINE(e)                                                              \
  (me / S_WARP * (S_WARP * S_ITEMS) + (e) * S_WARP + me % S_WARP)

/* All of a warp come here; what they stored before, all see behind it. */
#define s_warp_sync() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")

/* The work-items of the warp that have the same digit, as bits. */
GA_INLINE uint s_peers(const uint digit) {
  uint peers = 0xffffffff;

#pragma unroll
  for (uint k = 0; k < S_DIGIT_BITS; ++k) {
    const uint bit = (digit >> k) & 1;
    uint with;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t"
                 "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}"
                 : "=r"(with)
                 : "r"(bit));
    peers &= with ^ (bit - 1);
  }
  return peers;
}

/* Turn the counts of warps into the sums of those before them: of lower digits,
 * and of the same digit in the warps before. */
GA_INLINE void s_scan_counts(local ushort *counts, local uint *sums,
                             const uint me) {
  uint sum = 0;

  for (uint d = me * S_SHARE; d < (me + 1) * S_SHARE; ++d)
    for (uint w = 0; w < S_WARP_COUNT; ++w)
      sum += counts[w * S_DIGITS + d];
  sum = s_sum_before(sums, me, sum);
  for (uint d = me * S_SHARE; d < (me + 1) * S_SHARE; ++d)
    for (uint w = 0; w < S_WARP_COUNT; ++w) {
      const uint c = counts[w * S_DIGITS + d];
      counts[w * S_DIGITS + d] = (ushort)sum;
      sum += c;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Set to[e] to the place of element S_MINE(e), w[e], when the tile is in order
 * of the digit at `shift`. Elements from `count` on stay behind all others. All
 * come here. */
GA_INLINE void s_places(const S_WORD *w, uint *to, local ushort *counts,
                        local uint *sums, const uint me, const uint count,
                        const uint shift, const S_WORD flip, const S_WORD nan) {
  volatile local ushort *const each = counts + me / S_WARP * S_DIGITS;
  const uint before = (1u << me % S_WARP) - 1;

  for (uint k = me; k < S_WARP_COUNT * S_DIGITS; k += S_GROUP)
    counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e) {
    const uint d = S_MINE(e) < count ? S_DIGIT(w[e]) : S_DIGITS - 1;
    const uint peers = s_peers(d), rank = (uint)popcount(peers & before);
    const uint had = each[d];

    s_warp_sync();
    if (rank == 0)
      each[d] = (ushort)(had + (uint)popcount(peers));
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
                       local ushort *counts, local uint *sums, const uint me,
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
  s_places(w, to, counts, sums, me, count, shift, flip, nan);
#pragma unroll
  for (uint e = 0; e < S_ITEMS; ++e) {
    word[to[e]] = w[e];
#if S_INDICES
    pos[to[e]] = p[e];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#else
#define S_COUNTS                                                               \
  local ulong counts_of[S_PAD_COUNTS(S_ROUND_DIGITS * S_GROUP / 4)];

/* Turn counts of S_ROUND_DIGITS digits by S_GROUP work-items, four to an
 * element, into the sums of those before them. */
GA_INLINE void s_scan_counts(local ulong *counts, local uint *sums,
                             const uint me) {
  ulong four[4];
  uint sum = 0;

  for (uint q = 0; q < 4; ++q) {
    four[q] = counts[S_PAD_COUNTS(me * 4 + q)];
    for (uint h = 0; h < 4; ++h)
      sum += (uint)(four[q] >> (16 * h)) & 0xffff;
  }
  sum = s_sum_before(sums, me, sum);
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
                       local ulong *counts, local uint *sums, const uint me,
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

#endif

#define S_LOCALS                                                               \
  local S_WORD word[S_PAD(S_TILE)];                                            \
  S_COUNTS                                                                     \
  local uint sums[S_GROUP + S_GROUP / 16];                                     \
  S_LOCAL_POS
#if S_INDICES
#define S_LOCAL_POS local S_POS place[S_PAD(S_TILE)];
#else
#define S_LOCAL_POS local S_POS *const place = 0;
#endif

/* Global size: rows x S_GROUP. Rows have at most S_TILE elements. */
kernel void sort_tile_row(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                          S_OPERAND(pos), S_SIZES, const ulong n_,
                          const uint how, const uint kinds,
                          const uint stores) {
  S_LOCALS
  S_HOW(how)
  const R_IDX row = (R_IDX)get_group_id(0);
  const uint me = (uint)get_local_id(0), n = (uint)n_;

  S_BASE(src, row)
  for (uint i = me; i < n; i += S_GROUP) {
    word[S_PAD(i)] = S_LOAD(src, i);
#if S_INDICES
    place[S_PAD(i)] = i;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint shift = 0; shift < 8 * sizeof(S_WORD); shift += S_ROUND_BITS)
    s_round(word, place, counts_of, sums, me, n, shift, flip, nan);
  if (stores & S_STORE_VALUES) {
    S_BASE(dst, row)
    for (uint i = me; i < n; i += S_GROUP)
      S_STORE(S_WORD, dst, i, word[S_PAD(i)]);
  }
#if S_INDICES
  S_BASE(at, row)
  S_BASE(pos, row)
  for (uint i = me; i < n; i += S_GROUP)
    S_STORE(long, pos, i,
            kinds & S_AT_NONE ? (long)place[S_PAD(i)]
                              : *(global const long *)S_AT(at, place[S_PAD(i)]));
#endif
}

#if S_GROUP == S_DIGITS
/* The part of this group. */
#define S_TILES                                                                \
  const R_IDX parts = (R_IDX)parts_, n = (R_IDX)n_;                            \
  const R_IDX id = (R_IDX)get_group_id(0), row = id / parts, part = id % parts; \
  const R_IDX from = min(n, part * (R_IDX)chunk_);                             \
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);                        \
  const uint me = (uint)get_local_id(0);

/* Counts are added up in some copies, in different banks, so that work-items
 * collide less. Elements are loaded some at a time. */
#define S_COPIES 8
#define S_COPY_STEP (S_DIGITS + 32 / S_COPIES)
#define S_AHEAD 8

/* Global size: rows x parts x S_GROUP. */
kernel void sort_tile_count(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                            const ulong n_rows, const ulong n_,
                            const ulong parts_, const ulong chunk_,
                            const uint shift, const uint how) {
  local uint sums[S_COPIES * S_COPY_STEP];
  S_TILES
  S_HOW(how)
  local uint *const mine = sums + me % S_COPIES * S_COPY_STEP;
  uint sum = 0;

  for (uint k = me; k < S_COPIES * S_COPY_STEP; k += S_GROUP)
    sums[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  S_BASE(src, row)
  R_IDX j = from + me;
  for (; to - from >= S_AHEAD * S_GROUP && j < to - (S_AHEAD - 1) * S_GROUP;
       j += S_AHEAD * S_GROUP) {
    S_WORD w[S_AHEAD];
#pragma unroll
    for (uint k = 0; k < S_AHEAD; ++k)
      w[k] = S_LOAD(src, j + k * S_GROUP);
#pragma unroll
    for (uint k = 0; k < S_AHEAD; ++k)
      atomic_inc(&mine[S_DIGIT(w[k])]);
  }
  for (; j < to; j += S_GROUP)
    atomic_inc(&mine[S_DIGIT(S_LOAD(src, j))]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < S_COPIES; ++k)
    sum += sums[k * S_COPY_STEP + me];
  counts[(size_t)id * S_DIGITS + me] = sum;
}

#define S_SCAN_AHEAD 32

/* Counts become sums of those of the parts before. Global size: rows x
 * S_DIGITS. */
kernel void sort_tile_scan(global R_IDX *counts, global R_IDX *totals,
                           const ulong parts_) {
  const R_IDX row = (R_IDX)get_group_id(0), parts = (R_IDX)parts_;
  global R_IDX *const count =
      counts + (size_t)row * parts * S_DIGITS + get_local_id(0);
  R_IDX sum = 0, part = 0;

  for (; parts - part >= S_SCAN_AHEAD; part += S_SCAN_AHEAD) {
    R_IDX c[S_SCAN_AHEAD];
#pragma unroll
    for (uint k = 0; k < S_SCAN_AHEAD; ++k)
      c[k] = count[(size_t)(part + k) * S_DIGITS];
#pragma unroll
    for (uint k = 0; k < S_SCAN_AHEAD; ++k) {
      count[(size_t)(part + k) * S_DIGITS] = sum;
      sum += c[k];
    }
  }
  for (; part < parts; ++part) {
    const R_IDX c = count[(size_t)part * S_DIGITS];
    count[(size_t)part * S_DIGITS] = sum;
    sum += c;
  }
  totals[(size_t)row * S_DIGITS + get_local_id(0)] = sum;
}

/* Where the elements with digit `me` of a part begin in their row: behind those
 * of lower digits, and those of the parts before. */
GA_INLINE R_IDX s_begin(local R_IDX *bases, global const R_IDX *totals,
                        global const R_IDX *counts, const uint me) {
  R_IDX sum = 0;

  bases[me] = totals[me];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < me; ++k)
    sum += bases[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum + counts[me];
}

/* The position of element j, by the argument `kinds`. */
#define S_POSITION(j)                                                          \
  (kinds & S_AT_NONE   ? (S_POS)(j)                                            \
   : kinds & S_AT_LONG ? (S_POS)S_FETCH(long, at, j)                           \
                       : S_FETCH(S_POS, at, j))

/* Global size: rows x parts x S_GROUP. */
kernel void sort_tile_move(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                           S_OPERAND(pos), S_SIZES, global const R_IDX *counts,
                           const ulong n_rows, const ulong n_,
                           const ulong parts_, const ulong chunk_,
                           const uint shift, const uint how,
                           global const R_IDX *totals, const uint kinds) {
  S_LOCALS
  local R_IDX bases[S_DIGITS];
#if !S_WARPS
  local uint starts[S_DIGITS];
#endif
  S_TILES
  S_HOW(how)

  S_BASE(src, row)
  S_BASE(dst, row)
#if S_INDICES
  S_BASE(at, row)
  S_BASE(pos, row)
#endif
  R_IDX base = s_begin(bases, totals + (size_t)row * S_DIGITS,
                       counts + (size_t)id * S_DIGITS, me);
  for (R_IDX tile = from; tile < to; tile += S_TILE) {
    const uint count = (uint)min(to - tile, (R_IDX)S_TILE);

#if S_WARPS
    S_WORD w[S_ITEMS];
    uint goes[S_ITEMS];
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      w[e] = S_MINE(e) < count ? S_LOAD(src, tile + S_MINE(e)) : 0;
#if S_INDICES
    S_POS p[S_ITEMS];
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      p[e] = S_MINE(e) < count ? S_POSITION(tile + S_MINE(e)) : 0;
#endif
    s_places(w, goes, counts_of, sums, me, count, shift, flip, nan);
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      word[goes[e]] = w[e];
#if S_INDICES
      place[goes[e]] = p[e];
#endif
    }
    /* The first warp has nothing before it but lower digits. */
    const uint start = counts_of[me];
    bases[me] = base - start;
    base += (me + 1 < S_DIGITS ? counts_of[me + 1] : count) - start;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    bases[me] = base;
    for (uint i = me; i < count; i += S_GROUP) {
      word[S_PAD(i)] = S_LOAD(src, tile + i);
#if S_INDICES
      place[S_PAD(i)] = S_POSITION(tile + i);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    s_round(word, place, counts_of, sums, me, count, shift, flip, nan);
    s_round(word, place, counts_of, sums, me, count, shift + S_ROUND_BITS, flip,
            nan);
    sums[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me; i < count; i += S_GROUP) {
      const uint d = S_DIGIT(word[S_PAD(i)]);
      if (i == 0 || S_DIGIT(word[S_PAD(i - 1)]) != d)
        starts[d] = i;
      if (i + 1 == count || S_DIGIT(word[S_PAD(i + 1)]) != d)
        sums[d] = i + 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (sums[me] > 0) {
      bases[me] -= starts[me];
      base += sums[me] - starts[me];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      const uint i = e * S_GROUP + me;
      if (i < count) {
        const R_IDX k = bases[S_DIGIT(word[S_PAD(i)])] + i;
        S_STORE(S_WORD, dst, k, word[S_PAD(i)]);
#if S_INDICES
        if (kinds & S_POS_LONG)
          S_STORE(long, pos, k, (long)place[S_PAD(i)]);
        else
          S_STORE(S_POS, pos, k, place[S_PAD(i)]);
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
