/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection of the elements that count, in order: those of a mask that are not
 * 0, or those that begin a run of equal neighbours. `select_count` counts them
 * in each part of the elements, `select_write` writes their positions, or the
 * elements of another array at these positions, from where the parts before
 * end. Macros, here for a mask of bools that selects floats:
 *
 *   #define R_IDX uint       index type, large enough for all counts
 *   #define S_WORD uchar     the bits of an element of the mask
 *   #define S_LANES uchar16  sixteen of them
 *   #define S_BITS 0xff      the bits that are not 0 in an element that counts
 *   #define S_BYTES 1        of a word
 *   #define S_PAIR 0         1: an element has two words, those of its parts
 *   #define S_RUNS 0         1: what begins a run counts
 *   #define S_INFINITE 0x7f800000u  for floats: the bits of infinity
 *   #define S_ELEMENT uint   what is written
 *   #define S_PART uint      it is aligned for this
 *   #define S_PARTS 1        so many of them; 2 in complex numbers
 *   #define S_COPY 1         0: positions are written; S_ELEMENT is long
 *   #define S_ND 0           positions: 0: in C order; else so many coordinates
 *   #define S_SIZES          coordinates: , const ulong s_n0, ...
 *   #define S_SIZES_PASS     , s_n0, ...
 *   #define S_SIZES_LIST     s_n0, ...
 *   #define S_PAD 0          1: rows after the last one get `fill`
 *   #define S_TOTAL 0        1: the count is written
 *   #define S_GROUP 1        work-items of a part
 *   #define S_RUN 32         neighbouring elements of a work-item of a tile
 *
 * With one work-item a part is walked in its order, without branches: the
 * element is written in any case, and the next one overwrites it unless it
 * counts. The loop ends with the last one that counts, so nothing is written
 * beyond the part's own rows.
 *
 * Else the group that counts also stores a bit for each element, whether it
 * counts, so that the elements are read once: eight to a byte, the first one
 * lowest. The group that writes lists the elements that count, tile by tile. */
#define S_BLOCK 16
#define S_TILE (S_GROUP * S_RUN)
#define S_WORDS (1 + S_PAIR) /* of an element */

#if S_RUNS
/* Equal for equal elements, lanes of type T. */
#ifdef S_INFINITE
#define S_SAME(T, w)                                                           \
  (((w) & (T)(S_BITS)) > (T)(S_INFINITE) ? (T)(S_BITS)                         \
   : ((w) & (T)(S_BITS)) == (T)(0)       ? (T)(0)                              \
                                         : (w))
#else
#define S_SAME(T, w) (w)
#endif
#define S_DIFFER(v, w) (S_SAME(S_WORD, v) != S_SAME(S_WORD, w))
#define S_NOT(p, j) ((j) > 0 && !S_DIFFER((p)[(j)-1], (p)[j]))
/* Lanes that are not 0 where sixteen elements from j > 0 on count. */
#define S_COUNT(p, j)                                                          \
  (S_SAME(S_LANES, vload16(0, (p) + (j))) ^                                    \
   S_SAME(S_LANES, vload16(0, (p) + (j)-1)))
#else
#if S_PAIR
#define S_NOT(p, j) ((((p)[2 * (j)] | (p)[2 * (j) + 1]) & S_BITS) == 0)
#else
#define S_NOT(p, j) (((p)[j] & (S_WORD)(S_BITS)) == 0)
#endif
#define S_COUNT(p, j) (vload16(0, (p) + (j)) & (S_LANES)(S_BITS))
#endif

/* Whether a lane is not 0. (`any` of narrow lanes takes them one by one on some
 * drivers.) */
#if S_GROUP == 1 && !S_PAIR
static int s_any(const S_LANES v) {
#if S_BYTES == 1
  const ulong2 two = as_ulong2(v);
#else
#if S_BYTES == 2
  const ulong4 four = as_ulong4(v);
#else
#if S_BYTES == 4
  const ulong8 eight = as_ulong8(v);
#else
  const ulong8 eight = v.lo | v.hi;
#endif
  const ulong4 four = eight.lo | eight.hi;
#endif
  const ulong2 two = four.lo | four.hi;
#endif
  return (two.x | two.y) != 0;
}
#endif

#define S_BEGIN                                                                \
  const R_IDX n = (R_IDX)n_, part = (R_IDX)get_group_id(0);                    \
  const R_IDX from = min(n, part * (R_IDX)chunk_);                             \
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);
#define S_SRC                                                                  \
  global const S_WORD *const src = (global const S_WORD *)(src_p + src_o);

#if S_GROUP > 1
#include "sum_before.cl"

/* A piece is eight neighbours, which a work-item loads at once. Work-items
 * beside each other load pieces beside each other. */
#define S_EACH 8
#define S_PIECES (S_RUN / S_EACH) /* of a work-item of a tile */
#if S_BYTES * S_WORDS == 1
typedef ulong s_line;
#else
typedef uint4 s_line;
#endif
#define S_LINES (S_EACH * S_BYTES * S_WORDS / sizeof(s_line))
typedef union s_piece {
  s_line lines[S_LINES];
  S_WORD words[S_EACH * S_WORDS];
} s_piece;

/* Which elements of the piece from j on count, as bits. */
GA_INLINE uint s_bits(const s_piece *p, global const S_WORD *src,
                      const R_IDX j) {
  uint bits = 0;

#if S_RUNS
  bits = j == 0 || S_DIFFER(src[j - 1], p->words[0]);
#pragma unroll
  for (uint u = 1; u < S_EACH; ++u)
    bits |= (uint)S_DIFFER(p->words[u - 1], p->words[u]) << u;
#else
#if S_BYTES * S_WORDS == 1 && defined(__ENDIAN_LITTLE__)
  const ulong low = 0x7f7f7f7f7f7f7f7ful, w = p->lines[0];
  const ulong high = (((w & low) + low) | w) & ~low;
  /* The highest bits of the bytes, moved side by side. */
  bits = (uint)(((high >> 7) * 0x0102040810204080ul) >> 56);
#else
#pragma unroll
  for (uint u = 0; u < S_EACH; ++u)
    bits |= (uint)!S_NOT(p->words, u) << u;
#endif
#endif
  return bits;
}

/* Which elements of a work-item's pieces of a tile count. Pieces are loaded
 * some at a time, or element by element if the tile is not whole or its address
 * does not suit. */
#define S_PIECE_BYTES (S_EACH * S_BYTES * S_WORDS)
#define S_AT_ONCE (S_PIECE_BYTES * S_PIECES <= 64 ? S_PIECES : 1)
GA_INLINE void s_find(uint *bits, global const S_WORD *src, const R_IDX tile,
                      const R_IDX to) {
  const R_IDX first = tile + (R_IDX)get_local_id(0) * S_EACH;

  if (to - tile < S_TILE || (size_t)src % sizeof(s_line) != 0) {
    for (uint i = 0; i < S_PIECES; ++i) {
      const R_IDX j = first + i * S_GROUP * S_EACH;
      bits[i] = 0;
      for (uint u = 0; u < S_EACH; ++u)
        if (j + u < to && !S_NOT(src, j + u))
          bits[i] |= 1u << u;
    }
    return;
  }
#pragma unroll
  for (uint i = 0; i < S_PIECES; i += S_AT_ONCE) {
    s_piece p[S_AT_ONCE];

#pragma unroll
    for (uint k = 0; k < S_AT_ONCE; ++k) {
      const size_t j = first + (i + k) * S_GROUP * S_EACH;
      global const s_line *lines = (global const s_line *)(src + j * S_WORDS);
#pragma unroll
      for (uint q = 0; q < S_LINES; ++q)
        p[k].lines[q] = lines[q];
    }
#pragma unroll
    for (uint k = 0; k < S_AT_ONCE; ++k)
      bits[i + k] = s_bits(&p[k], src, first + (i + k) * S_GROUP * S_EACH);
  }
}

/* The bits of the run that begins with element j. */
GA_INLINE uint s_run(global const uchar *bits, const R_IDX j, const R_IDX to) {
#if S_RUN == 32
  global const uchar4 *const at = (global const uchar4 *)(bits + j / S_EACH);
  const uchar4 four = j < to ? *at : (uchar4)(0);
  return four.x | (uint)four.y << 8 | (uint)four.z << 16 | (uint)four.w << 24;
#else
  return j < to ? bits[j / S_EACH] : 0;
#endif
}

/* Where element k of a list is. Work-items that list whole runs meet different
 * banks. */
#define S_AT(k) ((k) + (k) / 32 * 2)

/* List the elements of the run from `first` on that were found, where `k` were
 * found in the runs before. Every work-item comes here, and to a barrier
 * afterwards. */
GA_INLINE void s_list(local ushort *list, const uint found, const uint first,
                      uint k) {
  for (uint w = found; w != 0; w &= w - 1, ++k)
    list[S_AT(k)] = (ushort)(first + popcount((w & -w) - 1));
}

/* The tiles whose counts are added up at once, 16 bits each. */
#define S_TILES 4
#define S_COUNT_OF(counts, q) ((uint)((counts) >> 16 * (q)) & 0xffff)
#endif

/* Global size: parts of `chunk` elements x S_GROUP. `found`: the bits of all
 * elements, to whole runs. */
kernel void select_count(global const char *src_p, const ulong src_o,
                         global ulong *counts, global uchar *found,
                         const ulong n_, const ulong chunk_) {
  S_BEGIN
  S_SRC
  R_IDX sum = 0, j = from;

#if S_GROUP > 1
  local ulong sums[S_SUMS];
  ulong all;

  for (; j < to; j += S_TILE) {
    uint bits[S_PIECES];
    s_find(bits, src, j, to);
#pragma unroll
    for (uint i = 0; i < S_PIECES; ++i) {
      const R_IDX first = j + (i * S_GROUP + get_local_id(0)) * S_EACH;
      if (first / S_RUN * S_RUN < to)
        found[first / S_EACH] = (uchar)bits[i];
      sum += (R_IDX)popcount(bits[i]);
    }
  }
  s_before(sums, sum, &all);
  if (get_local_id(0) == 0)
    counts[part] = all;
#else
#if S_RUNS
  for (; j == 0 && j < to; ++j)
    ++sum;
#endif
#if !S_PAIR
  /* Lanes of a byte count to 127. */
  while (to - j >= S_BLOCK) {
    const R_IDX end = j + min((to - j) / S_BLOCK, (R_IDX)127) * S_BLOCK;
    S_LANES sums = (S_LANES)(0);

    for (; j < end; j += S_BLOCK)
      sums += min(S_COUNT(src, j), (S_LANES)(1));
    const uint16 wide = convert_uint16(sums);
    const uint8 eight = wide.lo + wide.hi;
    const uint4 four = eight.lo + eight.hi;
    sum += (R_IDX)(four.x + four.y + four.z + four.w);
  }
#endif
  for (; j < to; ++j)
    sum += !S_NOT(src, j);
  counts[part] = sum;
#endif
}

#if S_PARTS == 2
#define S_LOAD(j) vload2(j, x)
#define S_STORE(k, v) vstore2(v, k, dst)
#else
#define S_LOAD(j) x[j]
#define S_STORE(k, v) (dst[k] = (v))
#endif

#if S_COPY
#define S_VALUE(j) S_LOAD(j)
#else
#define S_VALUE(j) ((long)(j))
#endif

#if S_ND > 0
/* The coordinates of position j in row k. */
static void s_put(global long *dst, const R_IDX k, R_IDX j S_SIZES) {
  const ulong sizes[S_ND] = {S_SIZES_LIST};
#pragma unroll
  for (int d = S_ND - 1; d > 0; --d) {
    const R_IDX size = (R_IDX)sizes[d];
    dst[(size_t)k * S_ND + d] = (long)(j % size);
    j /= size;
  }
  dst[(size_t)k * S_ND] = (long)j;
}
#define S_PUT(k, j) s_put(dst, k, j S_SIZES_PASS)
#define S_ROW S_ND
#else
#define S_PUT(k, j) S_STORE(k, S_VALUE(j))
#define S_ROW 1
#endif

#if S_GROUP > 1
/* Put the first `count` elements of a list, those of a tile, into rows from k
 * on. Elements are loaded some at a time. */
#define S_AHEAD (S_COPY ? 8 : 1)
#if S_ND > 0
#define S_PUT_LIST(k, tile, count)                                             \
  for (R_IDX i = me; i < (count); i += S_GROUP)                                \
    S_PUT((k) + i, (tile) + list[S_AT(i)]);
#else
#define S_PUT_LIST(k, tile, count)                                             \
  for (R_IDX i = me; i < (count); i += S_AHEAD * S_GROUP) {                    \
    S_ELEMENT v[S_AHEAD];                                                      \
    _Pragma("unroll") for (uint a = 0; a < S_AHEAD; ++a)                       \
      if (i + a * S_GROUP < (count))                                           \
        v[a] = S_VALUE((tile) + list[S_AT(i + a * S_GROUP)]);                  \
    _Pragma("unroll") for (uint a = 0; a < S_AHEAD; ++a)                       \
      if (i + a * S_GROUP < (count))                                           \
        S_STORE((k) + i + a * S_GROUP, v[a]);                                  \
  }
#endif

/* The sum of all counts, and of those of the parts before. All come here. */
#define S_COUNTS_AHEAD 8
GA_INLINE R_IDX s_sum_counts(local ulong *sums, global const ulong *counts,
                             const R_IDX part, const R_IDX parts, R_IDX *all) {
  ulong before = 0, sum = 0;

  for (R_IDX i = get_local_id(0); i < parts; i += S_COUNTS_AHEAD * S_GROUP) {
    ulong c[S_COUNTS_AHEAD];
#pragma unroll
    for (uint k = 0; k < S_COUNTS_AHEAD; ++k)
      c[k] = i + k * S_GROUP < parts ? counts[i + k * S_GROUP] : 0;
#pragma unroll
    for (uint k = 0; k < S_COUNTS_AHEAD; ++k) {
      sum += c[k];
      before += i + k * S_GROUP < part ? c[k] : 0;
    }
  }
  if (sizeof(R_IDX) == 4) {
    s_before(sums, sum << 32 | before, &before);
    sum = before >> 32;
  } else {
    s_before(sums, before, &before);
    s_before(sums, sum, &sum);
  }
  *all = (R_IDX)sum;
  return (R_IDX)before;
}
#endif

/* Write what belongs to the bytes of `word` that are not 0, the lowest first. */
#define S_FIND(word, first)                                                    \
  for (ulong w = (word); w != 0;) {                                            \
    const uint at = (uint)popcount((w & -w) - 1) / 8;                          \
    S_STORE(k, S_VALUE((first) + at));                                         \
    ++k;                                                                       \
    w &= ~(0xfful << 8 * at);                                                  \
  }

/* The same geometry. `most`: rows that there is memory for. */
kernel void select_write(global const char *src_p, const ulong src_o,
                         global const char *x_p, const ulong x_o,
                         global char *dst_p, const ulong dst_o,
                         global char *total_p, const ulong total_o,
                         global const ulong *counts,
                         global const uchar *bits S_SIZES, const ulong n_,
                         const ulong chunk_, const ulong parts_,
                         const ulong most_, const S_ELEMENT fill) {
  S_BEGIN
  global S_PART *restrict const dst = (global S_PART *)(dst_p + dst_o);
#if S_COPY
  global const S_PART *const x = (global const S_PART *)(x_p + x_o);
#endif
  const R_IDX parts = (R_IDX)parts_, most = (R_IDX)most_;
  R_IDX before = 0, all = 0;

#if S_GROUP > 1
  local ulong sums[S_SUMS];
  local ushort list[S_AT(S_TILE)];
  const uint me = get_local_id(0);

  before = s_sum_counts(sums, counts, part, parts, &all);
  for (R_IDX j = from; j < to && before < most; j += S_TILES * S_TILE) {
    uint found[S_TILES], listed = 0;
    ulong mine = 0, sum;

#pragma unroll
    for (uint q = 0; q < S_TILES; ++q)
      found[q] = s_run(bits, j + q * S_TILE + me * S_RUN, to);
#pragma unroll
    for (uint q = 0; q < S_TILES; ++q)
      mine |= (ulong)popcount(found[q]) << 16 * q;
    const ulong firsts = s_before(sums, mine, &sum);
    uint total = 0;
#pragma unroll
    for (uint q = 0; q < S_TILES; ++q)
      total += S_COUNT_OF(sum, q);
    /* One list for all of the tiles, if that has room. */
#pragma unroll
    for (uint q = 0; q < S_TILES; ++q) {
      s_list(list, found[q], q * S_TILE + me * S_RUN,
             listed + S_COUNT_OF(firsts, q));
      listed += S_COUNT_OF(sum, q);
      if (total <= S_TILE && q < S_TILES - 1)
        continue;
      barrier(CLK_LOCAL_MEM_FENCE);
      const R_IDX count = min((R_IDX)listed, most - min(before, most));
      S_PUT_LIST(before, j, count)
      barrier(CLK_LOCAL_MEM_FENCE);
      before += listed;
      listed = 0;
    }
  }
#else
  S_SRC
  for (R_IDX i = 0; i < parts; ++i) {
    const R_IDX c = (R_IDX)counts[i];
    all += c;
    before += i < part ? c : 0;
  }
  R_IDX k = min(before, most), j = from;
  const R_IDX end = min(before + (R_IDX)counts[part], most);
#if S_RUNS
  for (; j == 0 && k < end; ++j, ++k)
    S_STORE(k, S_VALUE(j));
#endif
#if S_ND == 0 && S_BYTES == 1 && !S_RUNS && defined(__ENDIAN_LITTLE__)
  /* Few bytes that count are found one by one. */
  if ((to - from) / 4 > (R_IDX)counts[part])
    for (; end - k >= S_BLOCK; j += S_BLOCK) {
      const ulong2 two = as_ulong2(vload16(0, src + j));

      S_FIND(two.x, j)
      S_FIND(two.y, j + 8)
    }
#endif
#if S_ND == 0 && !S_PAIR
  while (end - k >= S_BLOCK) {
    if (s_any(S_COUNT(src, j))) {
#pragma unroll
      for (uint u = 0; u < S_BLOCK; ++u) {
        S_STORE(k, S_VALUE(j + u));
        k += !S_NOT(src, j + u);
      }
    }
    j += S_BLOCK;
  }
#endif
#if S_ND == 0
  for (; k < end; ++j) {
    S_STORE(k, S_VALUE(j));
    k += !S_NOT(src, j);
  }
#else
  for (; k < end; ++j)
    if (!S_NOT(src, j)) {
      S_PUT(k, j);
      ++k;
    }
#endif
#endif
#if S_PAD
  const R_IDX used = min(all, most), share = (most - used + parts - 1) / parts;
  const R_IDX start = used + min(most - used, part * share);
  const R_IDX stop = start + min(most - start, share);

  for (size_t i = (size_t)start * S_ROW + get_local_id(0);
       i < (size_t)stop * S_ROW; i += S_GROUP)
    S_STORE(i, fill);
#endif
#if S_TOTAL
  if (part == 0 && get_local_id(0) == 0)
    *(global long *)(total_p + total_o) = (long)all;
#endif
}
