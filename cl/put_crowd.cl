/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves in the order of the indices, sorted as for put_sorted.cl, where many
 * indices mean each row and rows have few words: a group has a word of a row.
 * Its work-items read values, and the first one moves them in their order while
 * the others wait for the next ones. Macros beside those of put_sorted.cl:
 *
 *   #define P_GROUP 64         work-items of a group
 *   #define P_PART 8           values that each reads at a time
 *
 * Groups: rows x n_lines x len. */
#define P_TILE (P_PART * P_GROUP)

/* Read values from number `at` of the sorted indices on. */
#define P_READ(at)                                                             \
  _Pragma("unroll") for (uint u = 0; u < P_PART; ++u) {                        \
    P_STEP(order[min((at) + me + u * P_GROUP, end - 1)])                       \
    value[u] = *(global P_VALUE *)(qv + P_V(j));                               \
  }

kernel void put_crowd(P_PARAMS, const ulong n_lines, const ulong len_,
                      global const uint *ends, global const P_ORDER *order) {
  const uint me = get_local_id(0);
  const P_IDX len = (P_IDX)len_, r = get_group_id(0) % (P_IDX)rows;
  const P_IDX j = get_group_id(0) / (P_IDX)rows % len;
  const uint begin = r > 0 ? ends[r - 1] : 0, end = ends[r];
  local P_VALUE tile[P_TILE];
  P_BASES(get_group_id(0) / (P_IDX)rows / len)
  global P_WORD *const a = (global P_WORD *)(pa + (long)r * stride + P_A(j));
  P_VALUE value[P_PART];
  P_WORD sum = 0;

  if (begin == end)
    return;
  if (me == 0)
    sum = *a;
  P_READ(begin)
  for (uint at = begin; at < end; at += P_TILE) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint u = 0; u < P_PART; ++u)
      tile[me + u * P_GROUP] = value[u];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (end - at > P_TILE)
      P_READ(at + P_TILE)
    if (me == 0) {
      const uint n = min((uint)P_TILE, end - at);
      uint k = 0;
      for (; k + 16 <= n; k += 16) {
#pragma unroll
        for (uint t = 0; t < 16; ++t)
          P_MOVE(sum, tile[k + t])
      }
      for (; k < n; ++k)
        P_MOVE(sum, tile[k])
    }
  }
  if (me == 0)
    *a = sum;
}
