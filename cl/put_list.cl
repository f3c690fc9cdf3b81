/* SPDX-License-Identifier: BSD-2-Clause */
/* Which indices mean which row: the positions of the indices, row by row, in
 * `list`, those of row r up to ends[r]. Within a row they are in no order, which
 * put_rank.cl brings. Bad indices are left out. Macros are those
 * of put_index.cl, with steps of indices only, and
 *
 *   #define P_STEP(k)          declares where index number k is: qi
 *
 * There is one group. */
kernel void put_list(global const char *gi, const ulong oi,
                     const ulong rows, GA_GUARD_PARAMS P_SIZES,
                     const ulong n_k_, global uint *ends, global uint *list) {
  local uint sums[P_GROUP];
  const uint n_k = (uint)n_k_, n_rows = (uint)rows, me = get_local_id(0);
  const uint part = (n_rows + P_GROUP - 1) / P_GROUP;
  const uint from = min(n_rows, me * part), to = min(n_rows, from + part);
  global const char *const pi = gi + oi;
  uint sum = 0, at;

  for (uint r = me; r < n_rows; r += P_GROUP)
    ends[r] = 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint k = me; k < n_k; k += P_GROUP) {
    P_STEP(k)
    const P_NUMBER r = P_ROW(qi);
    P_CHECK(qi)
    if (r >= 0)
      atomic_inc(ends + r);
  }
  barrier(CLK_GLOBAL_MEM_FENCE);

  /* Counts become places: first of parts, then of rows. */
  for (uint r = from; r < to; ++r)
    sum += ends[r];
  sums[me] = sum;
  p_scan(sums, me);
  at = sums[me] - sum;
  for (uint r = from; r < to; ++r) {
    const uint n = ends[r];
    ends[r] = at;
    at += n;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);

  for (uint k = me; k < n_k; k += P_GROUP) {
    P_STEP(k)
    const P_NUMBER r = P_ROW(qi);
    if (r >= 0)
      list[atomic_inc(ends + r)] = k;
  }
}
