/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices, where these are the same for all lines and
 * put_rank.cl has sorted them: what happens to an element is next to each other
 * in `order`. There is a work-item for each index and P_PART words; that of a
 * row's first index makes all its moves, or that of the last one the only move
 * that counts. Macros beside those of put_index.cl and P_STEP of put_order.cl:
 *
 *   #define P_LAST 1           1: of the moves to an element the last one stays
 *   #define P_ALONG 1          1: neighbouring work-items are along the line
 *                              0: they have neighbours of `order`
 *   #define P_PART 4           words of a work-item, `segs` apart
 *
 * A line has `len` words, shared by `segs` work-items. Global size: segs x
 * n_lines x n_k, or more. */
kernel void put_sorted(P_PARAMS, const ulong n_lines_, const ulong len_,
                       const ulong segs_, const ulong n_k_,
                       global const uint *ends, global const uint *order) {
  const P_IDX id = (P_IDX)get_global_id(0), n_k = (P_IDX)n_k_;
  const P_IDX n_lines = (P_IDX)n_lines_, len = (P_IDX)len_;
  const P_IDX segs = (P_IDX)segs_, rest = id / (P_ALONG ? segs : n_k);
  const P_IDX first = P_ALONG ? id % segs : rest % segs;
  const P_IDX line = P_ALONG ? rest % n_lines : rest / segs;
  const P_IDX i = P_ALONG ? rest / n_lines : id % n_k;

  if (line < n_lines && i < ends[rows - 1]) {
    P_BASES(line)
    P_STEP(order[i])
    const P_NUMBER r = P_ROW(qi);
    const uint begin = r > 0 ? ends[r - 1] : 0, end = ends[r];
    global char *const qa = pa + r * stride;

#if P_LAST
    if (i + 1 != end)
      return;
#pragma unroll
    for (uint u = 0; u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len)
        P_DO(qa + P_A(j), qv + P_V(j))
    }
#else
    P_WORD sum[P_PART];

    if (i != begin)
      return;
#pragma unroll
    for (uint u = 0; u < P_PART; ++u) {
      const P_IDX j = first + u * segs;
      if (j < len)
        sum[u] = *(global P_WORD *)(qa + P_A(j));
    }
#pragma unroll 4
    for (uint at = begin; at < end; ++at) {
      P_STEP(order[at])
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        const P_IDX j = first + u * segs;
        if (j < len)
          P_MOVE(sum[u], (*(global P_VALUE *)(qv + P_V(j))))
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
