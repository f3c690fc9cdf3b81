/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies rows: row r of `a` becomes row i[r] of `v`. Rows are moved in words,
 * as wide as size and alignment allow. Macros in front of it:
 *
 *   #define WORD uint4          or an unsigned integer
 *   #define INDEX_T int         type of the indices
 *   #define IS_SIGNED 1         1: indices below 0 count from the end
 *   #define CHUNKED 1           1: a work-item does rows, or words of one that
 *                               follow each other; 0: it does PART words of
 *                               one that are ga_segs apart
 *   #define PART 4
 *   #define VECTOR 8            CHUNKED, and rows of `v` without gaps: words
 *                               moved at once
 *   #define STREAM 0            1: store around the caches
 *   #define CHECK 0             1: *ga_error becomes 1 for a bad index
 *   #define ga_index long
 *   #define STRIDES             further arguments, after a comma
 *   #define SOURCE(k) (k)       where word k of a row of `v` lies
 */
/* Short rows come from all over memory: they are asked for in advance. */
#define AHEAD 8                    /* rows */
#define SHORT (1024 / sizeof(WORD)) /* words of a short row */
#define LINE (64 / sizeof(WORD))   /* words of a line of the cache */

#if CHUNKED
#define GROUP __attribute__((reqd_work_group_size(1, 1, 1)))
#else
#define GROUP
#endif

/* The row that an index stands for, in [0, n) whatever it is. */
static ulong row_of(const INDEX_T at, const ulong n) {
#if IS_SIGNED
  const ulong r = (ulong)(at < 0 ? (long)at + (long)n : at);
  return r < n ? r : at < 0 ? 0 : n - 1;
#else
  return min((ulong)at, n - 1);
#endif
}

static int is_bad(const INDEX_T at, const ulong n) {
#if IS_SIGNED
  return at < 0 ? (ulong)((long)at + (long)n) >= n : (ulong)at >= n;
#else
  return at >= n;
#endif
}

/* ga_n rows of ga_len words; ga_segs work-items share a row, in segments of
 * ga_part words if CHUNKED; ga_rows rows of a work-item; ga_vn rows in `v`,
 * ga_vs words apart. Global size: ga_segs x (ga_n / ga_rows), or more. */
kernel GROUP void take(global WORD *ga_g0, const ulong ga_o0,
                       global const WORD *ga_g1, const ulong ga_o1,
                       global const INDEX_T *ga_g2, const ulong ga_o2,
#if CHECK
                       global int *ga_error,
#endif
                       const ga_index ga_n, const ga_index ga_len,
                       const ga_index ga_segs, const ga_index ga_part,
                       const ga_index ga_rows, const ulong ga_vn,
                       const long ga_vs STRIDES) {
  global WORD *ga_a = (global WORD *)((global char *)ga_g0 + ga_o0);
  global const WORD *ga_v =
      (global const WORD *)((global const char *)ga_g1 + ga_o1);
  global const INDEX_T *ga_i =
      (global const INDEX_T *)((global const char *)ga_g2 + ga_o2);
  const ga_index ga_id = (ga_index)get_global_id(0);
  const ga_index ga_from = ga_id % ga_segs * (CHUNKED ? ga_part : 1);
  const ga_index ga_to = CHUNKED ? min(ga_from + ga_part, ga_len) : ga_len;
  ga_index ga_row = ga_id / ga_segs * ga_rows;
  const ga_index ga_row_end = min(ga_row + ga_rows, ga_n);

  for (; ga_row < ga_row_end; ++ga_row) {
    const INDEX_T ga_at = ga_i[ga_row];
    global const WORD *ga_p = ga_v + (long)row_of(ga_at, ga_vn) * ga_vs;
    global WORD *ga_q = ga_a + (long)ga_row * ga_len;

#if CHECK
    if (is_bad(ga_at, ga_vn))
      *ga_error = 1;
#endif
#if CHUNKED
    ga_index ga_k = ga_from;
#if defined(VECTOR) && defined(GA_PREFETCH)
    if (ga_len <= SHORT && ga_row + AHEAD < ga_row_end) {
      global const WORD *ga_f =
          ga_v + (long)row_of(ga_i[ga_row + AHEAD], ga_vn) * ga_vs;
      for (ga_index ga_w = 0; ga_w < ga_len; ga_w += LINE)
        GA_PREFETCH(ga_f + ga_w);
    }
#endif
#ifdef VECTOR
    for (; ga_k + VECTOR <= ga_to; ga_k += VECTOR) {
#if STREAM
      GA_STREAM(WORD, VECTOR, GA_JOIN(GA_LOAD, VECTOR)(ga_p + ga_k),
                ga_q + ga_k)
#else
      GA_JOIN(GA_STORE, VECTOR)(GA_JOIN(GA_LOAD, VECTOR)(ga_p + ga_k),
                                ga_q + ga_k);
#endif
    }
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (; ga_k < ga_to; ++ga_k)
      ga_q[ga_k] = ga_p[SOURCE(ga_k)];
#else
#pragma unroll
    for (uint ga_u = 0; ga_u < PART; ++ga_u) {
      const ga_index ga_k = ga_from + (ga_index)ga_u * ga_segs;
      if (ga_k < ga_to)
        ga_q[ga_k] = ga_p[SOURCE(ga_k)];
    }
#endif
  }
}
