/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the edges before each element, by bisection. Rows are elements here;
 * each has its own row of edges. Macros: those of sort_word.cl. Global size:
 * rows / chunk, or more. `right`: edges that equal the element count, too. */
kernel void search(S_OPERAND(edge), S_OPERAND(src), S_OPERAND(dst), S_SIZES,
                   const ulong n_rows, const ulong n, const ulong chunk,
                   const uint right) {
  const R_IDX rows = (R_IDX)n_rows;
  const R_IDX from = min(rows, (R_IDX)get_global_id(0) * (R_IDX)chunk);
  const R_IDX to = from + min(rows - from, (R_IDX)chunk);
  S_HOW(0)

  for (R_IDX row = from; row < to; row += S_LANES) {
    const R_IDX lanes = min(to - row, (R_IDX)S_LANES);
    global const char *edges[S_LANES];
    S_WORD o[S_LANES];
    R_IDX first[S_LANES];

    for (R_IDX i = 0; i < S_LANES; ++i) {
      const R_IDX at = row + min(i, lanes - 1);
      S_BASE(src, at)
      S_BASE(edge, at)
      o[i] = s_order(S_LOAD(src, 0), flip, nan);
      edges[i] = edge;
    }
    s_bisect(edges, edge_a, (R_IDX)n, o, right, flip, nan, first);
    for (R_IDX i = 0; i < lanes; ++i) {
      S_BASE(dst, row + i)
      *(global long *)S_AT(dst, 0) = (long)first[i];
    }
  }
}
