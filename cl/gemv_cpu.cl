/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y for CPUs: one serial run of work per work-item, no
 * local memory. Macros put in front, here for float on 16 lanes, rows without
 * gaps (T, W, WV, VL, LD, LDV, ST, LOADW, STOREW, ONCE,
 * PLAIN_LOOP as in gemm_cpu.cl):
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, 0
 *   #define X_UNIT 1    x has no gaps
 *   #define PARTS 0     1: each work-item sums over `run` columns only and
 *                       writes to parts[part][row]; gemv_join.cl does the rest
 *   #define ROWS 4      rows at a time, unless along m
 *   #define WIDTH 512   rows at a time along m, a multiple of VL
 *
 * Strides are in elements, of either sign; offsets in bytes. Work-item (i, p)
 * computes rows [i * chunk, (i + 1) * chunk) over columns [p * run, ...): the
 * order of all additions depends on these alone.
 * beta comes in two parts, beta + beta_low, see ga__product_factor. */

static void gemv_put(global T *y, long incy, global W *parts, long i, W sum,
                     W alpha, W beta, W beta_low) {
#if PARTS
  parts[i] = sum;
#else
  global T *at = y + i * incy;
  const W v = sum * alpha;
  ST(beta != 0 ? fma(beta, LD(at), fma(beta_low, LD(at), v)) : v, at);
#endif
}

#if ALONG != 2
/* VL elements of a vector that may have gaps. */
static WV gemv_take(global const T *p, long inc, int unit) {
  W lane[VL];

  if (unit)
    return LDV(p);
#pragma unroll
  for (int v = 0; v < VL; ++v)
    lane[v] = LD(p + v * inc);
  return LOADW(0, lane);
}

/* The sum of all lanes. */
static W gemv_lanes(WV x) {
  W lane[VL];

  STOREW(x, 0, lane);
#pragma unroll
  for (int n = VL / 2; n > 0; n /= 2) {
#pragma unroll
    for (int v = 0; v < n; ++v)
      lane[v] += lane[v + n];
  }
  return lane[0];
}
#endif

/* Rows [first, last) over columns [from, to). */
ONCE static void gemv_rows(global const T *a, long rs, long cs,
                           global const T *x, long incx, global T *y, long incy,
                           long m, long n, long first, long last, long from,
                           long to, W alpha, W beta, W beta_low,
                           global W *parts) {
#if ALONG != 2
  const int is_long = to - from >= 2 * VL;

  for (long i = first; i < last; i += ROWS) {
    const int rows = (int)min((long)ROWS, last - i);
    global const T *q = a + i * rs;
    long row[ROWS];
    W sum[ROWS];
    long j = from;

#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      row[r] = min(r, rows - 1) * rs;
      sum[r] = 0;
    }
    if (is_long) {
      WV acc[ROWS][2];

#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        acc[r][0] = acc[r][1] = 0;
      for (; j + 2 * VL <= to; j += 2 * VL) {
        const WV x0 = gemv_take(x + j * incx, incx, X_UNIT);
        const WV x1 = gemv_take(x + (j + VL) * incx, incx, X_UNIT);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          global const T *e = q + row[r] + j * cs;
          acc[r][0] = fma(gemv_take(e, cs, ALONG), x0, acc[r][0]);
          acc[r][1] = fma(gemv_take(e + VL * cs, cs, ALONG), x1, acc[r][1]);
        }
      }
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        sum[r] = gemv_lanes(acc[r][0] + acc[r][1]);
    }
    PLAIN_LOOP
    for (; j < to; ++j) {
      const W xj = LD(x + j * incx);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        sum[r] = fma(LD(q + row[r] + j * cs), xj, sum[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (r < rows)
        gemv_put(y, incy, parts, i + r, sum[r], alpha, beta, beta_low);
    }
  }
#else
  W sums[WIDTH] __attribute__((aligned(64)));

  for (long i = first; i < last; i += WIDTH) {
    const int rows = (int)min((long)WIDTH, last - i);
    const int vectors = (rows + VL - 1) / VL;
    /* The last vector reads beyond the last row where that is still inside of
     * the matrix. */
    const long room = (n - 1) * cs + m - i - (long)vectors * VL;
    const long safe = room < 0 ? from : clamp(room / cs + 1, from, to);
    global const T *q = a + i + from * cs;
    long j = from;

    PLAIN_LOOP
    for (int v = 0; v < vectors; ++v)
      STOREW((WV)(0), v, sums);
    if (vectors == 1) {
      WV t[4];

#pragma unroll
      for (int u = 0; u < 4; ++u)
        t[u] = 0;
      for (; j + 4 <= safe; j += 4, q += 4 * cs) {
#pragma unroll
        for (int u = 0; u < 4; ++u)
          t[u] = fma(LDV(q + u * cs), (WV)LD(x + (j + u) * incx), t[u]);
      }
      STOREW((t[0] + t[1]) + (t[2] + t[3]), 0, sums);
    }
    for (; j + 4 <= safe; j += 4, q += 4 * cs) {
      const W x0 = LD(x + j * incx), x1 = LD(x + (j + 1) * incx);
      const W x2 = LD(x + (j + 2) * incx), x3 = LD(x + (j + 3) * incx);

      PLAIN_LOOP
      for (int v = 0; v < vectors; ++v) {
        global const T *e = q + v * VL;
        WV t = LOADW(v, sums);
        t = fma(LDV(e), (WV)x0, t);
        t = fma(LDV(e + cs), (WV)x1, t);
        t = fma(LDV(e + 2 * cs), (WV)x2, t);
        t = fma(LDV(e + 3 * cs), (WV)x3, t);
        STOREW(t, v, sums);
      }
    }
    for (; j < to; ++j, q += cs) {
      const W xj = LD(x + j * incx);

      PLAIN_LOOP
      for (int r = 0; r < rows; ++r)
        sums[r] = fma(LD(q + r), xj, sums[r]);
    }
    for (int r = 0; r < rows; ++r)
      gemv_put(y, incy, parts, i + r, sums[r], alpha, beta, beta_low);
  }
#endif
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, W alpha, W beta, W beta_low,
     ulong chunk, ulong run, global W *parts) {
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);
  const long from = (long)(get_global_id(1) * run);
  const long to = min(from + (long)run, (long)n);

#if PARTS
  parts += (long)get_global_id(1) * (long)m;
#endif
  gemv_rows((global const T *)(abuf + aoff), rs, cs,
            (global const T *)(xbuf + xoff), incx, (global T *)(ybuf + yoff),
            incy, (long)m, (long)n, first, last, from, to, alpha, beta,
            beta_low, parts);
}
