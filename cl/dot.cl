/* SPDX-License-Identifier: BSD-2-Clause */
/* Partial sums of x * y: parts[group] is the sum over `run` numbers, or z
 * itself when there is one group. Macros put in front (T, W, WV, VL, LD, ST,
 * LDV, STOREW as in gemm_cpu.cl, or complex_pairs.cl):
 *
 *   #define VECTOR 1    x and y have no gaps
 *   #define GROUP 1     work-items of a group, a power of two; 1 on CPUs
 *   #define LAST 1      the sum goes to z
 *
 * Strides are in numbers, of either sign; offsets in bytes. sx conjugates x. */
#include "numbers.cl"

#define DOT_UNROLL (4 / NS)
#define ROUND (GROUP * DOT_UNROLL * VL / NL)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_sum(global const char *xbuf, ulong xoff, long incx, global const char *ybuf,
        ulong yoff, long incy, global char *zbuf, ulong zoff, ulong n SIGN(sx),
        ulong run, global W *parts) {
  const long me = (long)get_local_id(0);
  const long from = (long)(get_group_id(0) * run);
  const long to = min(from + (long)run, (long)n);
  global const T *x = (global const T *)(xbuf + xoff);
  global const T *y = (global const T *)(ybuf + yoff);
  long j = from;
  N sums[NS], sum;

#pragma unroll
  for (int k = 0; k < NS; ++k)
    sums[k] = 0;
#if VECTOR
  WV acc[DOT_UNROLL][NS];
  W lane[VL];

#pragma unroll
  for (int u = 0; u < DOT_UNROLL; ++u) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      acc[u][k] = 0;
  }
  for (; j + ROUND <= to; j += ROUND) {
#pragma unroll
    for (int u = 0; u < DOT_UNROLL; ++u) {
      const long e = NL * j + (u * GROUP + me) * VL;
      const WV xv = LDV(x + e), yv = LDV(y + e);
      ADD(acc[u], xv, yv, SWAP);
    }
  }
#pragma unroll
  for (int k = 0; k < NS; ++k) {
#pragma unroll
    for (int u = 1; u < DOT_UNROLL; ++u)
      acc[0][k] += acc[u][k];
    STOREW(acc[0][k], 0, lane);
#pragma unroll
    for (int v = 0; v < VL; v += NL)
      sums[k] += LDW(lane + v);
  }
#endif
  for (j += me; j < to; j += GROUP) {
    const N xj = LDN(x + NL * j * incx), yj = LDN(y + NL * j * incy);
    ADD(sums, xj, yj, SWAP_N);
  }
  sum = TOTAL(sums, sx, 1);
#if GROUP > 1
  local N shared[GROUP];

  shared[me] = sum;
  for (int d = GROUP / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      shared[me] += shared[me + d];
  }
#endif
  if (me == 0) {
#if GROUP > 1
    sum = shared[0];
#endif
#if LAST
    STN(sum, (global T *)(zbuf + zoff));
#else
    STW(sum, parts + NL * get_group_id(0));
#endif
  }
}
