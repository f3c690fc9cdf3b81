/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for indices that are out of bounds, before anything is gathered:
 * *ga_error becomes 1 if there is one among ga_n. Macros in front of it:
 *
 *   #define INDEX_T int    type of the indices
 *   #define IS_SIGNED 1    1: indices below 0 count from the end
 *
 * A work-item looks at ga_part of them. `v` has ga_vn rows. */
static int is_bad(const INDEX_T at, const ulong n) {
#if IS_SIGNED
  return at < 0 ? (ulong)((long)at + (long)n) >= n : (ulong)at >= n;
#else
  return at >= n;
#endif
}

kernel void take_check(global const INDEX_T *ga_g0, const ulong ga_o0,
                       global int *ga_error, const ulong ga_n,
                       const ulong ga_part, const ulong ga_vn) {
  global const INDEX_T *ga_i =
      (global const INDEX_T *)((global const char *)ga_g0 + ga_o0);
  const ulong ga_from = get_global_id(0) * ga_part;
  const ulong ga_to = min(ga_from + ga_part, ga_n);
  int ga_bad = 0;

  for (ulong ga_k = ga_from; ga_k < ga_to; ++ga_k)
    ga_bad |= is_bad(ga_i[ga_k], ga_vn);
  if (ga_bad)
    *ga_error = 1;
}
