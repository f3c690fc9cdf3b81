/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers rows on a CPU: a work-item does several rows, or ga_part words of a
 * long one. Macros beside those of take.cl:
 *
 *   #define VECTOR 8       rows of `v` without gaps: words moved at once
 *   #define STREAM 0       1: store around the caches */

/* Short rows come from all over memory: they are asked for in advance. */
#define AHEAD 8                     /* rows */
#define SHORT (1024 / sizeof(WORD)) /* words of a short row */
#define LINE (64 / sizeof(WORD))    /* words of a line of the cache */

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void take(TAKE_PARAMS) {
  TAKE_POINTERS
  const ga_index ga_id = (ga_index)get_global_id(0);
  const ga_index ga_from = ga_id % ga_segs * ga_part;
  const ga_index ga_to = min(ga_from + ga_part, ga_len);
  ga_index ga_row = ga_id / ga_segs * ga_rows;
  const ga_index ga_row_end = min(ga_row + ga_rows, ga_n);

  for (; ga_row < ga_row_end; ++ga_row) {
    const INDEX_T ga_at = ga_i[ga_row];
    TAKE_CHECK(ga_at, ga_row)
    global const WORD *ga_p = ga_v + (long)row_of(ga_at, ga_vn) * ga_vs;
    global WORD *ga_q = ga_a + (long)ga_row * ga_len;
    ga_index ga_k = ga_from;

#ifdef VECTOR
#ifdef GA_PREFETCH
    if (ga_len <= SHORT && ga_row + AHEAD < ga_row_end) {
      global const WORD *ga_f =
          ga_v + (long)row_of(ga_i[ga_row + AHEAD], ga_vn) * ga_vs;
      for (ga_index ga_w = 0; ga_w < ga_len; ga_w += LINE)
        GA_PREFETCH(ga_f + ga_w);
    }
#endif
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
  }
}
