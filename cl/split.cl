/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits each row by an element, its pivot: what comes before it in order, what
 * equals it, and what comes after it, each in the order of the row. `split_count`
 * counts the three in each part of a row, sort_scan turns the counts into
 * places, and `split_move` stores elements. Macros: those of sort_word.cl.
 * Counts are [rows][3][parts]. */

#define SPLIT_BEGIN                                                            \
  S_PART                                                                       \
  S_HOW(how)                                                                   \
                                                                               \
  if (row >= n_rows)                                                           \
    return;                                                                    \
  S_BASE(src, row)                                                             \
  S_BASE(pivot, row)                                                           \
  const S_WORD p = s_order(*(global const S_WORD *)pivot, flip, nan);

kernel void split_count(S_OPERAND(src), S_OPERAND(pivot), S_SIZES,
                        global R_IDX *counts, const ulong n_rows,
                        const ulong n_, const ulong parts_, const ulong chunk_,
                        const uint shift, const uint how) {
  SPLIT_BEGIN
  R_IDX less = 0, equal = 0;

  for (R_IDX j = from; j < to; ++j) {
    const S_WORD o = s_order(S_LOAD(src, j), flip, nan);
    less += o < p;
    equal += o == p;
  }
  global R_IDX *const count = counts + (size_t)row * 3 * parts + part;
  count[0] = less;
  count[parts] = equal;
  count[2 * parts] = to - from - less - equal;
}

kernel void split_move(S_OPERAND(src), S_OPERAND(pivot), S_OPERAND(dst),
                       S_OPERAND(pos), S_SIZES, global const R_IDX *places,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift, const uint how,
                       const uint stores) {
  SPLIT_BEGIN
  global const R_IDX *const place = places + (size_t)row * 3 * parts + part;
  R_IDX less = place[0], equal = place[parts], more = place[2 * parts];
  S_BASE(dst, row)
  S_BASE(pos, row)

  for (R_IDX j = from; j < to; ++j) {
    const S_WORD w = S_LOAD(src, j), o = s_order(w, flip, nan);
    const R_IDX k = o < p ? less++ : o == p ? equal++ : more++;

    if (stores & S_STORE_VALUES)
      *(global S_WORD *)S_AT(dst, k) = w;
    if (stores & S_STORE_POSITIONS)
      *(global long *)S_AT(pos, k) = (long)j;
  }
}
