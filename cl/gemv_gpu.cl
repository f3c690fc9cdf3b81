/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y for GPUs. A group of LANES x TEAMS work-items adds up
 * in local memory. Behind product_put.cl; macros put in front (T, W, LD, ST as
 * in gemm_cpu.cl, or those of complex_pairs.cl):
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, 0
 *   #define PARTS 0     1: each group sums over `run` columns only and writes
 *                       to parts[part][row], for those who add up
 *   #define SUM 0       1: x is summed up, too, as row m of the parts, and goes
 *                       through p_put_sum (real numbers only)
 *   #define TICKETS 1   1: the last group of a run of rows adds up, see
 *                       ticket.cl; 0: the kernel of gemv_join.cl does
 *   #define LANES 32    neighbours along the stride of 1
 *   #define TEAMS 8
 *   #define UNROLL 4    independent loads
 *   #define WIDE 1      1: A is read 4 neighbours at a time, all inside of it or
 *                       all outside, at addresses that are multiples of 4
 *                       elements; x too, along n (real numbers only)
 *
 * Along n, the LANES of a team share one row; along m, each lane has a row of
 * its own (or 4) and the TEAMS share its columns. Strides are in numbers, of
 * either sign; offsets in bytes. */
#if WIDE
#define EACH 4 /* numbers of a load */
#define V WV
#else
#define EACH 1
#define V N
#endif
#if ALONG == 2
#define ROWS EACH /* of a lane */
#define GROUP_ROWS (LANES * ROWS)
#else
#define ROWS 1
#define GROUP_ROWS TEAMS
#endif

#if WIDE && ALONG == 2
#define READ(j) ADD(acc[u], LDA4(a + (j) * cs), (V)LD(x + (j) * incx), SWAP_N)
#elif WIDE
#define READ(j) ADD(acc[u], LDA4(a + (j)), LDX4(x + (j)), SWAP_N)
#else
#define READ(j) ADD(acc[u], LDN(a + (j) * cs), LDN(x + (j) * incx), SWAP_N)
#endif

#if TICKETS
#include "ticket.cl"

/* The sum of n elements `step` apart, in their order; 8 loads at once. */
static N gemv_add_up(volatile global const N *p, ulong step, ulong n) {
  N sum = 0;
  ulong i = 0;

  for (; i + 8 <= n; i += 8) {
    N v[8];
#pragma unroll
    for (int u = 0; u < 8; ++u)
      v[u] = p[(i + u) * step];
#pragma unroll
    for (int u = 0; u < 8; ++u)
      sum += v[u];
  }
  for (; i < n; ++i)
    sum += p[i * step];
  return sum;
}
#endif

static void gemv_put(global T *y, long incy, global N *parts, long i, N sum,
                     product_scale s P_PARAMS) {
#if PARTS
  parts[i] = sum;
#else
  product_put(sum, y + i * incy, 0, i, s P_ARGS);
#endif
}

#if SUM
/* The group's sum of x over [from, to), for work-item 0. */
GA_INLINE W gemv_sum(global const T *x, long incx, long from, long to, int me,
                  local W *sums) {
  W sum = 0;

  for (long j = from + me; j < to; j += LANES * TEAMS)
    sum += LD(x + j * incx);
  barrier(CLK_LOCAL_MEM_FENCE); /* the rows' sums are read */
  sums[me] = sum;
  for (int d = LANES * TEAMS / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      sums[me] += sums[me + d];
  }
  return sums[me];
}
#endif

kernel __attribute__((reqd_work_group_size(LANES, TEAMS, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, SCALE_PARAMS, ulong run,
     ulong n_parts, global N *parts, global uint *tickets P_PARAMS) {
  const product_scale s = SCALE;
  local V sums[LANES * TEAMS];
  const int lane = (int)get_local_id(0), team = (int)get_local_id(1);
  const long from = (long)(get_group_id(1) * run);
  const long to = min(from + (long)run, (long)n);
#if ALONG == 2
  const long i = ((long)get_group_id(0) * LANES + lane) * ROWS;
  const long step = TEAMS;
  const int me = lane * TEAMS + team, mine = team, of = TEAMS;
  long j = from + team;
#else
  const long i = (long)get_group_id(0) * TEAMS + team;
  const long step = LANES * EACH;
  const int me = team * LANES + lane, mine = lane, of = LANES;
  long j = from + lane * EACH;
#endif
  global const T *a = (global const T *)(abuf + aoff);
  global const T *x = (global const T *)(xbuf + xoff);
  global T *y = (global T *)(ybuf + yoff);
  V acc[UNROLL][NS];

  rs *= NL, cs *= NL, incx *= NL, incy *= NL;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      acc[u][k] = 0;
  }
  if (i < (long)m) {
    a += i * rs;
    for (; j + (UNROLL - 1) * step < to; j += UNROLL * step) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        READ(j + u * step);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) { /* all loads at once, here too */
      if (j + u * step < to)
        READ(j + u * step);
    }
  }
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      acc[0][k] += acc[u][k];
  }
  sums[me] = TOTAL(acc[0], s.sa, s.sb);
  for (int d = of / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < d)
      sums[me] += sums[me + d];
  }
  if (mine == 0 && i < (long)m) {
    const V sum = sums[me];
#if PARTS
    global N *const to = parts + (long)get_group_id(1) * (long)(m + SUM);
#else
    global N *const to = parts; /* not used */
#endif
#if WIDE && ALONG == 2
    gemv_put(y, incy, to, i, sum.s0, s P_ARGS);
    gemv_put(y, incy, to, i + 1, sum.s1, s P_ARGS);
    gemv_put(y, incy, to, i + 2, sum.s2, s P_ARGS);
    gemv_put(y, incy, to, i + 3, sum.s3, s P_ARGS);
#elif WIDE
    gemv_put(y, incy, to, i, (sum.s0 + sum.s1) + (sum.s2 + sum.s3), s P_ARGS);
#else
    gemv_put(y, incy, to, i, sum, s P_ARGS);
#endif
  }
#if SUM
  if (get_group_id(0) == 0) {
    const int id = team * LANES + lane;
    const W sum = gemv_sum(x, incx, from, to, id, (local W *)sums);

    if (id == 0) {
#if PARTS
      parts[(long)get_group_id(1) * (long)(m + 1) + (long)m] = sum;
#else
      p_put_sum(sum P_ARGS);
#endif
    }
  }
#endif
#if TICKETS
  if (ticket_is_last(tickets + get_group_id(0), (uint)n_parts,
                     team * LANES + lane, (local uint *)sums)) {
    const long first = (long)get_group_id(0) * GROUP_ROWS;
    const long last = min(first + GROUP_ROWS, (long)m);

    for (long r = first + team * LANES + lane; r < last; r += LANES * TEAMS)
      product_put(gemv_add_up(parts + r, m + SUM, n_parts), y + r * incy, 0, r,
                  s P_ARGS);
#if SUM
    if (get_group_id(0) == 0 && team == 0 && lane == 0)
      p_put_sum(gemv_add_up(parts + m, m + 1, n_parts) P_ARGS);
#endif
  }
#endif
}
