/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that indices stand for, W_LANES at a time, for arrays that elementwise
 * kernels read by index: negative ones count from the end, others that are out
 * of range are clamped, and reported where indices are guarded. index_guard.cl
 * and macros in front:
 *
 *   #define W_LANES 16     lanes: 2, 4, 8, 16; nothing for one
 *   #define GA_PLACE int   large enough for places in these arrays, and for
 *                          the sizes of their axes; indices saturate */
#ifndef GA_LANE_INDEX
#define GA_LANE_INDEX(l, c) l

/* Ask for a contiguous axis of `n` elements before a row reads from it in no
 * order that hardware would guess, if it fits in the caches. */
#ifdef GA_PREFETCH
#define GA_FETCH_AXIS(p, n, stride)                                            \
  if ((stride) == 1 && (n) <= 4 * ga_n0 && (n) * sizeof(*(p)) <= 65536) {      \
    for (long f_ = 0; f_ < (n); f_ += 64 / (long)sizeof(*(p)))                 \
      GA_PREFETCH((p) + f_);                                                   \
  }
#else
#define GA_FETCH_AXIS(p, n, stride)
#endif
#endif

#define PLACES GA_JOIN(GA_PLACE, W_LANES)
static inline PLACES GA_JOIN(ga_taken_row, W_LANES)(const PLACES at,
                                                    const GA_PLACE n,
                                                    global uint *guard,
                                                    const uint who,
                                                    const uint axis) {
  const PLACES r = at < (PLACES)(0) ? at + (PLACES)(n) : at;

#define ROW_CHECK(l, c)                                                        \
  if (r c < 0 || r c >= n)                                                     \
    ga_report_axis(guard, who, axis, at c, (ulong)n, 0);
  if (guard != 0) {
    W_EACH(ROW_CHECK)
  }
#undef ROW_CHECK
  return clamp(r, (PLACES)(0), (PLACES)(n - 1));
}
#undef PLACES
