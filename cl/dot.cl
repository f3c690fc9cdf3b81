/* SPDX-License-Identifier: BSD-2-Clause */
/* Partial sums of x * y: parts[group] is the sum over `run` elements, or z
 * itself when there is one group. Macros put in front (T, W, WV, VL, LD, ST,
 * LDV, STOREW as in gemm_cpu.cl):
 *
 *   #define VECTOR 1    x and y have no gaps
 *   #define GROUP 1     work-items of a group, a power of two; 1 on CPUs
 *   #define LAST 1      the sum goes to z
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#define DOT_UNROLL 4

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_sum(global const char *xbuf, ulong xoff, long incx, global const char *ybuf,
        ulong yoff, long incy, global char *zbuf, ulong zoff, ulong n,
        ulong run, global W *parts) {
  const long me = (long)get_local_id(0);
  const long from = (long)(get_group_id(0) * run);
  const long to = min(from + (long)run, (long)n);
  global const T *x = (global const T *)(xbuf + xoff);
  global const T *y = (global const T *)(ybuf + yoff);
  long j = from;
  W sum = 0;

#if VECTOR
  WV acc[DOT_UNROLL];
  W lane[VL];

#pragma unroll
  for (int u = 0; u < DOT_UNROLL; ++u)
    acc[u] = 0;
  for (; j + GROUP * DOT_UNROLL * VL <= to; j += GROUP * DOT_UNROLL * VL) {
#pragma unroll
    for (int u = 0; u < DOT_UNROLL; ++u) {
      const long e = j + (u * GROUP + me) * VL;
      acc[u] = fma(LDV(x + e), LDV(y + e), acc[u]);
    }
  }
#pragma unroll
  for (int u = 1; u < DOT_UNROLL; ++u)
    acc[0] += acc[u];
  STOREW(acc[0], 0, lane);
#pragma unroll
  for (int v = 0; v < VL; ++v)
    sum += lane[v];
#endif
  for (j += me; j < to; j += GROUP)
    sum = fma(LD(x + j * incx), LD(y + j * incy), sum);
#if GROUP > 1
  local W sums[GROUP];

  sums[me] = sum;
  for (int d = GROUP / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      sums[me] += sums[me + d];
  }
#endif
  if (me == 0) {
#if GROUP > 1
    sum = sums[0];
#endif
#if LAST
    ST(sum, (global T *)(zbuf + zoff));
#else
    parts[get_group_id(0)] = sum;
#endif
  }
}
