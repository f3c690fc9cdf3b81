/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y of complex numbers for GPUs. A group of LANES x TEAMS
 * work-items adds up in local memory. Behind complex_pairs.cl; macros put in
 * front:
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, or 0
 *   #define PARTS 0     1: each group sums over `run` columns only and writes
 *                       to parts[part][row]; gemv_join.cl does the rest
 *   #define LANES 32    neighbours along the stride of 1
 *   #define TEAMS 8
 *   #define UNROLL 4    independent loads
 *
 * Along n, the LANES of a team share one row; along m, each lane has a row of
 * its own and the TEAMS share its columns. p sums re * re and im * im, q sums
 * re * im and im * re; sa and sx conjugate. */
kernel __attribute__((reqd_work_group_size(LANES, TEAMS, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, W2 alpha, W2 beta, W sa, W sx,
     ulong run, global W *parts) {
  local W2 ps[LANES * TEAMS], qs[LANES * TEAMS];
  const int lane = (int)get_local_id(0), team = (int)get_local_id(1);
  const long from = (long)(get_group_id(1) * run);
  const long to = min(from + (long)run, (long)n);
#if ALONG == 2
  const long i = (long)get_group_id(0) * LANES + lane;
  const int me = lane * TEAMS + team, mine = team, of = TEAMS;
#else
  const long i = (long)get_group_id(0) * TEAMS + team;
  const int me = team * LANES + lane, mine = lane, of = LANES;
#endif
  global const W *a = (global const W *)(abuf + aoff) + 2 * i * rs;
  global const W *x = (global const W *)(xbuf + xoff);
  W2 p[UNROLL], q[UNROLL];
  long j = from + mine;

  cs *= 2;
  incx *= 2;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    p[u] = q[u] = 0;
  if (i < (long)m) {
    for (; j + (UNROLL - 1) * of < to; j += UNROLL * of) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        const W2 v = LD2(a + (j + u * of) * cs), w = LD2(x + (j + u * of) * incx);
        p[u] = fma(v, w, p[u]);
        q[u] = fma(v, w.yx, q[u]);
      }
    }
    for (; j < to; j += of) {
      const W2 v = LD2(a + j * cs), w = LD2(x + j * incx);
      p[0] = fma(v, w, p[0]);
      q[0] = fma(v, w.yx, q[0]);
    }
  }
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) {
    p[0] += p[u];
    q[0] += q[u];
  }
  ps[me] = p[0];
  qs[me] = q[0];
  for (int d = of / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < d) {
      ps[me] += ps[me + d];
      qs[me] += qs[me + d];
    }
  }
  if (mine == 0 && i < (long)m) {
    const W2 sum =
        pair_of(ps[me].x, ps[me].y, qs[me].x, qs[me].y, sa, sx);
#if PARTS
    ST2(sum, parts + 2 * ((long)get_group_id(1) * (long)m + i));
#else
    pair_put(pair_times(sum, alpha), beta,
             (global W *)(ybuf + yoff) + 2 * i * incy);
#endif
  }
}
