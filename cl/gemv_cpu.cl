/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha A x + beta y for CPUs: one serial run of work per work-item, no
 * local memory. Behind product_put.cl; macros put in front, here for float on 16
 * lanes, rows without gaps (T, W, WV, VL, LD, LDV, ST, STV, LOADW, STOREW, ONCE,
 * PLAIN_LOOP as in gemm_cpu.cl, or those of complex_pairs.cl):
 *
 *   #define WI int16    integers as wide as W, WI1: one of them
 *   #define ALONG 1     stride of A that is 1: 1 along n, 2 along m, 0
 *   #define X_UNIT 1    x has no gaps
 *   #define Y_UNIT 1    y has no gaps
 *   #define PARTS 0     1: each work-item sums over `run` columns only and
 *                       writes to parts[part][row]; gemv_join.cl does the rest
 *   #define SUM 0       1: x is summed up, too, as row m of the parts, and goes
 *                       through p_put_sum (real numbers only)
 *   #define WIDTH 4096  rows whose sums are kept, a multiple of 8 VL
 *   #define LINE 1      vectors in a line of the cache
 *
 * Strides are in numbers, of either sign; offsets in bytes. Work-item (i, p)
 * computes rows [i * chunk, (i + 1) * chunk) over columns [p * run, ...): the
 * order of all additions depends on these alone. Along m, `stream` says that A
 * is to be read column by column, else sums stay in registers over all columns.
 */
#define VN (VL / NL)   /* numbers of a vector */
#define BLOCK (8 / NS) /* rows, or vectors of them, with sums in registers */

/* Sums of rows i, i + 1, ... to the result. */
static void gemv_put(const W *sums, int rows, global T *y, long incy, long i,
                     product_scale s, global W *parts P_PARAMS) {
  int r = 0;

#if PARTS
  PLAIN_LOOP
  for (; r < NL * rows; ++r)
    parts[NL * i + r] = sums[r];
#else
#if Y_UNIT && PUT_VECTORS
  PLAIN_LOOP
  for (; r + VN <= rows; r += VN)
    product_put_v(LOADW(0, sums + NL * r), y + NL * (i + r), 0, i + r,
                  s P_ARGS);
#endif
  PLAIN_LOOP
  for (; r < rows; ++r)
    product_put(LDW(sums + NL * r), y + (i + r) * incy, 0, i + r, s P_ARGS);
#endif
}

#if ALONG != 2 || SUM
/* A vector of numbers that may have gaps. */
GA_INLINE WV gemv_take(global const T *p, long inc, int unit) {
  W lane[VL];

  if (unit)
    return LDV(p);
#pragma unroll
  for (int v = 0; v < VN; ++v)
    STW(LDN(p + v * inc), lane + NL * v);
  return LOADW(0, lane);
}

/* The sum of a vector's numbers. */
GA_INLINE N gemv_lanes(WV x) {
#if VL == 16
  const GA_JOIN(W, 8) x8 = x.lo + x.hi;
#elif VL == 8
  const WV x8 = x;
#endif
#if VL > 4
  const W4 x4 = x8.lo + x8.hi;
#else
  const W4 x4 = x;
#endif
#if NL == 2
  return x4.lo + x4.hi;
#else
  return (x4.x + x4.z) + (x4.y + x4.w);
#endif
}
#endif

#if ALONG != 2
/* What is left of a run of columns when its whole vectors are done: it is read
 * as the vector that ends with it, whose first lanes do not count. */
typedef struct gemv_rest {
  WV x;
  WI counts;
  int n;
} gemv_rest;

GA_INLINE gemv_rest gemv_rest_of(global const T *x, long incx, long from,
                              long to) {
  const int n = (int)((to - from) % VN);
  W lane[VL];
  WI1 counts[VL];

#pragma unroll
  for (int v = 0; v < VN; ++v) {
    STW(v < VN - n ? (N)0 : LDN(x + (to - VN + v) * incx), lane + NL * v);
#pragma unroll
    for (int k = 0; k < NL; ++k)
      counts[NL * v + k] = v < VN - n ? 0 : -1;
  }
  return (gemv_rest){LOADW(0, lane), LOADI(0, counts), n};
}

/* The rest of a row that has nothing before it that may be read. */
GA_INLINE WV gemv_rest_row(global const T *end, int n) {
  W lane[VL];

#pragma unroll
  for (int v = 0; v < VN; ++v)
    STW(v < VN - n ? (N)0 : LDN(end - VL + NL * v), lane + NL * v);
  return LOADW(0, lane);
}

/* The sums of `rows` rows. With `whole`, what lies before the rest of a row may
 * be read. Every row is summed up in the same order, wherever it stands: equal
 * rows have equal results. */
GA_INLINE void gemv_block(W *to_sums, const int rows, global const T *a,
                          long rs, long cs, global const T *x, long incx,
                          long from, long to, gemv_rest rest, int whole,
                          product_scale s) {
  WV acc[BLOCK][NS];
  N sums[BLOCK][NS];
  long j = from;

#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      acc[r][k] = 0;
  }
  for (; j + VN <= to; j += VN) {
    const WV xv = gemv_take(x + j * incx, incx, X_UNIT);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const WV av = gemv_take(a + r * rs + j * cs, cs, ALONG);
      ADD(acc[r], av, xv, SWAP);
    }
  }
  if (ALONG == 1 && rest.n > 0) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      global const T *end = a + r * rs + NL * to;
      const WV av = whole ? select((WV)0, LDV(end - VL), rest.counts)
                          : gemv_rest_row(end, rest.n);
      ADD(acc[r], av, rest.x, SWAP);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      sums[r][k] = gemv_lanes(acc[r][k]);
  }
  PLAIN_LOOP
  for (; ALONG == 0 && j < to; ++j) {
    const N xj = LDN(x + j * incx);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const N aj = LDN(a + r * rs + j * cs);
      ADD(sums[r], aj, xj, SWAP_N);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
    STW(TOTAL(sums[r], s.sa, s.sb), to_sums + NL * r);
}

/* May the vector that ends with column `to` be read in the rows from i on? It
 * may begin in the row before. */
static int gemv_whole(long rs, long m, long i, int rows, long to) {
  const long at = rs < 0 ? (i + rows - m) * rs : i * rs;

  return ALONG == 1 && (to >= VN || at + NL * to >= VL);
}

/* Sums of `n` rows from i on over [from, to). */
GA_INLINE void gemv_sums(W *sums, global const T *a, long rs, long cs,
                      global const T *x, long incx, long m, long i, int n,
                      long from, long to, product_scale s) {
  const gemv_rest rest = gemv_rest_of(x, incx, from, to);
  int r = 0;

  a += i * rs;
  for (; r + BLOCK <= n; r += BLOCK)
    gemv_block(sums + NL * r, BLOCK, a + r * rs, rs, cs, x, incx, from, to,
               rest, gemv_whole(rs, m, i + r, BLOCK, to), s);
  for (; r + 2 <= n; r += 2)
    gemv_block(sums + NL * r, 2, a + r * rs, rs, cs, x, incx, from, to, rest,
               gemv_whole(rs, m, i + r, 2, to), s);
  if (r < n)
    gemv_block(sums + NL * r, 1, a + r * rs, rs, cs, x, incx, from, to, rest,
               gemv_whole(rs, m, i + r, 1, to), s);
}
#else
#define GAP (NL * WIDTH) /* between the NS sums of a row */

/* Add columns [from, to) to the sums of `vectors` vectors of rows, `each`
 * columns at a time. The result depends on `each`, so all rows of a matrix have
 * the same: equal rows have equal results, wherever they stand. */
GA_INLINE void gemv_block(W *sums, const int vectors, const int each,
                       global const T *a, long cs, global const T *x,
                       long incx, long from, long to) {
  WV acc[BLOCK][NS];
  long j = from;

#pragma unroll
  for (int v = 0; v < vectors * each; ++v) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      acc[v][k] = v < vectors ? LOADW(v, sums + k * GAP) : (WV)0;
  }
  for (; j + each <= to; j += each) {
#pragma unroll
    for (int u = 0; u < each; ++u) {
      const N xj = LDN(x + (j + u) * incx);
#pragma unroll
      for (int v = 0; v < vectors; ++v)
        ADD_ONE(acc[u * vectors + v], LDV(a + (j + u) * cs + v * VL), xj);
    }
  }
  for (; each > 1 && j < to; ++j) {
    const N xj = LDN(x + j * incx);
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      ADD_ONE(acc[v], LDV(a + j * cs + v * VL), xj);
  }
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
#pragma unroll
    for (int k = 0; k < NS; ++k) {
#pragma unroll
      for (int u = 1; u < each; ++u)
        acc[v][k] += acc[u * vectors + v][k];
      STOREW(acc[v][k], v, sums + k * GAP);
    }
  }
}

/* Add columns [from, to) to the sums of n lanes, whole lines: each column is
 * read in one run, which memory likes, and each line of it at once: columns that
 * are a multiple of 4 KiB apart drive each other out of the first cache level.
 */
GA_INLINE void gemv_stream(W *sums, global const T *a, long cs, global const T *x,
                        long incx, int n, long from, long to) {
  long j = from;

  for (; j + BLOCK <= to; j += BLOCK) {
    N xj[BLOCK];

#pragma unroll
    for (int u = 0; u < BLOCK; ++u)
      xj[u] = LDN(x + (j + u) * incx);
    PLAIN_LOOP
    for (int r = 0; r < n; r += LINE * VL) {
      WV acc[LINE][NS];
#pragma unroll
      for (int v = 0; v < LINE; ++v) {
#pragma unroll
        for (int k = 0; k < NS; ++k)
          acc[v][k] = LOADW(v, sums + r + k * GAP);
      }
#pragma unroll
      for (int u = 0; u < BLOCK; ++u) {
#pragma unroll
        for (int v = 0; v < LINE; ++v)
          ADD_ONE(acc[v], LDV(a + (j + u) * cs + r + v * VL), xj[u]);
      }
#pragma unroll
      for (int v = 0; v < LINE; ++v) {
#pragma unroll
        for (int k = 0; k < NS; ++k)
          STOREW(acc[v][k], v, sums + r + k * GAP);
      }
    }
  }
  if (j < to)
    for (int r = 0; r < n; r += VL)
      gemv_block(sums + r, 1, 1, a + r, cs, x, incx, j, to);
}

/* Add column j to the sums of `lanes` lanes. */
static void gemv_column(W *sums, global const T *a, long cs, global const T *x,
                        long incx, int lanes, long j) {
  const N xj = LDN(x + j * incx);

  PLAIN_LOOP
  for (int p = 0; p < lanes; ++p) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      sums[p + k * GAP] =
          fma(LD(a + j * cs + p), PART(xj, k), sums[p + k * GAP]);
  }
}

/* Add columns [from, to) to the sums of n lanes. The last two vectors read
 * beyond the last row, in columns before `safe`. If the matrix has `few` rows,
 * then sums of several columns at a time hide the latency. */
GA_INLINE void gemv_add(W *sums, global const T *a, long cs, global const T *x,
                        long incx, long safe, int few, int n, long from,
                        long to) {
  int r = 0;

  for (; !few && r + BLOCK * VL <= n; r += BLOCK * VL)
    gemv_block(sums + r, BLOCK, 1, a + r, cs, x, incx, from, to);
  for (; r < n; r += 2 * VL) {
    const int two = r + VL < n;

    if (few && two)
      gemv_block(sums + r, 2, BLOCK / 2, a + r, cs, x, incx, from, safe);
    else if (few)
      gemv_block(sums + r, 1, BLOCK / 2, a + r, cs, x, incx, from, safe);
    else if (two)
      gemv_block(sums + r, 2, 1, a + r, cs, x, incx, from, safe);
    else
      gemv_block(sums + r, 1, 1, a + r, cs, x, incx, from, safe);
    for (long j = safe; j < to; ++j)
      gemv_column(sums + r, a + r, cs, x, incx, min(2 * VL, n - r), j);
  }
}

/* The columns before this one have two vectors from any row on. */
static long gemv_safe(long cs, long n, long from, long to) {
  const long room = (n - 1) * cs + NL - 2 * VL;

  return room < 0 ? from : clamp(room / cs + 1, from, to);
}

/* The sums of `rows` rows from i on over [from, to). */
GA_INLINE void gemv_sums(W *sums, global const T *a, long rs, long cs,
                      global const T *x, long incx, long m, long n, long i,
                      int rows, long from, long to, int stream,
                      product_scale s) {
  const long safe = gemv_safe(cs, n, from, to);
  const int few = NL * m <= (stream ? LINE : BLOCK) * VL;
  const int lanes = NL * rows;
  const int whole = stream ? lanes / (LINE * VL) * (LINE * VL) : 0;

  PLAIN_LOOP
  for (int r = 0; r < lanes; r += VL) {
#pragma unroll
    for (int k = 0; k < NS; ++k)
      STOREW((WV)0, 0, sums + r + k * GAP);
  }
  a += NL * i;
  if (whole > 0)
    gemv_stream(sums, a, cs, x, incx, whole, from, to);
  gemv_add(sums + whole, a + whole, cs, x, incx, safe, few, lanes - whole, from,
           to);
  for (int r = 0; NS > 1 && r < lanes; r += VL)
    STOREW(TOTAL_V(LOADW(0, sums + r), LOADW(0, sums + r + GAP), s.sa, s.sb), 0,
           sums + r);
}
#endif

/* Rows [first, last) over columns [from, to). */
ONCE static void gemv_rows(global const T *a, long rs, long cs,
                           global const T *x, long incx, global T *y, long incy,
                           long m, long n, long first, long last, long from,
                           long to, int stream, product_scale s,
                           global W *parts P_PARAMS) {
  W sums[NS * NL * WIDTH] __attribute__((aligned(64)));

  for (long i = first; i < last; i += WIDTH) {
    const int rows = (int)min((long)WIDTH, last - i);

#if ALONG == 2
    gemv_sums(sums, a, rs, cs, x, incx, m, n, i, rows, from, to, stream, s);
#else
    gemv_sums(sums, a, rs, cs, x, incx, m, i, rows, from, to, s);
#endif
    gemv_put(sums, rows, y, incy, i, s, parts P_ARGS);
  }
}

#if SUM
/* The sum of x over [from, to). */
static W gemv_sum(global const T *x, long incx, long from, long to) {
  WV sums = 0;
  W sum = 0;
  long j = from;

  for (; j + VL <= to; j += VL)
    sums += gemv_take(x + j * incx, incx, X_UNIT);
  for (; j < to; ++j)
    sum += LD(x + j * incx);
  return sum + gemv_lanes(sums);
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemv(global const char *abuf, ulong aoff, long rs, long cs,
     global const char *xbuf, ulong xoff, long incx, global char *ybuf,
     ulong yoff, long incy, ulong m, ulong n, SCALE_PARAMS, ulong chunk,
     ulong run, int stream, global W *parts P_PARAMS) {
  const product_scale s = SCALE;
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);
  const long from = (long)(get_global_id(1) * run);
  const long to = min(from + (long)run, (long)n);
  global const T *x = (global const T *)(xbuf + xoff);

#if PARTS
  parts += NL * (long)get_global_id(1) * (long)(m + SUM);
#endif
#if SUM
  if (get_global_id(0) == 0) {
    const W sum = gemv_sum(x, incx, from, to);
#if PARTS
    parts[m] = sum;
#else
    p_put_sum(sum P_ARGS);
#endif
  }
#endif
  gemv_rows((global const T *)(abuf + aoff), NL * rs, NL * cs, x, NL * incx,
            (global T *)(ybuf + yoff), NL * incy, (long)m, (long)n, first, last,
            from, to, stream, s, parts P_ARGS);
}
