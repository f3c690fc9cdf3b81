/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices on a CPU, where the next index is nearer in
 * memory than the next column: a work-item owns whole columns of `a`, one after
 * the other, or a range of their rows. Macros beside those of put_index.cl:
 *
 *   #define P_STEP(k)          declares where index number k and its values
 *                              are: qv, qi
 *
 * Every block of indices asks for `ahead` bytes of the next column. Global
 * size: n_lines x len / per, or more, x ranges of `span` rows. */
kernel void put_column(P_PARAMS, const ulong n_lines, const ulong len_,
                       const ulong per, const ulong ahead, const ulong n_k_,
                       const ulong span) {
  const P_IDX len = (P_IDX)len_, n_k = (P_IDX)n_k_;
  const P_IDX columns = (P_IDX)n_lines * len;
  const P_NUMBER low = (P_NUMBER)(get_global_id(1) * span);
  const P_NUMBER high = (P_NUMBER)min(rows, (ulong)low + span);
  P_IDX column = (P_IDX)get_global_id(0) * (P_IDX)per;
  const P_IDX last = min(columns, column + (P_IDX)per);

  for (; column < last; ++column) {
    const P_IDX j = column % len;
    P_BASES(column / len)
    global char *const qa = pa + P_A(j);
    global char *next = qa + P_NEXT;

    for (P_IDX at = 0; at < n_k; at += P_BLOCK) {
      const uint n = min((P_IDX)P_BLOCK, n_k - at);
      P_NUMBER row[P_BLOCK];
      int beyond = 0;

      P_FETCH(next, ahead)
      for (uint k = 0; k < n; ++k) {
        P_STEP(at + k)
        const P_NUMBER r = P_ROW(qi + P_I(j));
        row[k] = r >= low && r < high ? r : -1;
        beyond |= r < 0;
      }
      for (uint k = 0; beyond && ga_guard != 0 && k < n; ++k) {
        P_STEP(at + k)
        P_CHECK(qi + P_I(j))
      }
#pragma clang loop vectorize(disable)
      for (uint k = 0; k < n; ++k) {
        P_STEP(at + k)
        if (row[k] >= 0)
          P_DO(qa + row[k] * stride, qv + P_V(j))
      }
    }
  }
}
