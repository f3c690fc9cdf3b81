/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorting by digits, from the lowest to the highest. For each digit:
 * `sort_count` counts how often each part of a row has it, `sort_scan`
 * (sort_scan.cl) turns counts into the places where parts put their elements,
 * and `sort_move` puts them there. `sort_short` sorts short rows at once.
 * Macros: those of sort_word.cl.
 *
 * Counts are [rows][digits][parts]. */

/* The counts of this work-item's part. */
#define S_COUNT (counts + (size_t)row * S_DIGITS * parts + part)

/* Global size: rows x parts of `chunk` elements, or more. */
kernel void sort_count(S_OPERAND(src), S_SIZES, global R_IDX *counts,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift,
                       const uint how) {
  S_PART
  S_HOW(how)
  global R_IDX *const count = S_COUNT;
  R_IDX sums[S_DIGITS];

  if (row >= n_rows)
    return;
  for (uint d = 0; d < S_DIGITS; ++d)
    sums[d] = 0;
  S_BASE(src, row)
  R_IDX j = from;
#if S_FLAT
  for (; to - j >= S_BLOCK; j += S_BLOCK) {
    S_DIGITS_AHEAD(digit)
    for (uint i = 0; i < S_BLOCK; ++i)
      ++sums[digit[i]];
  }
#endif
  for (; j < to; ++j)
    ++sums[S_DIGIT(S_LOAD(src, j))];
  for (uint d = 0; d < S_DIGITS; ++d)
    count[d * parts] = sums[d];
}

/* Put element j, which has digit d, where the next one with that digit goes. */
#if S_INDICES
#define S_PUT_POSITION(j, k)                                                   \
  S_STORE(long, pos, k,                                                        \
          first ? (long)(j) : *(global const long *)S_AT(at, j));
#else
#define S_PUT_POSITION(j, k)
#endif
#define S_PUT(j, d)                                                            \
  {                                                                            \
    const R_IDX k = place[d]++;                                                \
    S_STORE(S_WORD, dst, k, S_LOAD(src, j));                                   \
    S_PUT_POSITION(j, k)                                                       \
  }

/* The same geometry as sort_count. `first`: positions are not there yet. */
kernel void sort_move(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                      S_OPERAND(pos), S_SIZES, global R_IDX *counts,
                      const ulong n_rows, const ulong n_, const ulong parts_,
                      const ulong chunk_, const uint shift, const uint how,
                      const uint first) {
  S_PART
  S_HOW(how)
  global R_IDX *const count = S_COUNT;
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
  R_IDX j = from;
#if S_FLAT
  for (; to - j >= S_BLOCK; j += S_BLOCK) {
    S_DIGITS_AHEAD(digit)
    for (uint i = 0; i < S_BLOCK; ++i)
      S_PUT(j + i, digit[i])
  }
#endif
  for (; j < to; ++j)
    S_PUT(j, S_DIGIT(S_LOAD(src, j)))
}

/* Global size: rows, or more. Insertion keeps equal elements in order. The
 * elements from `skip` to before `stop` are stored, or their
 * positions, or both. `first`: positions are not there yet. */
kernel void sort_short(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                       S_OPERAND(pos), S_SIZES, const ulong n_rows,
                       const ulong n_, const uint how, const uint first,
                       const uint skip, const uint stop,
                       const uint stores) {
  S_HOW(how)
  const R_IDX row = (R_IDX)get_global_id(0);
  const uint n = (uint)n_;
  S_WORD word[S_MOST], order[S_MOST];
  uint from[S_MOST];

  if (row >= n_rows)
    return;
  S_BASE(src, row)
  for (uint j = 0; j < n; ++j) {
    const S_WORD w = S_LOAD(src, j), o = s_order(w, flip, nan);
    uint k = min(j, stop);

    if (k == stop && order[--k] <= o)
      continue; /* behind all that are stored */
    for (; k > 0 && order[k - 1] > o; --k) {
      order[k] = order[k - 1];
      word[k] = word[k - 1];
      from[k] = from[k - 1];
    }
    order[k] = o;
    word[k] = w;
    from[k] = j;
  }
  if (stores & S_STORE_VALUES) {
    S_BASE(dst, row)
    for (uint j = skip; j < stop; ++j)
      *(global S_WORD *)S_AT(dst, j - skip) = word[j];
  }
  if (stores & S_STORE_POSITIONS) {
    S_BASE(at, row)
    S_BASE(pos, row)
    for (uint j = skip; j < stop; ++j)
      *(global long *)S_AT(pos, j - skip) =
          first ? (long)from[j] : *(global const long *)S_AT(at, from[j]);
  }
}
