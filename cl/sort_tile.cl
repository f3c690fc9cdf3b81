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
 * same digit are stored side by side.
 *
 * If all elements of a row have the same digit, that pass ends at once. The
 * first pass finds the bits that differ, so that each of the others knows which
 * passes before it move elements. The first one that moves reads the source,
 * the last one writes the results; between them the halves of a workspace,
 * [2][rows][n], take turns.
 *
 * Macros: those of sort_word.cl, and
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
#include "sort_round_warp.cl"
#else
#include "sort_round.cl"
#endif

#define S_LOCALS                                                               \
  local S_WORD word[S_PLACES] __attribute__((aligned(8)));                     \
  S_COUNTS                                                                     \
  local R_IDX sums[S_GROUP + S_GROUP / 16];                                    \
  S_LOCAL_POS
#if S_INDICES
#define S_LOCAL_POS local S_POS place[S_PAD(S_TILE)];
#else
#define S_LOCAL_POS local S_POS *const place = 0;
#endif

/* Global size: rows x S_GROUP. Rows have at most S_TILE elements. */
kernel void sort_tile_row(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                          S_OPERAND(pos), S_SIZES, const ulong n_,
                          const uint how, const uint has_at,
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
            has_at ? *(global const long *)S_AT(at, place[S_PAD(i)])
                   : (long)place[S_PAD(i)]);
#endif
}

#if S_GROUP == S_DIGITS
/* The part of this group. */
#define S_TILES                                                                \
  S_PART_OF(get_group_id(0))                                                   \
  const uint me = (uint)get_local_id(0);

/* `varies` has the bits that differ between the elements of each part and, in
 * S_VARY, of the whole row. They tell what passes have to do. */
#define S_VARY varies[(size_t)row * (parts + 1) + parts]
#define S_IS_IDLE ((vary >> shift & (S_DIGITS - 1)) == 0)
#define S_IS_FIRST ((vary & (((S_WORD)1 << shift) - 1)) == 0)
#define S_IS_LAST (vary >> shift >> S_DIGIT_BITS == 0)

/* The half of workspaces that a pass writes to. It reads from the other one. */
GA_INLINE uint s_side(const S_WORD vary, const uint shift) {
  uint passes = 0;

  for (uint k = 0; k < shift; k += S_DIGIT_BITS)
    passes += (vary >> k & (S_DIGITS - 1)) != 0;
  return passes % 2;
}

/* Where the row begins in that half. */
#define S_SIDE(work, side) ((work) + ((side) * n_rows + row) * n_)

/* Where a pass reads. */
#define S_FROM                                                                 \
  global const char *const from_p =                                            \
      S_IS_FIRST ? src : (global const char *)S_SIDE(words, !side);            \
  const long from_p_a = S_IS_FIRST ? src_a : (long)sizeof(S_WORD);

/* The bits that the work-items bring, together. All come here. */
GA_INLINE S_WORD s_union(local uint *bits, const uint me, const S_WORD mine) {
  if (me < 2)
    bits[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_or(&bits[0], (uint)mine);
  if (sizeof(S_WORD) > 4)
    atomic_or(&bits[1], (uint)((ulong)mine >> 32));
  barrier(CLK_LOCAL_MEM_FENCE);
  return (S_WORD)((ulong)bits[1] << 32 | bits[0]);
}

/* Counts are added up in some copies, in different banks, so that work-items
 * collide less. Elements are loaded some at a time. */
#define S_COPIES 8
#define S_COPY_STEP (S_DIGITS + 32 / S_COPIES)
#define S_AHEAD 8
#define S_SCAN_AHEAD 32

#define S_COUNT(w)                                                             \
  {                                                                            \
    const S_WORD o = s_order(w, flip, nan);                                    \
    vary |= o ^ one;                                                           \
    atomic_inc(&mine[(uint)(o >> shift) & (S_DIGITS - 1)]);                    \
  }

/* Global size: rows x parts x S_GROUP. */
kernel void sort_tile_count(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                            const ulong n_rows, const ulong n_,
                            const ulong parts_, const ulong chunk_,
                            const uint shift, const uint how,
                            global const S_WORD *words,
                            global S_WORD *varies) {
  local uint sums[S_COPIES * S_COPY_STEP];
  local uint bits[2];
  S_TILES
  S_HOW(how)
  local uint *const mine = sums + me % S_COPIES * S_COPY_STEP;
  S_WORD vary = shift > 0 ? S_VARY : 0;
  uint sum = 0;

  if (shift > 0 && S_IS_IDLE)
    return;
  for (uint k = me; k < S_COPIES * S_COPY_STEP; k += S_GROUP)
    sums[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  S_BASE(src, row)
  const uint side = s_side(vary, shift);
  S_FROM
  const S_WORD one = s_order(S_LOAD(from_p, 0), flip, nan);
  R_IDX j = from + me;
  for (; to - from >= S_AHEAD * S_GROUP && j < to - (S_AHEAD - 1) * S_GROUP;
       j += S_AHEAD * S_GROUP) {
    S_WORD w[S_AHEAD];
#pragma unroll
    for (uint k = 0; k < S_AHEAD; ++k)
      w[k] = S_LOAD(from_p, j + k * S_GROUP);
#pragma unroll
    for (uint k = 0; k < S_AHEAD; ++k)
      S_COUNT(w[k])
  }
  for (; j < to; j += S_GROUP)
    S_COUNT(S_LOAD(from_p, j))
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < S_COPIES; ++k)
    sum += sums[k * S_COPY_STEP + me];
  counts[(size_t)id * S_DIGITS + me] = sum;
  if (shift > 0)
    return;
  vary = s_union(bits, me, vary);
  if (me == 0)
    varies[(size_t)row * (parts + 1) + part] = vary;
}

/* The sum of some counts; with `stores`, they become sums of those before. */
GA_INLINE R_IDX s_sum_counts(global R_IDX *count, const R_IDX from,
                             const R_IDX to, R_IDX sum, const int stores) {
  for (R_IDX part = from; part < to; part += S_SCAN_AHEAD) {
    R_IDX c[S_SCAN_AHEAD];
#pragma unroll
    for (uint k = 0; k < S_SCAN_AHEAD; ++k)
      c[k] = part + k < to ? count[(size_t)(part + k) * S_DIGITS] : 0;
#pragma unroll
    for (uint k = 0; k < S_SCAN_AHEAD; ++k) {
      if (stores && part + k < to)
        count[(size_t)(part + k) * S_DIGITS] = sum;
      sum += c[k];
    }
  }
  return sum;
}

/* Counts become sums of those of the parts before. A row's digits are shared by
 * `blocks` groups; in a group, so many work-items share the parts of a digit.
 * The first pass also finds what varies in the row; if nothing does, that pass
 * copies the row. Global size: rows x blocks x S_GROUP. */
kernel void sort_tile_scan(global R_IDX *counts, global R_IDX *totals,
                           const ulong parts_, const uint shift,
                           const uint blocks, global S_WORD *varies) {
  local R_IDX sums[S_GROUP];
  local uint bits[2];
  const R_IDX row = (R_IDX)get_group_id(0) / blocks, parts = (R_IDX)parts_;
  const uint me = (uint)get_local_id(0), digits = S_DIGITS / blocks;
  const uint d = (uint)get_group_id(0) % blocks * digits + me % digits;
  const R_IDX share = (parts + blocks - 1) / blocks;
  const R_IDX from = min(parts, me / digits * share);
  const R_IDX to = from + min(parts - from, share);
  global R_IDX *const count = counts + (size_t)row * parts * S_DIGITS + d;
  S_WORD vary = 0;

  if (shift == 0) {
    for (R_IDX k = me; k < parts; k += S_GROUP)
      vary |= varies[(size_t)row * (parts + 1) + k];
    vary = s_union(bits, me, vary);
    vary = vary != 0 ? vary : 1;
    if (me + d == 0)
      S_VARY = vary;
  } else {
    vary = S_VARY;
  }
  if (S_IS_IDLE)
    return;
  sums[me] = blocks > 1 ? s_sum_counts(count, from, to, 0, 0) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  R_IDX sum = 0;
  for (uint k = me % digits; k < me; k += digits)
    sum += sums[k];
  sum = s_sum_counts(count, from, to, sum, 1);
  if (me / digits == blocks - 1)
    totals[(size_t)row * S_DIGITS + d] = sum;
}

/* Global size: rows x parts x S_GROUP. */
kernel void sort_tile_move(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                           S_OPERAND(pos), S_SIZES, global const R_IDX *counts,
                           const ulong n_rows, const ulong n_,
                           const ulong parts_, const ulong chunk_,
                           const uint shift, const uint how,
                           global S_WORD *words, global const S_WORD *varies,
                           global const R_IDX *totals, global S_POS *positions,
                           const uint has_at, const uint stores) {
  S_LOCALS
  local R_IDX bases[S_DIGITS];
#if !S_WARPS
  local uint starts[S_DIGITS];
#endif
  S_TILES
  S_HOW(how)
  const S_WORD vary = S_VARY;
  const uint side = s_side(vary, shift);

  if (S_IS_IDLE)
    return;
  S_BASE(src, row)
  S_BASE(dst, row)
#if S_INDICES
  S_BASE(at, row)
  S_BASE(pos, row)
#endif
  S_FROM
  global char *const to_p =
      S_IS_LAST ? dst : (global char *)S_SIDE(words, side);
  const long to_p_a = S_IS_LAST ? dst_a : (long)sizeof(S_WORD);
#if S_INDICES
  /* The caller's positions lie one after another, and S_POS is as wide. */
  const int is_new = S_IS_FIRST && !has_at;
  global const S_POS *const from_at =
      S_IS_FIRST ? (global const S_POS *)at : S_SIDE(positions, !side);
#endif
  const int has_words = !S_IS_LAST || stores & S_STORE_VALUES;
  /* Where elements with digit `me` go: behind those of lower digits, and those
   * of the parts before. */
  R_IDX base = s_sum_before(sums, me, totals[(size_t)row * S_DIGITS + me]) +
               counts[(size_t)id * S_DIGITS + me];
  for (R_IDX tile = from; tile < to; tile += S_TILE) {
    const uint count = (uint)min(to - tile, (R_IDX)S_TILE);

#if S_WARPS
    S_WORD w[S_ITEMS];
    uint goes[S_ITEMS];
    /* Words with positions are loaded faster from one address with constant
     * offsets, words alone are not. */
#if S_INDICES
    S_POS p[S_ITEMS];
    const R_IDX mine = tile + S_MINE(0);
    global const char *const mine_p = S_AT(from_p, mine);
    const long mine_p_a = from_p_a;
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      w[e] = S_MINE(e) < count ? S_LOAD(mine_p, e * S_WARP) : 0;
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e) {
      p[e] = (S_POS)(mine + e * S_WARP);
      if (!is_new && S_MINE(e) < count)
        p[e] = (from_at + mine)[e * S_WARP];
    }
#else
#pragma unroll
    for (uint e = 0; e < S_ITEMS; ++e)
      w[e] = S_MINE(e) < count ? S_LOAD(from_p, tile + S_MINE(e)) : 0;
#endif
    s_places(w, goes, (local uint *)word, counts_of, sums, me, count, shift,
             flip, nan);
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
      word[S_PAD(i)] = S_LOAD(from_p, tile + i);
#if S_INDICES
      place[S_PAD(i)] = is_new ? (S_POS)(tile + i) : from_at[tile + i];
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
    /* With all addresses at once, registers are short. */
#pragma unroll 4
    for (uint e = 0; e < S_ITEMS; ++e) {
      const uint i = e * S_GROUP + me;
      if (i < count) {
        const R_IDX k = bases[S_DIGIT(word[S_PAD(i)])] + i;
        if (has_words)
          S_STORE(S_WORD, to_p, k, word[S_PAD(i)]);
#if S_INDICES
        if (S_IS_LAST)
          S_STORE(long, pos, k, (long)place[S_PAD(i)]);
        else
          S_SIDE(positions, side)[k] = place[S_PAD(i)];
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
