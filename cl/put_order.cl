/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices: a work-item owns some columns of `a` and
 * a range of its rows, goes through all indices and does those of its range.
 * What owns an element does all that happens to it, so the order is that of
 * the indices. Macros beside those of put_index.cl:
 *
 *   #define P_STEP(k)          declares where index number k and its values
 *                              are: qv, qi
 *   #define P_AHEAD 1          1: a CPU and lines without gaps: with each block
 *                              goes a request for that of the index `ahead`
 *                              later, as neither strips nor rows follow each
 *                              other in memory
 *
 * A line is one setting of all columns' dimensions but the innermost, which has
 * `len` elements and is cut in `strips` of `strip`. Global size: lines x strips
 * / per, or more, x ranges of `span` rows. */
kernel void put_order(P_PARAMS, const ulong n_lines, const ulong len_,
                      const ulong strips_, const ulong strip_, const ulong per,
                      const ulong n_k_, const ulong span, const ulong ahead) {
  const P_IDX len = (P_IDX)len_, strips = (P_IDX)strips_, n_k = (P_IDX)n_k_;
  const P_IDX units = (P_IDX)n_lines * strips;
  const long low = (long)(get_global_id(1) * span);
  const long high = (long)min(rows, (ulong)low + span);
  P_IDX unit = (P_IDX)get_global_id(0) * (P_IDX)per;
  const P_IDX last = min(units, unit + (P_IDX)per);

  for (; unit < last; ++unit) {
    const P_IDX from = unit % strips * (P_IDX)strip_;
    const P_IDX to = min(len, from + (P_IDX)strip_);
    P_BASES(unit / strips)

    for (P_IDX k = 0; k < n_k; ++k) {
      P_STEP(k)
#if P_FIXED
      const P_NUMBER r = P_ROW(qi);
      const int is_mine = r >= low && r < high;
      P_CHECK(qi)
      global char *const qa = pa + r * stride;
#if P_AHEAD
      global char *next_a, *next_v;
      int is_next;
      {
        P_STEP(min(k + (P_IDX)ahead, n_k - 1))
        const P_NUMBER next = P_ROW(qi);
        is_next = next >= low && next < high;
        next_a = pa + next * stride + P_A(from);
        next_v = qv + P_V(from);
      }
      for (P_IDX j = from; j < to; j += P_BLOCK) {
        const uint n = min((P_IDX)P_BLOCK, to - j);

        if (is_next) {
          P_FETCH(next_v, n * sizeof(P_VALUE))
          P_FETCH(next_a, n * sizeof(P_WORD))
        }
        if (is_mine && n == P_BLOCK) { /* vectors without a tail */
          for (uint u = 0; u < P_BLOCK; ++u)
            P_DO(qa + P_A(j + u), qv + P_V(j + u))
        } else if (is_mine) {
          for (uint u = 0; u < n; ++u)
            P_DO(qa + P_A(j + u), qv + P_V(j + u))
        }
      }
#else
      if (is_mine) {
        for (P_IDX j = from; j < to; ++j)
          P_DO(qa + P_A(j), qv + P_V(j))
      }
#endif
#else
      for (P_IDX j = from; j < to; ++j) {
        const P_NUMBER r = P_ROW(qi + P_I(j));
        P_CHECK(qi + P_I(j))
        if (r >= low && r < high)
          P_DO(pa + r * stride + P_A(j), qv + P_V(j))
      }
#endif
    }
  }
}
