/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices: a work-item owns some columns of `a` and
 * a range of its rows, goes through all indices and does those of its range.
 * What owns an element does all that happens to it, so the order is that of
 * the indices. Macros beside those of put_index.cl:
 *
 *   #define P_STEP(k)          declares where index number k and its values
 *                              are: qv, qi
 *
 * A line is one setting of all columns' dimensions but the innermost, which has
 * `len` elements and is cut in `strips` of `strip`. Global size: lines x strips
 * / per, or more, x ranges of `span` rows. */
kernel void put_order(P_PARAMS, const ulong n_lines, const ulong len_,
                      const ulong strips_, const ulong strip_, const ulong per,
                      const ulong n_k_, const ulong span) {
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
      global char *const qa = pa + r * stride;
      if (r >= low && r < high) {
        for (P_IDX j = from; j < to; ++j)
          P_DO(qa + P_A(j), qv + P_V(j))
      }
#else
      for (P_IDX j = from; j < to; ++j) {
        const P_NUMBER r = P_ROW(qi + P_I(j));
        if (r >= low && r < high)
          P_DO(pa + r * stride + P_A(j), qv + P_V(j))
      }
#endif
    }
  }
}
