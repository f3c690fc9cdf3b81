/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorting of rows of at most S_GROUP elements on a GPU, whose elements
 * lie one after another. A work-item has one element, and counts those of its
 * row that come before it, in local memory. A group has as many rows as fit.
 * Macros: those of sort_word.cl.
 *
 * The elements from `skip` to before `stop` are stored, or their positions, or
 * both. `first`: positions are not there yet. Global size: rows / (S_GROUP / n)
 * groups, or more. */
kernel void sort_rank(S_OPERAND(src), S_OPERAND(at), S_OPERAND(dst),
                      S_OPERAND(pos), S_SIZES, const ulong n_rows,
                      const ulong n_, const uint how, const uint first,
                      const uint skip, const uint stop, const uint stores) {
  local S_WORD order[S_GROUP];
  S_HOW(how)
  const uint me = (uint)get_local_id(0), n = (uint)n_, rows = S_GROUP / n;
  const uint mine = me / n, from = mine * n, j = me - from;
  const R_IDX row = (R_IDX)get_group_id(0) * rows + mine;
  const int is_there = mine < rows && row < n_rows;
  S_WORD w = 0, o = 0;
  uint rank = 0;

  if (is_there) {
    S_BASE(src, row)
    w = S_LOAD(src, j);
    o = s_order(w, flip, nan);
  }
  order[me] = o;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_there)
    return;
#pragma unroll 8
  for (uint k = 0; k < n; ++k) {
    const S_WORD other = order[from + k];
    rank += k < j ? other <= o : other < o;
  }
  if (rank < skip || rank >= stop)
    return;
  if (stores & S_STORE_VALUES) {
    S_BASE(dst, row)
    S_STORE(S_WORD, dst, rank - skip, w);
  }
  if (stores & S_STORE_POSITIONS) {
    S_BASE(at, row)
    S_BASE(pos, row)
    S_STORE(long, pos, rank - skip, first ? (long)j : S_FETCH(long, at, j));
  }
}
