/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that indices stand for, W_LANES at a time, for arrays that elementwise
 * kernels read by index: negative ones count from the end, others that are out
 * of range are clamped, and reported where indices are guarded. index_guard.cl
 * and a macro in front:
 *
 *   #define W_LANES 16   lanes: 2, 4, 8, 16; nothing for one */
#ifndef GA_LANE_INDEX
#define GA_LANE_INDEX(l, c) l
#endif

static inline w_long GA_JOIN(ga_taken_row, W_LANES)(const w_long at, const long n,
                                              global uint *guard,
                                              const uint who,
                                              const uint axis) {
  const w_long r = at < (w_long)(0) ? at + (w_long)(n) : at;

#define ROW_CHECK(l, c)                                                        \
  if (r c < 0 || r c >= n)                                                     \
    ga_report_axis(guard, who, axis, at c, (ulong)n, 0);
  if (guard != 0) {
    W_EACH(ROW_CHECK)
  }
#undef ROW_CHECK
  return clamp(r, (w_long)(0), (w_long)(n - 1));
}
