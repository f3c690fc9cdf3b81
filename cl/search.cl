/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the edges before each element. Rows are elements here; each has its own
 * row of edges, or all have the same one (edges.cl). Macros: those of
 * sort_word.cl and edges.cl. Each work-item has `chunk` elements. `right`: edges
 * that equal the element count, too. */
#define S_LANES (S_GROUP == 1 ? 16 : E_MOST > 0 ? 8 : 1)
#include "edges.cl"

#if S_FLAT
#define SEARCH_STORE(i)                                                        \
  ((global long *)(dst_p + dst_o))[row + i * S_GROUP] = (long)pos[i];
#else
#define SEARCH_STORE(i)                                                        \
  {                                                                            \
    S_BASE(dst, row + i * S_GROUP)                                             \
    *(global long *)S_AT(dst, 0) = (long)pos[i];                               \
  }
#endif

kernel void search(S_OPERAND(edge), S_OPERAND(src), S_OPERAND(dst), S_SIZES,
                   const ulong n_rows, const ulong n, const ulong chunk,
                   const uint right) {
  const R_IDX rows = (R_IDX)n_rows, all = (R_IDX)chunk * S_GROUP;
  const R_IDX from = min(rows, (R_IDX)get_group_id(0) * all);
  const R_IDX to = from + min(rows - from, all);
  const R_IDX me = (R_IDX)get_local_id(0);
  S_HOW(0)

  E_BEGIN(n)
  for (R_IDX row = from + me; row < to; row += S_GROUP * S_LANES) {
    const R_IDX lanes = E_LANES(row, to);
    S_WORD w[S_LANES], o[S_LANES];
    R_IDX pos[S_LANES];

    E_LOAD_LANES(S_WORD, w, src, row, lanes)
    if (!E_BETWEEN(n, 1, w, pos)) {
      for (uint i = 0; i < S_LANES; ++i)
        o[i] = s_order(w[i], flip, nan);
      E_FIND(row, lanes, n, w, o, right, pos)
    }
    if (lanes == S_LANES) {
      for (uint i = 0; i < S_LANES; ++i)
        SEARCH_STORE(i)
    } else {
#pragma unroll
      for (uint i = 0; i < S_LANES; ++i)
        if (i < lanes)
          SEARCH_STORE(i)
    }
  }
}
