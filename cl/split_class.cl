/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows are split by some of their elements, the pivots: what comes before the
 * first of them in order, what equals it, what lies between it and the next
 * one, and so on. Each of these classes is in the order of the row. One kernel
 * counts them in each part of a row, sort_scan turns the counts into places,
 * and another kernel moves the elements: split.cl has a work-item for each
 * part, split_tile.cl a group. Macros: those of sort_word.cl, and
 *
 *   #define S_PIVOTS 1
 *
 * Pivots are [rows][S_PIVOTS], in any order, counts [rows][classes][parts]. */
#define SPLIT_CLASSES (2 * S_PIVOTS + 1)

#define SPLIT_BEGIN                                                            \
  S_HOW(how)                                                                   \
  S_WORD pivots[S_PIVOTS];                                                     \
  S_BASE(src, row)                                                             \
  S_BASE(pivot, row)                                                           \
  for (uint i = 0; i < S_PIVOTS; ++i)                                          \
    pivots[i] =                                                                \
        s_order(*(global const S_WORD *)S_AT(pivot, i), flip, nan);

/* The class of an element with the number o: how many pivots are smaller, and
 * how many are not larger, together. */
GA_INLINE uint split_class(const S_WORD o, const S_WORD *pivots) {
  uint c = 0;

#pragma unroll
  for (uint i = 0; i < S_PIVOTS; ++i)
    c += (uint)(o >= pivots[i]) + (uint)(o > pivots[i]);
  return c;
}

/* Add 1 to the count of class c, in a loop whose indices are constants. */
#define SPLIT_COUNT(sums, c)                                                   \
  _Pragma("unroll") for (uint c_ = 0; c_ < SPLIT_CLASSES; ++c_)                \
      (sums)[c_] += (c) == c_

/* The counts of a part, or their places: class c is in element c * parts. */
#define SPLIT_OF_PART(counts)                                                  \
  ((counts) + (size_t)row * SPLIT_CLASSES * parts + part)
