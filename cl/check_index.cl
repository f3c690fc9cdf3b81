/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies indices and reports those that are out of range. index_guard.cl and
 * macros in front of it:
 *
 *   #define INDEX_T int      type of the indices
 *   #define FROM_END 1       1: indices below 0 count from the end; for unsigned
 *                            types, 0
 *
 * Global size: n / part, or more. */
kernel void check_index(global char *ga, const ulong oa, global const char *gi,
                        const ulong oi, const ulong n, const ulong part,
                        const ulong size, GA_GUARD_PARAMS) {
  global INDEX_T *const a = (global INDEX_T *)(ga + oa);
  global const INDEX_T *const index = (global const INDEX_T *)(gi + oi);
  const ulong from = get_global_id(0) * part, to = min(n, from + part);

  for (ulong i = from; i < to; ++i) {
    const INDEX_T at = index[i];
    if (ga_guard != 0 &&
        (ulong)(FROM_END && at < 0 ? (long)at + (long)size : at) >= size)
      ga_report_index(ga_guard, ga_who, (long)at, size, i);
    a[i] = at;
  }
}
