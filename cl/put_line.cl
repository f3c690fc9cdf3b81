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
 * take the lines in turns. Where a work-item has nothing to read, it reads an
 * element of its own again: nobody else writes that. */
#define P_BATCH (P_PART * P_GROUP)

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

    barrier(CLK_LOCAL_MEM_FENCE); /* the line before has been read */
    for (uint from = me; from < n_k; from += P_BATCH) {
      P_VALUE value[P_PART];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        value[u] = v[min(from + u * P_GROUP, n_k - 1)];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u)
        if (from + u * P_GROUP < n_k)
          values[from + u * P_GROUP] = value[u];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint from = me; from < n; from += P_BATCH) {
      uint begin[P_PART], end[P_PART];
      P_WORD word[P_PART];
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        const uint r = from + u * P_GROUP < n ? from + u * P_GROUP : me;
        begin[u] = r > 0 ? ends[r - 1] : 0;
        end[u] = ends[r];
        word[u] = a[r];
      }
#pragma unroll
      for (uint u = 0; u < P_PART; ++u) {
        for (uint k = begin[u]; k < end[u]; ++k)
          P_MOVE(word[u], values[order[k]])
        if (from + u * P_GROUP < n)
          a[from + u * P_GROUP] = word[u];
      }
    }
  }
}
