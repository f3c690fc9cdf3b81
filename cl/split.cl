/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits rows, with a work-item for each part of a row. */
#include "split_class.cl"

kernel void split_count(S_OPERAND(src), S_OPERAND(pivot), S_SIZES,
                        global R_IDX *counts, const ulong n_rows,
                        const ulong n_, const ulong parts_, const ulong chunk_,
                        const uint shift, const uint how) {
  S_PART
  R_IDX sums[SPLIT_CLASSES];

  if (row >= n_rows)
    return;
  SPLIT_BEGIN
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    sums[c] = 0;
  for (R_IDX j = from; j < to; ++j) {
    const uint mine = split_class(s_order(S_LOAD(src, j), flip, nan), pivots);

    SPLIT_COUNT(sums, mine);
  }
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    SPLIT_OF_PART(counts)[c * parts] = sums[c];
}

kernel void split_move(S_OPERAND(src), S_OPERAND(pivot), S_OPERAND(dst),
                       S_OPERAND(pos), S_SIZES, global const R_IDX *places,
                       const ulong n_rows, const ulong n_, const ulong parts_,
                       const ulong chunk_, const uint shift, const uint how,
                       const uint stores) {
  S_PART
  R_IDX next[SPLIT_CLASSES];

  if (row >= n_rows)
    return;
  SPLIT_BEGIN
  S_BASE(dst, row)
  S_BASE(pos, row)
  for (uint c = 0; c < SPLIT_CLASSES; ++c)
    next[c] = SPLIT_OF_PART(places)[c * parts];
  for (R_IDX j = from; j < to; ++j) {
    const S_WORD w = S_LOAD(src, j);
    const R_IDX k = next[split_class(s_order(w, flip, nan), pivots)]++;

    if (stores & S_STORE_VALUES)
      *(global S_WORD *)S_AT(dst, k) = w;
    if (stores & S_STORE_POSITIONS)
      *(global long *)S_AT(pos, k) = (long)j;
  }
}
