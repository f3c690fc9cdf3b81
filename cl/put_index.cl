/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels around indices share: `a` has rows along one axis, `v` has
 * a value for every index. index_guard.cl and macros in front of it:
 *
 *   #define P_WORD float       what is moved at once, of rows,
 *   #define P_VALUE P_WORD     and of values
 *   #define P_IDX uint         large enough for all counts
 *   #define P_INDEX int        type of the indices
 *   #define P_SIGNED 1         1: indices below 0 count from the end
 *   #define P_NUMBER int       signed: numbers of rows
 *   #define P_CLAMP 1          1: bad indices mean the first or last row
 *                              0: they are left out
 *   #define P_FIXED 1          1: all elements of a line have one index
 *   #define P_SIZES            further arguments, after a comma
 *   #define P_BASES(line)      declares where a line begins: pa, pv, pi
 *   #define P_A(j), P_V(j), P_I(j)  from there to element j, in bytes
 *   #define P_MOVE(a, v) ...   statement over lvalues of P_WORD and P_VALUE
 *
 * where a group works together,
 *
 *   #define P_GROUP 1024       work-items of it
 *
 * and on a CPU, where units of work are lines or columns:
 *
 *   #define P_BLOCK 64         elements whose rows are worked out before any of
 *                              them is moved, which the compiler does in
 *                              vectors: nothing is written that it might read
 *   #define P_NEXT             bytes from a unit to the next one, in `a` */
#define P_PARAMS                                                               \
  global char *restrict ga, const ulong oa, global char *restrict gv,          \
      const ulong ov, global const char *restrict gi, const ulong oi,          \
      const ulong rows, const long stride, GA_GUARD_PARAMS P_SIZES

/* The row that an index stands for, or -1. */
static P_NUMBER p_row(const P_INDEX at, const P_NUMBER rows) {
#if P_SIGNED
  const P_NUMBER r = at < 0 ? (P_NUMBER)at + rows : (P_NUMBER)at;
#else
  const P_NUMBER r = (P_INDEX)rows == rows && at >= (P_INDEX)rows
                         ? (P_CLAMP ? rows - 1 : -1)
                         : (P_NUMBER)at;
#endif
#if P_CLAMP && P_SIGNED
  return clamp(r, (P_NUMBER)0, (P_NUMBER)(rows - 1));
#elif P_SIGNED
  return r >= 0 && r < rows ? r : -1;
#else
  return r;
#endif
}

static int p_is_beyond(const P_INDEX at, const P_NUMBER rows) {
#if P_SIGNED
  return at < 0 ? (P_NUMBER)at + rows < 0 : at >= rows;
#else
  return (P_INDEX)rows == rows && at >= (P_INDEX)rows;
#endif
}

/* Whether the index at `p` is out of range, and a report if it is. */
#define P_BEYOND(p)                                                            \
  p_is_beyond(*(global const P_INDEX *)(p), (P_NUMBER)rows)
#define P_CHECK(p)                                                             \
  if (ga_guard != 0 && P_BEYOND(p))                                            \
    ga_report_index(ga_guard, ga_who, (long)*(global const P_INDEX *)(p), rows, \
                    (ulong)((p) - gi - oi) / sizeof(P_INDEX));

/* Not wider than it must be: Mesa 22.3 compares widened numbers with constants
 * wrongly. */
#define P_ROW(p) p_row(*(global const P_INDEX *)(p), (P_NUMBER)rows)
#define P_DO(a, v) P_MOVE((*(global P_WORD *)(a)), (*(global P_VALUE *)(v)))

/* Ask for the next `n` bytes from `p` on: rows are reached in no order that
 * hardware would guess. */
#ifdef GA_PREFETCH
#define P_FETCH(p, n)                                                          \
  for (ulong f_ = 0; f_ < (n); f_ += 64, (p) += 64)                            \
    GA_PREFETCH(p);
#else
#define P_FETCH(p, n)
#endif

#ifdef P_GROUP
/* Each work-item's count becomes the sum of those up to it. All call it, with
 * their counts stored. */
GA_INLINE void p_scan(local uint *sums, const uint me) {
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < P_GROUP; step *= 2) {
    const uint before = me >= step ? sums[me - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[me] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
