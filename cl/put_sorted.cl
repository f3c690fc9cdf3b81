/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices, where these are the same for all lines and
 * `order` has their positions, row by row, each row's in order, up to ends[r].
 * One work-item for each row and P_PART words makes all their
 * moves, or the last one if only that counts. Macros beside those of
 * put_index.cl and P_STEP of put_order.cl:
 *
 *   #define P_LAST 1           1: of the moves to an element the last one stays
 *   #define P_ALONG 1          1: neighbouring work-items are along the line
 *                              0: they have neighbouring rows
 *   #define P_ALL 1            1: there are work-items for all rows
 *                              0: for all indices, as these are fewer; those of
 *                              a row's first index do something
 *   #define P_ORDER uint       type of positions
 *   #define P_PART 4           words of a work-item, `segs` apart
 *   #define P_TURNS 4          values of a word that are read before any of them
 *                              is moved
 *
 * A line has `len` words, shared by `segs` work-items. Global size: segs x
 * n_lines x rows or indices, or more. */

/* Word `u` of this work-item, or, behind the line, its first one again: nobody
 * else writes that. */
#define P_WORD_AT(u) (first + (u) * segs < len ? first + (u) * segs : first)

kernel void put_sorted(P_PARAMS, const ulong n_lines_, const ulong len_,
                       const ulong segs_, const ulong n_k_,
                       global const uint *ends, global const P_ORDER *order) {
  const P_IDX id = (P_IDX)get_global_id(0), n_lines = (P_IDX)n_lines_;
  const P_IDX n = P_ALL ? (P_IDX)rows : (P_IDX)n_k_, len = (P_IDX)len_;
  const P_IDX segs = (P_IDX)segs_, rest = id / (P_ALONG ? segs : n);
  const P_IDX first = P_ALONG ? id % segs : rest % segs;
  const P_IDX line = P_ALONG ? rest % n_lines : rest / segs;
  const P_IDX i = P_ALONG ? rest / n_lines : id % n;

  if (line < n_lines && i < (P_ALL ? n : ends[rows - 1])) {
    P_BASES(line)
#if P_ALL
    const P_NUMBER r = (P_NUMBER)i;
#else
    P_STEP(order[i])
    const P_NUMBER r = P_ROW(qi);
#endif
    const uint begin = r > 0 ? ends[r - 1] : 0, end = ends[r];
    global char *const qa = pa + r * stride;

    if (P_ALL ? begin == end : i != begin)
      return;
#if P_LAST
    {
      P_STEP(order[end - 1])
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        const P_IDX j = first + u * segs;
        if (j < len)
          P_DO(qa + P_A(j), qv + P_V(j))
      }
    }
#else
    P_WORD sum[P_PART];

#pragma unroll
    for (uint u = 0; u < P_PART; ++u)
      sum[u] = *(global P_WORD *)(qa + P_A(P_WORD_AT(u)));
    for (uint at = begin; at < end; at += P_TURNS) {
      P_VALUE value[P_TURNS][P_PART];
#pragma unroll
      for (uint t = 0; t < P_TURNS; ++t) {
        P_STEP(order[min(at + t, end - 1)])
#pragma unroll
        for (uint u = 0; u < P_PART; ++u)
          value[t][u] = *(global P_VALUE *)(qv + P_V(P_WORD_AT(u)));
      }
#pragma unroll
      for (uint t = 0; t < P_TURNS; ++t) {
        if (at + t < end) {
#pragma unroll
          for (uint u = 0; u < P_PART; ++u)
            P_MOVE(sum[u], value[t][u])
        }
      }
    }
#pragma unroll
    for (uint u = 0; u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len)
        *(global P_WORD *)(qa + P_A(j)) = sum[u];
    }
#endif
  }
}
