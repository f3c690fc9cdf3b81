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

  for (R_IDX row = from; row < to; ++row) {
    S_BASE(edge, row)
    S_BASE(src, row)
    S_BASE(dst, row)
    const S_WORD o = s_order(S_LOAD(src, 0), flip, nan);
    const R_IDX first = s_bisect(edge, edge_a, (R_IDX)n, o, right, flip, nan);

    *(global long *)S_AT(dst, 0) = (long)first;
  }
}
