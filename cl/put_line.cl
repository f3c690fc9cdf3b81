/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices along rows without gaps, where the indices
 * are the same for all lines and sorted as for put_sorted.cl. A group keeps a
 * line of values in local memory; a work-item makes all moves to an element.
 * Macros beside those of put_index.cl:
 *
 *   #define P_GROUP 512        work-items of a group
 *   #define P_ORDER uint       type of positions
 *   #define P_PART 4           elements of which a work-item reads the lists
 *                              before it moves anything
 *
 * There are n_lines x len lines of n_k values, and at least P_GROUP rows. Groups
 * take the lines in turns. What is read of a line first does not wait for the
 * line before. Elements with fewer indices than others read values that they do
 * not move, as branches take longer; bad indices may have no place in `order`.
 * Where a work-item has nothing to read, it reads an element of its own again:
 * nobody else writes that. */
#define P_BATCH (P_PART * P_GROUP)

/* Row `u` of those from `from` on, or, behind the end, one of its own. */
#define P_MINE(from, u)                                                        \
  ((from) + (u) * P_GROUP < n ? (from) + (u) * P_GROUP : me)

kernel void put_line(P_PARAMS, const ulong n_lines, const ulong len_,
                     const ulong n_k_, global const uint *ends,
                     global const P_ORDER *order, local P_VALUE *values) {
  const uint me = get_local_id(0), n = (uint)rows, n_k = (uint)n_k_;
  const P_IDX len = (P_IDX)len_;

  for (P_IDX i = get_group_id(0); i < (P_IDX)n_lines * len;
       i += get_num_groups(0)) {
    P_BASES(i / len)
    global P_WORD *const a = (global P_WORD *)(pa + P_A(i % len));
    global const P_VALUE *const v =
        (global const P_VALUE *)(pv + P_V(i % len));
    P_WORD word[P_PART];
    P_VALUE value[P_PART];

#pragma unroll
    for (uint u = 0; u < P_PART; ++u)
      value[u] = v[min(me + u * P_GROUP, n_k - 1)];
#pragma unroll
    for (uint u = 0; u < P_PART; ++u)
      word[u] = a[P_MINE(me, u)];
    barrier(CLK_LOCAL_MEM_FENCE); /* the line before has been read */
    for (uint from = me; from < n_k; from += P_BATCH) {
      if (from != me) {
#pragma unroll
        for (uint u = 0; u < P_PART; ++u)
          value[u] = v[min(from + u * P_GROUP, n_k - 1)];
      }
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        if (from + u * P_GROUP < n_k)
          values[from + u * P_GROUP] = value[u];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint from = me; from < n; from += P_BATCH) {
      uint begin[P_PART], end[P_PART], most = 0;
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        const uint r = P_MINE(from, u);
        begin[u] = r > 0 ? ends[r - 1] : 0;
        end[u] = ends[r];
        if (from != me)
          word[u] = a[r];
        most = max(most, end[u] - begin[u]);
      }
      for (uint t = 0; t < most; ++t) {
#pragma unroll
        for (uint u = 0; u < P_PART; ++u)
          value[u] =
              values[min((uint)order[min(begin[u] + t, n_k - 1)], n_k - 1)];
#pragma unroll
        for (uint u = 0; u < P_PART; ++u)
          if (begin[u] + t < end[u])
            P_MOVE(word[u], value[u])
      }
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        if (from + u * P_GROUP < n)
          a[from + u * P_GROUP] = word[u];
    }
  }
}
