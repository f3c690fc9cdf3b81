/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection of the elements that are not 0, in order. `select_count` counts
 * them in each part of the elements, `select_write` writes their positions, or
 * the elements of another array at these positions, from where the parts before
 * end. Macros, here for a mask of bools that selects floats:
 *
 *   #define R_IDX uint       index type, large enough for all counts
 *   #define S_WORD uchar     the bits of an element of the mask
 *   #define S_LANES uchar16  sixteen of them
 *   #define S_BITS 0xff      the bits that are not 0 in an element that counts
 *   #define S_BYTES 1        of a word
 *   #define S_PAIR 0         1: an element has two words, those of its parts
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
 * beyond the part's own rows. Else the group counts tile by tile. */
#define S_BLOCK 16
#define S_TILE (S_GROUP * S_RUN)

#if S_PAIR
#define S_NOT(p, j) ((((p)[2 * (j)] | (p)[2 * (j) + 1]) & S_BITS) == 0)
#else
#define S_NOT(p, j) (((p)[j] & (S_WORD)(S_BITS)) == 0)
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
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);                        \
  global const S_WORD *const src = (global const S_WORD *)(src_p + src_o);

#if S_GROUP > 1
/* The sum of `c` over the work-items before this one; *all: over all of them.
 * Every work-item of the group comes here. Each adds up the sums of rows of
 * S_ROW_ITEMS before its own, and those before it in its row. */
#define S_ROW_ITEMS (S_GROUP < 16 ? S_GROUP : 16)
#define S_SUMS (S_GROUP + S_GROUP / S_ROW_ITEMS)

GA_INLINE R_IDX s_before(local R_IDX *sums, const R_IDX c, R_IDX *all) {
  const uint me = get_local_id(0), row = me / S_ROW_ITEMS;
  R_IDX sum = 0, total = 0;

  sums[me] = c;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < S_GROUP / S_ROW_ITEMS) {
    for (uint k = 0; k < S_ROW_ITEMS; ++k)
      sum += sums[me * S_ROW_ITEMS + k];
    sums[S_GROUP + me] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint k = 0; k < S_GROUP / S_ROW_ITEMS; ++k) {
    sum += k < row ? sums[S_GROUP + k] : 0;
    total += sums[S_GROUP + k];
  }
  for (uint k = row * S_ROW_ITEMS; k < me; ++k)
    sum += sums[k];
  *all = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

/* Which of 8 neighbours are not 0, as bits. Those at the end are alone. */
static uint s_found_8(global const S_WORD *src, const R_IDX first,
                      const R_IDX to) {
  uint found = 0;

#if S_BYTES == 1 && !S_PAIR && defined(__ENDIAN_LITTLE__)
  if (to >= 8 && first <= to - 8 && (ulong)(src + first) % 8 == 0) {
    const ulong low = 0x7f7f7f7f7f7f7f7ful;
    const ulong w = *(global const ulong *)(src + first);
    const ulong high = (((w & low) + low) | w) & ~low;
    /* The highest bits of the bytes, moved side by side. */
    return (uint)(((high >> 7) * 0x0102040810204080ul) >> 56);
  }
#endif
  for (uint u = 0; u < 8; ++u)
    if (first + u < to && !S_NOT(src, first + u))
      found |= 1u << u;
  return found;
}

/* The same for the run of a work-item. */
GA_INLINE uint s_found(global const S_WORD *src, const R_IDX first,
                       const R_IDX to) {
  uint found = 0;

#pragma unroll
  for (uint u = 0; u < S_RUN; u += 8)
    found |= s_found_8(src, first + u, to) << u;
  return found;
}

/* List the elements of a tile that were found, where `k` were found in the runs
 * before. Every work-item comes here, and to a barrier afterwards. */
GA_INLINE void s_list(local ushort *list, const uint found, uint k) {
  for (uint w = found; w != 0; w &= w - 1)
    list[k++] =
        (ushort)(get_local_id(0) * S_RUN + popcount((w & -w) - 1));
}
#endif

/* Global size: parts of `chunk` elements x S_GROUP. */
kernel void select_count(global const char *src_p, const ulong src_o,
                         global ulong *counts, const ulong n_,
                         const ulong chunk_) {
  S_BEGIN
  R_IDX sum = 0, j = from;

#if S_GROUP > 1
  local R_IDX sums[S_SUMS];
  R_IDX all;

  for (j += (R_IDX)get_local_id(0) * S_RUN; j < to; j += S_TILE)
    sum += (R_IDX)popcount(s_found(src, j, to));
  s_before(sums, sum, &all);
  if (get_local_id(0) == 0)
    counts[part] = all;
#else
#if !S_PAIR
  /* Lanes of a byte count to 127. */
  while (to - j >= S_BLOCK) {
    const R_IDX end = j + min((to - j) / S_BLOCK, (R_IDX)127) * S_BLOCK;
    S_LANES found = (S_LANES)(0);

    for (; j < end; j += S_BLOCK)
      found += min(vload16(0, src + j) & (S_LANES)(S_BITS), (S_LANES)(1));
    const uint16 wide = convert_uint16(found);
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

/* Write what belongs to the bytes of `word` that are not 0, the lowest first. */
#define S_FIND(word, first)                                                    \
  for (ulong w = (word); w != 0;) {                                            \
    const uint at = (uint)popcount((w & -w) - 1) / 8;                          \
    S_STORE(k, S_VALUE((first) + at));                                         \
    ++k;                                                                       \
    w &= ~(0xfful << 8 * at);                                                  \
  }

/* What both kernels that write have in common. `most`: rows that there is memory
 * for. */
#define S_OPERANDS                                                             \
  global const char *src_p, const ulong src_o, global const char *x_p,         \
      const ulong x_o, global char *dst_p, const ulong dst_o,                  \
      global char *total_p, const ulong total_o
#define S_NUMBERS                                                              \
  const ulong n_, const ulong chunk_, const ulong parts_, const ulong most_,   \
      const S_ELEMENT fill
#if S_COPY
#define S_FROM global const S_PART *const x = (global const S_PART *)(x_p + x_o);
#else
#define S_FROM
#endif

/* The same geometry. */
kernel void select_write(S_OPERANDS, global const ulong *counts S_SIZES,
                         S_NUMBERS) {
  S_BEGIN
  global S_PART *restrict const dst = (global S_PART *)(dst_p + dst_o);
  S_FROM
  const R_IDX parts = (R_IDX)parts_, most = (R_IDX)most_;
  R_IDX before = 0, all = 0;

#if S_GROUP > 1
  local R_IDX sums[S_SUMS];
  local ushort list[S_TILE];
  const uint me = get_local_id(0);

  for (R_IDX i = me; i < parts; i += S_GROUP) {
    const R_IDX c = (R_IDX)counts[i];
    all += c;
    before += i < part ? c : 0;
  }
  s_before(sums, before, &before);
  s_before(sums, all, &all);
  for (R_IDX tile = from; tile < to && before < most; tile += S_TILE) {
    const uint found = s_found(src, tile + me * S_RUN, to);
    R_IDX sum;

    s_list(list, found, (uint)s_before(sums, (R_IDX)popcount(found), &sum));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (R_IDX i = me; i < min(sum, most - before); i += S_GROUP)
      S_PUT(before + i, tile + list[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    before += sum;
  }
#else
  for (R_IDX i = 0; i < parts; ++i) {
    const R_IDX c = (R_IDX)counts[i];
    all += c;
    before += i < part ? c : 0;
  }
  R_IDX k = min(before, most), j = from;
  const R_IDX end = min(before + (R_IDX)counts[part], most);
#if S_ND == 0 && S_BYTES == 1 && defined(__ENDIAN_LITTLE__)
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
    if (s_any(vload16(0, src + j) & (S_LANES)(S_BITS))) {
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
