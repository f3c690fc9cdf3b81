/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns counts, [rows][digits][parts], into the sums of all counts before them
 * in their row. Global size: rows x S_GROUP. Macros: R_IDX and S_GROUP of
 * sort_word.cl. */
kernel void sort_scan(global R_IDX *counts, const ulong parts_,
                      const uint digits) {
  const R_IDX all = (R_IDX)parts_ * digits;
  global R_IDX *const count = counts + (size_t)get_group_id(0) * all;
  const R_IDX share = (all + (S_GROUP - 1)) / S_GROUP;
  const R_IDX from = min(all, (R_IDX)get_local_id(0) * share);
  const R_IDX to = from + min(all - from, share);
  R_IDX sum = 0;

#if S_GROUP > 1
  local R_IDX sums[S_GROUP];

  for (R_IDX i = from; i < to; ++i)
    sum += count[i];
  sums[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint k = 0; k < get_local_id(0); ++k)
    sum += sums[k];
#endif
  for (R_IDX i = from; i < to; ++i) {
    const R_IDX c = count[i];
    count[i] = sum;
    sum += c;
  }
}
