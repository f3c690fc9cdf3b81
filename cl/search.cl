/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the edges before each element. Rows are elements here; each has its own
 * row of edges, or all have the same one (edges.cl). Macros: those of
 * sort_word.cl and edges.cl. Each work-item has `chunk` elements. `right`: edges
 * that equal the element count, too. */
#include "edges.cl"

kernel void search(S_OPERAND(edge), S_OPERAND(src), S_OPERAND(dst), S_SIZES,
                   const ulong n_rows, const ulong n, const ulong chunk,
                   const uint right) {
  const R_IDX rows = (R_IDX)n_rows, all = (R_IDX)chunk * S_GROUP;
  const R_IDX from = min(rows, (R_IDX)get_group_id(0) * all);
  const R_IDX to = from + min(rows - from, all);
  const R_IDX me = (R_IDX)get_local_id(0) * S_LANES;
  S_HOW(0)

  E_BEGIN(n)
  for (R_IDX row = from + me; row < to; row += S_GROUP * S_LANES) {
    const R_IDX lanes = min(to - row, (R_IDX)S_LANES);
    S_WORD w[S_LANES], o[S_LANES];
    R_IDX pos[S_LANES];

    E_LOAD_LANES(S_WORD, w, src, row, lanes)
    for (uint i = 0; i < S_LANES; ++i)
      o[i] = s_order(w[i], flip, nan);
    E_FIND(row, lanes, n, w, o, right, pos)
    for (R_IDX i = 0; i < lanes; ++i) {
#if S_FLAT
      ((global long *)(dst_p + dst_o))[row + i] = (long)pos[i];
#else
      S_BASE(dst, row + i)
      *(global long *)S_AT(dst, 0) = (long)pos[i];
#endif
    }
  }
}
