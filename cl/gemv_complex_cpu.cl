/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y of complex numbers for CPUs: one serial run of work
 * per work-item, no local memory. Behind complex_pairs.cl; macros put in front:
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, or 0
 *   #define PARTS 0     1: each work-item sums over `run` columns only and
 *                       writes to parts[part][row]; gemv_join.cl does the rest
 *   #define ROWS 4      rows at a time, unless along m
 *   #define WIDTH 2048  rows at a time along m, a multiple of VL / 2
 *   #define LINE 1      vectors in a line of the cache
 *
 * Strides are in numbers, of either sign; offsets in bytes. Work-item (i, p)
 * computes rows [i * chunk, (i + 1) * chunk) over columns [p * run, ...): the
 * order of all additions depends on these alone. sa and sx conjugate. */
static void gemv_put(global W *y, long incy, global W *parts, long i, W2 sum,
                     W2 alpha, W2 beta) {
#if PARTS
  ST2(sum, parts + 2 * i);
#else
  pair_put(pair_times(sum, alpha), beta, y + i * incy);
#endif
}

#if ALONG != 2
/* VL / 2 numbers that may have gaps. */
static WV gemv_take(global const W *p, long inc) {
  W lane[VL];

  if (inc == 2)
    return LDV(p);
#pragma unroll
  for (int v = 0; v < VL / 2; ++v)
    ST2(LD2(p + v * inc), lane + 2 * v);
  return LDV(lane);
}

/* The sum of all numbers. */
static W2 gemv_lanes(WV x) {
  W lane[VL];
  W2 sum = 0;

  STV(x, lane);
#pragma unroll
  for (int v = 0; v < VL / 2; ++v)
    sum += LD2(lane + 2 * v);
  return sum;
}

/* ROWS rows from a on, `rows` of them different; columns [from, to). p sums
 * re * re and im * im, q sums re * im and im * re. */
static void gemv_rows(global const W *a, long rs, long cs, int rows,
                      global const W *x, long incx, long from, long to,
                      W2 *p, W2 *q) {
  global const W *row[ROWS];
  long j = from;

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    row[r] = a + min(r, rows - 1) * rs;
    p[r] = q[r] = 0;
  }
#if ALONG == 1
  if (to - from >= VL / 2) {
    WV pv[ROWS], qv[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      pv[r] = qv[r] = 0;
    for (; j + VL / 2 <= to; j += VL / 2) {
      const WV xv = gemv_take(x + j * incx, incx), swapped = SWAP(xv);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const WV av = LDV(row[r] + 2 * j);
        pv[r] = fma(av, xv, pv[r]);
        qv[r] = fma(av, swapped, qv[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      p[r] = gemv_lanes(pv[r]);
      q[r] = gemv_lanes(qv[r]);
    }
  }
#endif
  PLAIN_LOOP
  for (; j < to; ++j) {
    const W2 xj = LD2(x + j * incx);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const W2 v = LD2(row[r] + j * cs);
      p[r] = fma(v, xj, p[r]);
      q[r] = fma(v, xj.yx, q[r]);
    }
  }
}

ONCE static void gemv_part(global const W *a, long rs, long cs,
                           global const W *x, long incx, global W *y, long incy,
                           long m, long n, long first, long last, long from,
                           long to, W2 alpha, W2 beta, W sa, W sx,
                           global W *parts) {
  for (long i = first; i < last; i += ROWS) {
    const int rows = (int)min((long)ROWS, last - i);
    W2 p[ROWS], q[ROWS];

    gemv_rows(a + i * rs, rs, cs, rows, x, incx, from, to, p, q);
    for (int r = 0; r < rows; ++r)
      gemv_put(y, incy, parts, i + r,
               pair_of(p[r].x, p[r].y, q[r].x, q[r].y, sa, sx), alpha, beta);
  }
}
#else
/* One column times a number, for `rows` rows that are no whole line. */
static void gemv_rest(global const W *a, W2 x, W *p, W *q, int rows) {
  PLAIN_LOOP
  for (int r = 0; r < rows; ++r) {
    const W2 v = LD2(a + 2 * r);
    ST2(fma(v, (W2)(x.x), LD2(p + 2 * r)), p + 2 * r);
    ST2(fma(v, (W2)(x.y), LD2(q + 2 * r)), q + 2 * r);
  }
}

/* Four columns times the numbers xs, for whole lines: each column is read in
 * one run, and each line of it at once, see gemv_cpu.cl. */
static void gemv_lines(global const W *a, long cs, const W2 *xs, W *p, W *q,
                       int lines) {
  PLAIN_LOOP
  for (int i = 0; i < lines * LINE * VL; i += LINE * VL) {
    WV pv[LINE], qv[LINE];

#pragma unroll
    for (int v = 0; v < LINE; ++v) {
      pv[v] = LDV(p + i + v * VL);
      qv[v] = LDV(q + i + v * VL);
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int v = 0; v < LINE; ++v) {
        const WV av = LDV(a + u * cs + i + v * VL);
        pv[v] = fma(av, (WV)(xs[u].x), pv[v]);
        qv[v] = fma(av, (WV)(xs[u].y), qv[v]);
      }
    }
#pragma unroll
    for (int v = 0; v < LINE; ++v) {
      STV(pv[v], p + i + v * VL);
      STV(qv[v], q + i + v * VL);
    }
  }
}

/* Four columns at a time; p sums by the real parts of x, q by the others. */
ONCE static void gemv_part(global const W *a, long rs, long cs,
                           global const W *x, long incx, global W *y, long incy,
                           long m, long n, long first, long last, long from,
                           long to, W2 alpha, W2 beta, W sa, W sx,
                           global W *parts) {
  W p[2 * WIDTH] __attribute__((aligned(64)));
  W q[2 * WIDTH] __attribute__((aligned(64)));

  for (long i = first; i < last; i += WIDTH) {
    const int rows = (int)min((long)WIDTH, last - i);
    const int lines = rows / (LINE * VL / 2), done = lines * (LINE * VL / 2);
    global const W *at = a + 2 * i + from * cs;
    long j = from;

    PLAIN_LOOP
    for (int r = 0; r < rows; ++r) {
      ST2((W2)(0), p + 2 * r);
      ST2((W2)(0), q + 2 * r);
    }
    for (; j + 4 <= to; j += 4, at += 4 * cs) {
      W2 xs[4];

#pragma unroll
      for (int u = 0; u < 4; ++u)
        xs[u] = LD2(x + (j + u) * incx);
      gemv_lines(at, cs, xs, p, q, lines);
#pragma unroll
      for (int u = 0; u < 4; ++u)
        gemv_rest(at + u * cs + 2 * done, xs[u], p + 2 * done, q + 2 * done,
                  rows - done);
    }
    for (; j < to; ++j, at += cs)
      gemv_rest(at, LD2(x + j * incx), p, q, rows);
    for (int r = 0; r < rows; ++r)
      gemv_put(y, incy, parts, i + r,
               pair_of(p[2 * r], q[2 * r + 1], q[2 * r], p[2 * r + 1], sa, sx),
               alpha, beta);
  }
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, W2 alpha, W2 beta, W sa, W sx,
     ulong chunk, ulong run, global W *parts) {
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);
  const long from = (long)(get_global_id(1) * run);
  const long to = min(from + (long)run, (long)n);

#if PARTS
  parts += 2 * (long)get_global_id(1) * (long)m;
#endif
  gemv_part((global const W *)(abuf + aoff), 2 * rs, 2 * cs,
            (global const W *)(xbuf + xoff), 2 * incx,
            (global W *)(ybuf + yoff), 2 * incy, (long)m, (long)n, first, last,
            from, to, alpha, beta, sa, sx, parts);
}
