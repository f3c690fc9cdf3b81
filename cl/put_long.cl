/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of rows that have more than P_LONG indices, which put_rank.cl leaves
 * alone: counting for each of them would take the square of their count. A
 * group walks through all indices, a piece at a time, and keeps those of its
 * row. Macros are those of put_list.cl. Groups take the rows in turns. */
kernel void put_long(global const char *gi, const ulong oi,
                     const ulong rows P_SIZES, const ulong n_k_,
                     global const uint *ends, global uint *order) {
  local uint sums[P_GROUP];
  const uint n_k = (uint)n_k_, n_rows = (uint)rows, me = get_local_id(0);
  global const char *const pi = gi + oi;

  for (uint row = get_group_id(0); row < n_rows; row += get_num_groups(0)) {
    uint at = row > 0 ? ends[row - 1] : 0;

    if (ends[row] - at <= P_LONG)
      continue;
    for (uint first = 0; first < n_k; first += P_GROUP) {
      const uint k = first + me;
      uint is_here = 0;

      if (k < n_k) {
        P_STEP(k)
        is_here = P_ROW(qi) == (P_NUMBER)row;
      }
      sums[me] = is_here;
      p_scan(sums, me);
      if (is_here)
        order[at + sums[me] - 1] = k;
      at += sums[P_GROUP - 1];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}
