/* SPDX-License-Identifier: BSD-2-Clause */
/* One move per index and element, in no order. Macros beside those of
 * put_index.cl:
 *
 *   #define P_PART 4           on a GPU: moves of a work-item, in one line;
 *                              0 on a CPU
 *
 * There are n_lines lines of `len` elements; `segs` work-items share a line, or
 * on a GPU a strip of it, P_PART times as long: strips of all lines come before
 * the next strips, so that what is gathered from neighbouring columns stays in
 * the cache. A work-item of a GPU reads all its indices before it moves
 * anything, which hides their latency. On a CPU each does `part` neighbouring elements, of `per` lines, and
 * every block asks for `ahead` bytes of the rows of the next line. Global size:
 * segs x (n_lines / per), or strips x n_lines x segs, or more. */
kernel void put_each(P_PARAMS, const ulong n_lines, const ulong len_,
                     const ulong segs_, const ulong part_, const ulong per,
                     const ulong ahead) {
  const P_IDX id = (P_IDX)get_global_id(0);
  const P_IDX len = (P_IDX)len_, segs = (P_IDX)segs_;
#if P_PART
  const P_IDX strip = segs * (P_IDX)n_lines, line = id % strip / segs;
  const P_IDX first = id / strip * segs * P_PART + id % segs;

  if (first < len) {
    P_BASES(line)
#if P_FIXED
    const P_NUMBER r = P_ROW(pi);
    P_CHECK(pi)
    if (r < 0)
      return;
#pragma unroll
    for (uint u = 0; u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len)
        P_DO(pa + r * stride + P_A(j), pv + P_V(j))
    }
#else
    P_NUMBER row[P_PART];

#pragma unroll
    for (uint u = 0; u < P_PART; ++u)
      row[u] = P_ROW(pi + P_I(min(first + u * segs, len - 1)));
    for (uint u = 0; ga_guard != 0 && u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len)
        P_CHECK(pi + P_I(j))
    }
#pragma unroll
    for (uint u = 0; u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len && (P_CLAMP || row[u] >= 0))
        P_DO(pa + row[u] * stride + P_A(j), pv + P_V(j))
    }
#endif
  }
#else
  const P_IDX from = id % segs * (P_IDX)part_;
  const P_IDX to = min(len, from + (P_IDX)part_);
  P_IDX line = id / segs * (P_IDX)per;
  const P_IDX last = min((P_IDX)n_lines, line + (P_IDX)per);

  for (; line < last; ++line) {
    P_BASES(line)
#if P_FIXED
    const P_NUMBER r = P_ROW(pi);
    P_CHECK(pi)
    global char *const qa = pa + r * stride;
    if (r >= 0) {
      for (P_IDX j = from; j < to; ++j)
        P_DO(qa + P_A(j), pv + P_V(j))
    }
#else
    global char *next = pa + P_NEXT;

    for (P_IDX at = from; at < to; at += P_BLOCK) {
      const uint n = min((P_IDX)P_BLOCK, to - at);
      P_NUMBER row[P_BLOCK];

      P_FETCH(next, ahead)
      if (ga_guard == 0) {
        for (uint k = 0; k < n; ++k)
          row[k] = P_ROW(pi + P_I(at + k));
      } else {
        P_NUMBER beyond = 0; /* as wide as the rows: in vectors, too */
        for (uint k = 0; k < n; ++k) {
          row[k] = P_ROW(pi + P_I(at + k));
          beyond |= P_BEYOND(pi + P_I(at + k));
        }
        for (uint k = 0; beyond && k < n; ++k)
          P_CHECK(pi + P_I(at + k))
      }
#if !P_CLAMP
#pragma clang loop vectorize(disable)
#endif
      for (uint k = 0; k < n; ++k) {
        if (P_CLAMP || row[k] >= 0)
          P_DO(pa + row[k] * stride + P_A(at + k), pv + P_V(at + k))
      }
    }
#endif
  }
#endif
}
