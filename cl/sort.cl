/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorting by digits, from the lowest to the highest. For each digit:
 * `sort_count` counts how often each part of a row has it, `sort_scan` turns
 * counts into the places where parts put their elements, and `sort_move` puts
 * them there. Elements move as they are; what is compared is worked out from
 * them each time, so that -0 stays -0. `sort_short` sorts short rows at once.
 * Macros, here for floats:
 *
 *   #define R_IDX uint         index type, large enough for all counts
 *   #define S_WORD uint        the bits of an element
 *   #define S_TOP 0x80000000   its highest bit
 *   #define S_INFINITE 0x7f800000  for floats: the bits of infinity
 *   #define S_SIGNED 0         1: a signed integer
 *   #define S_DESCENDING 0
 *   #define S_DIGIT_BITS 8
 *   #define S_VALUES 1         1: short rows: store values,
 *   #define S_INDICES 1        and positions; else: positions move along
 *   #define S_MOST 32          elements of a short row
 *   #define S_GROUP 1          work-items that scan the counts of a row
 *   #define S_SIZES            ulong s_n0, ...
 *   #define S_OPERAND(x)       global char *x##_p, ulong x##_o, long x##_k0,
 *                              ..., long x##_a
 *   #define S_BASE(x, o)       declares x, where row o of operand x begins
 *
 * Counts are [rows][digits][parts]. */
#define S_DIGITS (1 << S_DIGIT_BITS)

/* What orders elements as an unsigned number. */
static S_WORD s_order(S_WORD w) {
#ifdef S_INFINITE
  const S_WORD size = w & (S_WORD)~S_TOP;

  if (size > (S_WORD)S_INFINITE)
    return (S_WORD)~(S_WORD)0;
  w = size == 0 ? (S_WORD)S_TOP
                : (S_WORD)((w & (S_WORD)S_TOP) ? ~w : w | (S_WORD)S_TOP);
#elif S_SIGNED
  w ^= (S_WORD)S_TOP;
#endif
  return S_DESCENDING ? (S_WORD)~w : w;
}

#define S_AT(x, j) (x + (long)(j) * x##_a)
#define S_LOAD(x, j) (*(global const S_WORD *)S_AT(x, j))
#define S_DIGIT(w) ((uint)(s_order(w) >> shift) & (S_DIGITS - 1))

/* The part of work-item number `id`. */
#define S_PART                                                                 \
  const R_IDX id = (R_IDX)get_global_id(0), parts = (R_IDX)parts_;             \
  const R_IDX n = (R_IDX)n_, row = id / parts, part = id % parts;              \
  const R_IDX from = min(n, part * (R_IDX)chunk_);                             \
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);                        \
  global R_IDX *const count = counts + (size_t)row * S_DIGITS * parts + part;

/* Global size: rows x parts of `chunk` elements, or more. */
kernel void sort_count(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift) {
  S_PART
  R_IDX sums[S_DIGITS];

  if (row >= n_rows)
    return;
  for (uint d = 0; d < S_DIGITS; ++d)
    sums[d] = 0;
  S_BASE(src, row)
  for (R_IDX j = from; j < to; ++j)
    ++sums[S_DIGIT(S_LOAD(src, j))];
  for (uint d = 0; d < S_DIGITS; ++d)
    count[d * parts] = sums[d];
}

/* Global size: rows x S_GROUP. */
kernel void sort_scan(global R_IDX *counts, const ulong parts_) {
  const R_IDX all = (R_IDX)parts_ * S_DIGITS;
  global R_IDX *const count = counts + (size_t)get_group_id(0) * all;
  const R_IDX share = (all + (S_GROUP - 1)) / S_GROUP;
  const R_IDX from = min(all, (R_IDX)get_local_id(0) * share);
  const R_IDX to = from + min(all - from, share);
  R_IDX sum = 0;

#if S_GROUP > 1
  local R_IDX sums[S_GROUP];

  for (R_IDX i = from; i < to; ++i)
    sum += count[i];
  sums[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint k = 0; k < get_local_id(0); ++k)
    sum += sums[k];
#endif
  for (R_IDX i = from; i < to; ++i) {
    const R_IDX c = count[i];
    count[i] = sum;
    sum += c;
  }
}

/* The same geometry as sort_count. `first`: positions are not there yet. */
kernel void sort_move(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                      S_OPERAND(pos), S_SIZES, global R_IDX *counts,
                      const ulong n_rows, const ulong n_, const ulong parts_,
                      const ulong chunk_, const uint shift, const uint first) {
  S_PART
  R_IDX place[S_DIGITS];

  if (row >= n_rows)
    return;
  for (uint d = 0; d < S_DIGITS; ++d)
    place[d] = count[d * parts];
  S_BASE(src, row)
  S_BASE(dst, row)
#if S_INDICES
  S_BASE(at, row)
  S_BASE(pos, row)
#endif
  for (R_IDX j = from; j < to; ++j) {
    const S_WORD w = S_LOAD(src, j);
    const R_IDX k = place[S_DIGIT(w)]++;
    *(global S_WORD *)S_AT(dst, k) = w;
#if S_INDICES
    *(global long *)S_AT(pos, k) =
        first ? (long)j : *(global const long *)S_AT(at, j);
#endif
  }
}

/* Global size: rows, or more. Insertion keeps equal elements in order. */
kernel void sort_short(S_OPERAND(src), S_OPERAND(dst), S_OPERAND(pos), S_SIZES,
                       const ulong n_rows, const ulong n_) {
  const R_IDX row = (R_IDX)get_global_id(0);
  const uint n = (uint)n_;
  S_WORD word[S_MOST], order[S_MOST];
  uint from[S_MOST];

  if (row >= n_rows)
    return;
  S_BASE(src, row)
  for (uint j = 0; j < n; ++j) {
    const S_WORD w = S_LOAD(src, j), o = s_order(w);
    uint k = j;

    for (; k > 0 && order[k - 1] > o; --k) {
      order[k] = order[k - 1];
      word[k] = word[k - 1];
      from[k] = from[k - 1];
    }
    order[k] = o;
    word[k] = w;
    from[k] = j;
  }
#if S_VALUES
  S_BASE(dst, row)
  for (uint j = 0; j < n; ++j)
    *(global S_WORD *)S_AT(dst, j) = word[j];
#endif
#if S_INDICES
  S_BASE(pos, row)
  for (uint j = 0; j < n; ++j)
    *(global long *)S_AT(pos, j) = (long)from[j];
#endif
}
