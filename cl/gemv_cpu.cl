/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y for CPUs: one serial run of work per work-item, no
 * local memory. Macros put in front, here for float on 16 lanes, rows without
 * gaps (T, W, WV, VL, LD, LDV, ST, LOADW, STOREW as in gemm_cpu.cl):
 *
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, 0
 *   #define X_UNIT 1    x has no gaps
 *   #define Y_UNIT 1    y has no gaps
 *   #define PARTS 0     1: each work-item sums over `run` columns only and
 *                       writes to parts[part][row]; gemv_join.cl does the rest
 *   #define ROWS 4      rows (ALONG 1) or vectors of rows (2) at a time
 *
 * Strides are in elements, of either sign; offsets in bytes. Work-item (i, p)
 * computes rows [i * chunk, (i + 1) * chunk) over columns [p * run, ...): the
 * order of all additions depends on these alone. */

static void gemv_put(global T *y, long incy, global W *parts, long i, W sum,
                     W alpha, W beta) {
#if PARTS
  parts[i] = sum;
#else
  global T *at = y + i * incy;
  const W v = sum * alpha;
  ST(beta != 0 ? fma(beta, LD(at), v) : v, at);
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

static W gemv_lanes(WV x) {
  W lane[VL];

  STOREW(x, 0, lane);
#pragma unroll
  for (int half_vl = VL / 2; half_vl > 0; half_vl /= 2) {
#pragma unroll
    for (int v = 0; v < half_vl; ++v)
      lane[v] += lane[v + half_vl];
  }
  return lane[0];
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, W alpha, W beta, ulong chunk,
     ulong run, global W *parts) {
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);
  const long from = (long)(get_global_id(1) * run);
  const long to = min(from + (long)run, (long)n);
  global const T *a = (global const T *)(abuf + aoff);
  global const T *x = (global const T *)(xbuf + xoff);
  global T *y = (global T *)(ybuf + yoff);

#if PARTS
  parts += (long)get_global_id(1) * (long)m;
#endif
#if ALONG != 2
  for (long i = first; i < last; i += ROWS) {
    const int rows = (int)min((long)ROWS, last - i);
    global const T *q = a + i * rs;
    long row[ROWS];
    WV acc[ROWS][2];
    W tail[ROWS];
    long j = from;

#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      row[r] = min(r, rows - 1) * rs;
      acc[r][0] = acc[r][1] = 0;
      tail[r] = 0;
    }
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
    for (; j < to; ++j) {
      const W xj = LD(x + j * incx);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        tail[r] = fma(LD(q + row[r] + j * cs), xj, tail[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (r < rows)
        gemv_put(y, incy, parts, i + r,
                 gemv_lanes(acc[r][0] + acc[r][1]) + tail[r], alpha, beta);
    }
  }
#else
  long i = first;

  for (; i + ROWS * VL <= last; i += ROWS * VL) {
    global const T *q = a + i;
    WV acc[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      acc[r] = 0;
    for (long j = from; j < to; ++j) {
      const WV xj = LD(x + j * incx);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        acc[r] = fma(LDV(q + j * cs + r * VL), xj, acc[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#if PARTS
      STOREW(acc[r], 0, parts + i + r * VL);
#elif Y_UNIT
      global T *at = y + i + r * VL;
      WV v = acc[r] * alpha;
      if (beta != 0)
        v = fma((WV)beta, LDV(at), v);
      STV(v, at);
#else
      W lane[VL];
      STOREW(acc[r], 0, lane);
      for (int v = 0; v < VL; ++v)
        gemv_put(y, incy, parts, i + r * VL + v, lane[v], alpha, beta);
#endif
    }
  }
  /* Up to VL rows at a time; past the last row is read what lies there, where
   * something of the matrix does. */
  for (; i < last; i += VL) {
    const int rows = (int)min((long)VL, last - i);
    const long room = ((long)n - 1) * cs + (long)m - i - VL;
    const long safe = room < 0 ? from : clamp(room / cs + 1, from, to);
    WV acc = 0;
    W lane[VL];
    long j = from;

    for (; j < safe; ++j)
      acc = fma(LDV(a + i + j * cs), (WV)LD(x + j * incx), acc);
    STOREW(acc, 0, lane);
    for (; j < to; ++j) {
      const W xj = LD(x + j * incx);
      for (int v = 0; v < rows; ++v)
        lane[v] = fma(LD(a + i + v + j * cs), xj, lane[v]);
    }
    for (int v = 0; v < rows; ++v)
      gemv_put(y, incy, parts, i + v, lane[v], alpha, beta);
  }
#endif
}
