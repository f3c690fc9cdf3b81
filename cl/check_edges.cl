/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports where rows of edges decrease: the bits of the edge and of the one
 * before it in place of an index and a size, and the edge's position. Macros:
 * those of sort_word.cl. Parts are of pairs of neighbours, n_ in a row. Global
 * size: rows x parts, or more. */
#include "index_guard.cl"

kernel void check_edges(S_OPERAND(edge), S_SIZES, const ulong rows_,
                        const ulong n_, const ulong parts_, const ulong chunk_,
                        GA_GUARD_PARAMS) {
  S_PART
  S_HOW(0)

  if (ga_guard != 0 && row < (R_IDX)rows_) {
    S_BASE(edge, row)
    S_WORD before = *(global const S_WORD *)S_AT(edge, from);

    for (R_IDX j = from + 1; j <= to; ++j) {
      const S_WORD after = *(global const S_WORD *)S_AT(edge, j);
      if (s_order(after, flip, nan) < s_order(before, flip, nan))
        ga_report_index(ga_guard, ga_who, (long)after, before,
                        (ulong)row * (n_ + 1) + j);
      before = after;
    }
  }
}
