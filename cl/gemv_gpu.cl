/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y for GPUs. A group of LANES x TEAMS work-items adds up
 * in local memory. Macros put in front (T, W, LD, ST as in gemm_cpu.cl):
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, 0
 *   #define PARTS 0     1: each group sums over `run` columns only and writes
 *                       to parts[part][row]; gemv_join.cl does the rest
 *   #define LANES 32    neighbours along the stride of 1
 *   #define TEAMS 8
 *   #define UNROLL 4    independent loads
 *
 * Along n, the LANES of a team share one row; along m, each lane has a row of
 * its own and the TEAMS share its columns.
 * beta comes in two parts, beta + beta_low, see ga__product_factor. */
kernel __attribute__((reqd_work_group_size(LANES, TEAMS, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, W alpha, W beta, W beta_low,
     ulong run, global W *parts) {
  local W sums[LANES * TEAMS];
  const int lane = (int)get_local_id(0), team = (int)get_local_id(1);
  const long from = (long)(get_group_id(1) * run);
  const long to = min(from + (long)run, (long)n);
#if ALONG == 2
  const long i = (long)get_group_id(0) * LANES + lane;
  const long step = TEAMS;
  const int me = lane * TEAMS + team, mine = team, of = TEAMS;
#else
  const long i = (long)get_group_id(0) * TEAMS + team;
  const long step = LANES;
  const int me = team * LANES + lane, mine = lane, of = LANES;
#endif
  global const T *a = (global const T *)(abuf + aoff);
  global const T *x = (global const T *)(xbuf + xoff);
  W acc[UNROLL];
  long j = from + mine;

#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    acc[u] = 0;
  if (i < (long)m) {
    a += i * rs;
    for (; j + (UNROLL - 1) * step < to; j += UNROLL * step) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        acc[u] = fma(LD(a + (j + u * step) * cs),
                     LD(x + (j + u * step) * incx), acc[u]);
    }
    for (; j < to; j += step)
      acc[0] = fma(LD(a + j * cs), LD(x + j * incx), acc[0]);
  }
#pragma unroll
  for (int u = 1; u < UNROLL; ++u)
    acc[0] += acc[u];
  sums[me] = acc[0];
  for (int d = of / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < d)
      sums[me] += sums[me + d];
  }
  if (mine == 0 && i < (long)m) {
#if PARTS
    parts[(long)get_group_id(1) * (long)m + i] = sums[me];
#else
    global T *at = (global T *)(ybuf + yoff) + i * incy;
    const W v = sums[me] * alpha;
    ST(beta != 0 ? fma(beta, LD(at), fma(beta_low, LD(at), v)) : v, at);
#endif
  }
}
