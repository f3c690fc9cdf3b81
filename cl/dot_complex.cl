/* SPDX-License-Identifier: BSD-2-Clause */
/* Partial sums of x * y of complex numbers: parts[group] is the sum over `run`
 * numbers, or z itself when there is one group. Behind complex_pairs.cl; macros
 * put in front:
 *
 *   #define VECTOR 1    x and y have no gaps
 *   #define GROUP 1     work-items of a group, a power of two; 1 on CPUs
 *   #define LAST 1      the sum goes to z
 *
 * Strides are in numbers, of either sign; offsets in bytes. p sums re * re and
 * im * im, q sums re * im and im * re; sx conjugates x. */
#define DOT_UNROLL 2

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_sum(global const char *xbuf, ulong xoff, long incx, global const char *ybuf,
        ulong yoff, long incy, global char *zbuf, ulong zoff, ulong n, W sx,
        ulong run, global W *parts) {
  const long me = (long)get_local_id(0);
  const long from = (long)(get_group_id(0) * run);
  const long to = min(from + (long)run, (long)n);
  global const W *x = (global const W *)(xbuf + xoff);
  global const W *y = (global const W *)(ybuf + yoff);
  W2 p = 0, q = 0, sum;
  long j = from;

#if VECTOR
  WV pv[DOT_UNROLL], qv[DOT_UNROLL];
  W lane[2 * VL];

#pragma unroll
  for (int u = 0; u < DOT_UNROLL; ++u)
    pv[u] = qv[u] = 0;
  for (; j + GROUP * DOT_UNROLL * VL / 2 <= to;
       j += GROUP * DOT_UNROLL * VL / 2) {
#pragma unroll
    for (int u = 0; u < DOT_UNROLL; ++u) {
      const long e = 2 * j + (u * GROUP + me) * VL;
      const WV xv = LDV(x + e), yv = LDV(y + e);
      pv[u] = fma(xv, yv, pv[u]);
      qv[u] = fma(xv, SWAP(yv), qv[u]);
    }
  }
#pragma unroll
  for (int u = 1; u < DOT_UNROLL; ++u) {
    pv[0] += pv[u];
    qv[0] += qv[u];
  }
  STV(pv[0], lane);
  STV(qv[0], lane + VL);
#pragma unroll
  for (int v = 0; v < VL; v += 2) {
    p += LD2(lane + v);
    q += LD2(lane + VL + v);
  }
#endif
  for (j += me; j < to; j += GROUP) {
    const W2 xj = LD2(x + 2 * j * incx), yj = LD2(y + 2 * j * incy);
    p = fma(xj, yj, p);
    q = fma(xj, yj.yx, q);
  }
  sum = pair_of(p.x, p.y, q.x, q.y, sx, 1);
#if GROUP > 1
  local W2 sums[GROUP];

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
    ST2(sum, (global W *)(zbuf + zoff));
#else
    ST2(sum, parts + 2 * get_group_id(0));
#endif
  }
}
