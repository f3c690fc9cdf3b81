/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two kernels that gather rows share: row r of `a` becomes row i[r] of
 * `v`. Rows are moved in words, as wide as size and alignment allow.
 * index_guard.cl and macros in front of it:
 *
 *   #define WORD uint4          or an unsigned integer
 *   #define INDEX_T int         type of the indices
 *   #define IS_SIGNED 1         1: indices below 0 count from the end
 *   #define ga_index long
 *   #define STRIDES             further arguments, after a comma
 *   #define SOURCE(k) (k)       where word k of a row of `v` lies
 *
 * The kernels get ga_n rows of ga_len words; ga_segs work-items share a row;
 * ga_part is the words of one and ga_rows its rows. `v` has ga_vn rows, ga_vs
 * words apart. Global size: ga_segs x (ga_n / ga_rows), or more. */
#define TAKE_PARAMS                                                            \
  global WORD *ga_g0, const ulong ga_o0, global const WORD *ga_g1,             \
      const ulong ga_o1, global const INDEX_T *ga_g2, const ulong ga_o2,       \
      const ga_index ga_n, const ga_index ga_len,                  \
      const ga_index ga_segs, const ga_index ga_part, const ga_index ga_rows,  \
      const ulong ga_vn, const long ga_vs, GA_GUARD_PARAMS STRIDES

#define TAKE_POINTERS                                                          \
  global WORD *ga_a = (global WORD *)((global char *)ga_g0 + ga_o0);           \
  global const WORD *ga_v =                                                    \
      (global const WORD *)((global const char *)ga_g1 + ga_o1);               \
  global const INDEX_T *ga_i =                                                 \
      (global const INDEX_T *)((global const char *)ga_g2 + ga_o2);

/* The row that an index stands for, in [0, n) whatever it is. */
static ulong row_of(const INDEX_T at, const ulong n) {
#if IS_SIGNED
  const ulong r = (ulong)(at < 0 ? (long)at + (long)n : at);
  return r < n ? r : at < 0 ? 0 : n - 1;
#else
  return min((ulong)at, n - 1);
#endif
}

/* Index `k`, which is `at`, may be out of range. */
#define TAKE_CHECK(at, k)                                                      \
  if (ga_guard != 0 && is_beyond(at, ga_vn))                                   \
    ga_report_index(ga_guard, ga_who, (long)(at), ga_vn, (ulong)(k));

static int is_beyond(const INDEX_T at, const ulong n) {
#if IS_SIGNED
  return (ulong)(at < 0 ? (long)at + (long)n : at) >= n;
#else
  return at >= n;
#endif
}
