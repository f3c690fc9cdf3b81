/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagonal blocks of factorisations on CPUs: one work-item for each matrix of a
 * batch, or for some columns of it. The rest of a matrix is products. Macros,
 * here for floats on 16 lanes:
 *
 *   #define T float                 LD, ST, LDV, STV, VL, WV, LOADW, STOREW:
 *   #define W float                 as in gemm_cpu.cl
 *   #define NB 128                  most rows of a block, a multiple of VL
 *   #define NV 2                    vectors of a row of x that are solved at
 *                                   once
 *   #define X_UNIT 1                rows of x have no gaps
 *   #define PB 64                   most columns of a panel of LU
 *   #define QB 32                   the same of QR
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"

/* --- Cholesky --- */

/* Columns v to v + `count` vectors of row j of the tile minus the products of
 * the rows above. */
#define LESS_ABOVE(count)                                                      \
  {                                                                            \
    WV acc[count];                                                             \
    _Pragma("unroll") for (int q = 0; q < count; ++q) acc[q] =                 \
        LOADW(q, row + v);                                                     \
    for (int k = 0; k < j; ++k) {                                              \
      const WV f = -t[k * NB + j];                                             \
      _Pragma("unroll") for (int q = 0; q < count; ++q) acc[q] =               \
          fma(f, LOADW(q, t + k * NB + v), acc[q]);                            \
    }                                                                          \
    _Pragma("unroll") for (int q = 0; q < count; ++q)                          \
        STOREW(acc[q], q, row + v);                                            \
  }

/* Replace the n x n tile, of which the upper triangle is set, by its factor U.
 * Returns 0, or the order of the first minor that is not positive definite. */
ONCE static int factor_tile(W *t, const int n) {
  int bad = 0;

  for (int j = 0; j < n; ++j) {
    W *row = t + j * NB;
    const int left = j / VL * VL;
    int v = left;

    for (int i = left; i < j; ++i)
      row[i] = 0;
    for (; v + 4 * VL <= n; v += 4 * VL)
      LESS_ABOVE(4)
    for (; v < n; v += VL)
      LESS_ABOVE(1)
    W d = row[j];
    if (!(d > 0)) {
      bad = bad != 0 ? bad : j + 1;
      d = NAN;
    }
    const W s = sqrt(d), over = 1 / s;
    for (v = left; v < n; v += VL)
      STOREW(LOADW(0, row + v) * over, 0, row + v);
    row[j] = s;
  }
  return bad;
}

/* Factor the lower triangle of a, n x n, in place, and clear the upper one.
 * `before` rows stand above the block. Global size: 1, batch. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
factor_cholesky(MATRIX(a), const ulong n_, const ulong before,
                global int *info) {
  const ulong z = get_global_id(1);
  const int n = (int)n_;
  global T *a = MATRIX_AT(a, z);
  W t[NB * NB] __attribute__((aligned(64)));

  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i; ++k)
      t[k * NB + i] = LD(a + i * a_rs + k * a_cs);
  }
  for (int k = 0; k < n; ++k) {
    for (int i = n; i % VL != 0; ++i)
      t[k * NB + i] = 0;
  }
  const int bad = factor_tile(t, n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      ST(k <= i ? t[k * NB + i] : 0, a + i * a_rs + k * a_cs);
  }
  report_bad(info + z, bad, before);
}

/* --- triangular solves --- */

#define NC (NV * VL)

/* x[row] = acc / l[row][row], by the reciprocal unless that is 0, infinite or
 * subnormal. */
#define SOLVED(acc, i)                                                         \
  (is_plain[i] ? (acc) * over[i] : (acc) / (WV)l[(i)*NB + (i)])

/* Rows k to k + count of x, once those above are solved. */
#define SOLVE_ROWS(count)                                                      \
  {                                                                            \
    WV acc[count][NV];                                                         \
    _Pragma("unroll") for (int i = 0; i < count * NV; ++i)                     \
        acc[i / NV][i % NV] = LOADW(i, x + k * NC);                            \
    for (int j = 0; j < k; ++j) {                                              \
      WV xj[NV];                                                               \
      _Pragma("unroll") for (int v = 0; v < NV; ++v) xj[v] =                   \
          LOADW(v, x + j * NC);                                                \
      _Pragma("unroll") for (int i = 0; i < count * NV; ++i)                   \
          acc[i / NV][i % NV] = fma((WV)-l[(k + i / NV) * NB + j], xj[i % NV], \
                                    acc[i / NV][i % NV]);                      \
    }                                                                          \
    _Pragma("unroll") for (int i = 0; i < count; ++i) {                        \
      _Pragma("unroll") for (int v = 0; v < NV; ++v) {                         \
        _Pragma("unroll") for (int h = 0; h < i; ++h) acc[i][v] =              \
            fma((WV)-l[(k + i) * NB + k + h], acc[h][v], acc[i][v]);           \
        acc[i][v] = SOLVED(acc[i][v], k + i);                                  \
        STOREW(acc[i][v], v, x + (k + i) * NC);                                \
      }                                                                        \
    }                                                                          \
  }

/* Solve for NC columns. */
ONCE static void factor_forward(const W *l, const W *over, const char *is_plain,
                                W *x, const int n) {
  int k = 0;

  for (; k + 4 <= n; k += 4)
    SOLVE_ROWS(4)
  for (; k < n; ++k)
    SOLVE_ROWS(1)
}

/* Copy n rows of `nc` columns to x. */
ONCE static void factor_fetch(W *x, global const T *from, const long rs,
                              const long cs, const int n, const int nc) {
  for (int k = 0; k < n; ++k) {
#if X_UNIT
    if (nc == NC) {
#pragma unroll
      for (int v = 0; v < NV; ++v)
        STOREW(LDV(from + k * rs + v * VL), v, x + k * NC);
      continue;
    }
#endif
    PLAIN_LOOP
    for (int c = 0; c < nc; ++c)
      x[k * NC + c] = LD(from + k * rs + c * cs);
    PLAIN_LOOP
    for (int c = nc; c < NC; ++c)
      x[k * NC + c] = 0;
  }
}

/* The same back. */
ONCE static void factor_store(const W *x, global T *to, const long rs,
                              const long cs, const int n, const int nc) {
  for (int k = 0; k < n; ++k) {
#if X_UNIT
    if (nc == NC) {
#pragma unroll
      for (int v = 0; v < NV; ++v)
        STV(LOADW(v, x + k * NC), to + k * rs + v * VL);
      continue;
    }
#endif
    PLAIN_LOOP
    for (int c = 0; c < nc; ++c)
      ST(x[k * NC + c], to + k * rs + c * cs);
  }
}

/* Replace x, n x r, by L^-1 x, where L is the lower triangle of a, n x n, with
 * ones on its diagonal if `unit` is not 0. A work-item solves for `cols`
 * columns. Global size: blocks of columns, batch. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
factor_solve(MATRIX(a), MATRIX(x), const ulong n_, const ulong r,
             const ulong cols, const int unit) {
  const ulong z = get_global_id(1), first = get_global_id(0) * cols;
  const ulong last = min(first + cols, r);
  const int n = (int)n_;
  global const T *a = MATRIX_AT(a, z);
  global T *to = MATRIX_AT(x, z);
  W l[NB * NB] __attribute__((aligned(64)));
  W x[NB * NC] __attribute__((aligned(64))), over[NB];
  char is_plain[NB];

  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      l[i * NB + j] = LD(a + i * a_rs + j * a_cs);
    l[i * NB + i] = unit ? 1 : LD(a + i * (a_rs + a_cs));
    over[i] = 1 / l[i * NB + i];
    is_plain[i] = isnormal(over[i]) != 0;
  }
  for (ulong c = first; c < last; c += NC) {
    const int nc = (int)min((ulong)NC, last - c);

    factor_fetch(x, to + (long)c * x_cs, x_rs, x_cs, n, nc);
    factor_forward(l, over, is_plain, x, n);
    factor_store(x, to + (long)c * x_cs, x_rs, x_cs, n, nc);
  }
}

/* --- LU --- */

/* Columns are factored one by one in blocks of LB, and a panel has PB / LB of
 * them. The panel is copied to `work`, [blocks][m][LB], so that its rows do not
 * collide in caches. */
#define LB 16
#define LV (LB / VL)
#define BLOCKS (PB / LB)
#define ROW(b, i) (work + ((long)(b)*m + (i)) * LB)

/* Exchange rows i and p of the first n columns. */
static void lu_exchange(global W *work, const long m, const int n, const long i,
                        const long p) {
  for (int b = 0; b * LB < n; ++b) {
#pragma unroll
    for (int v = 0; v < LV; ++v) {
      const WV t = LOADW(v, ROW(b, i));

      STOREW(LOADW(v, ROW(b, p)), v, ROW(b, i));
      STOREW(t, v, ROW(b, p));
    }
  }
}

/* The row from k on with the largest element in column c of block b. A NaN is
 * none. */
static long lu_pivot(global const W *work, const long m, const int b,
                     const int c, const long k) {
  W most = -1;
  long p = k;

  for (long i = k; i < m; ++i) {
    const W v = fabs(ROW(b, i)[c]);

    if (v > most) {
      most = v;
      p = i;
    }
  }
  return p;
}

/* Divide column c of block b, below row k, by the pivot, and subtract its
 * products with row k from the columns after it in the block. Returns the row
 * of the next pivot. */
static long lu_eliminate(global W *work, const long m, const int b, const int c,
                         const long k) {
  const W d = ROW(b, k)[c], over = 1 / d;
  const int is_plain = isnormal(over);
  W masked[LB], most = -1;
  WV u[LV];
  long p = k + 1;

  for (int j = 0; j < LB; ++j)
    masked[j] = j > c ? ROW(b, k)[j] : 0;
#pragma unroll
  for (int v = 0; v < LV; ++v)
    u[v] = LOADW(v, masked);
  const int next = min(c + 1, LB - 1);
  for (long i = k + 1; i < m; ++i) {
    global W *row = ROW(b, i);
    const W f = is_plain ? row[c] * over : row[c] / d;
    const W ahead = fabs(fma(-f, masked[next], row[next]));

#pragma unroll
    for (int v = 0; v < LV; ++v)
      STOREW(fma((WV)-f, u[v], LOADW(v, row)), v, row);
    row[c] = f;
    if (ahead > most) {
      most = ahead;
      p = i;
    }
  }
  return p;
}

/* Subtract the products of block b, factored from row `first` to `last`, from
 * block q. */
static void lu_update(global W *work, const long m, const int b, const int q,
                      const long first, const long last) {
  for (long i = first + 1; i < m; ++i) {
    const int count = (int)(min(i, last) - first);
    global const W *row = ROW(b, i);
    WV acc[LV];

#pragma unroll
    for (int v = 0; v < LV; ++v)
      acc[v] = LOADW(v, ROW(q, i));
    for (int c = 0; c < count; ++c) {
#pragma unroll
      for (int v = 0; v < LV; ++v)
        acc[v] = fma((WV)-row[c], LOADW(v, ROW(q, first + c)), acc[v]);
    }
#pragma unroll
    for (int v = 0; v < LV; ++v)
      STOREW(acc[v], v, ROW(q, i));
  }
}

/* Factor a panel in `work`. Returns 0, or the number of the first column, from
 * 1, whose pivot is 0. */
ONCE static int lu_panel(global W *work, const long m, const int n,
                         const int before, global int *pivots) {
  const long steps = min(m, (long)n);
  int bad = 0;

  for (long first = 0; first < steps; first += LB) {
    const int b = (int)(first / LB);
    const long last = min(first + LB, steps);
    long p = lu_pivot(work, m, b, 0, first);

    for (long k = first; k < last; ++k) {
      const int c = (int)(k - first);

      pivots[k] = (int)p + before;
      if (p != k)
        lu_exchange(work, m, n, k, p);
      if (ROW(b, k)[c] != 0) {
        p = lu_eliminate(work, m, b, c, k);
        continue;
      }
      bad = bad != 0 ? bad : (int)k + 1;
      if (k + 1 < last)
        p = lu_pivot(work, m, b, c + 1, k + 1);
    }
    for (int q = b + 1; q * LB < n; ++q)
      lu_update(work, m, b, q, first, last);
  }
  return bad;
}

/* Factor a panel of m x n in place, with row exchanges, of which the first has
 * index `before` in `pivots`, [batch][each]. Pivots and `info` count from the
 * top of the matrix. Global size: 1, batch. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
factor_lu(MATRIX(a), const ulong m_, const ulong n_, const ulong before,
          global int *pivots, const ulong each, global int *info,
          global W *work) {
  const ulong z = get_global_id(1);
  const long m = (long)m_;
  const int n = (int)n_;
  global T *a = MATRIX_AT(a, z);

  work += (long)z * m * PB;
  for (int b = 0; b * LB < n; ++b) {
    for (long i = 0; i < m; ++i) {
      for (int j = 0; j < LB; ++j)
        ROW(b, i)[j] = b * LB + j < n ? LD(a + i * a_rs + (b * LB + j) * a_cs)
                                      : 0;
    }
  }
  const int bad =
      lu_panel(work, m, n, (int)before, pivots + z * each + before);
  for (long i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      ST(ROW(j / LB, i)[j % LB], a + i * a_rs + j * a_cs);
  }
  report_bad(info + z, bad, before);
}

/* --- QR --- */

/* The panel is copied to `work`, [n][m], by columns. Column k of it becomes the
 * reflector v with v[k] = 1, and R above. */
#define COLUMN(j) (work + (long)(j)*m)

/* The scale of a column: its largest absolute value from row k on. A NaN makes
 * it NaN. */
static W qr_scale(global const W *x, const long k, const long m) {
  W most = 0;

  for (long i = k; i < m; ++i) {
    const W v = fabs(x[i]);
    most = v > most || v != v ? v : most;
  }
  return most;
}

static W qr_dot(global const W *x, global const W *y, const long k,
                const long m) {
  WV sums = 0;
  W tail = 0;
  long i = k;

  for (; i + VL <= m; i += VL)
    sums = fma(LOADW(0, x + i), LOADW(0, y + i), sums);
  for (; i < m; ++i)
    tail = fma(x[i], y[i], tail);
  W lanes[VL];
  STOREW(sums, 0, lanes);
  for (int j = 0; j < VL; ++j)
    tail += lanes[j];
  return tail;
}

/* y += f x from row k on. */
static void qr_add(global W *y, const W f, global const W *x, const long k,
                   const long m) {
  long i = k;

  for (; i + VL <= m; i += VL)
    STOREW(fma((WV)f, LOADW(0, x + i), LOADW(0, y + i)), 0, y + i);
  for (; i < m; ++i)
    y[i] = fma(f, x[i], y[i]);
}

/* Make column x the reflector that clears it below row k. Returns its factor
 * tau; *r is what it leaves in row k. */
static W qr_reflector(global W *x, const long k, const long m, W *r) {
  const W scale = qr_scale(x, k + 1, m), top = x[k];

  *r = top;
  x[k] = 1;
  if (scale == 0)
    return 0;
  const W largest = fmax(scale, fabs(top)), over = 1 / largest;
  const int is_plain = isnormal(over) && isnormal(largest);
  W sum = 0;
  for (long i = k + 1; i < m; ++i)
    x[i] = is_plain ? x[i] * over : x[i] / largest;
  sum = qr_dot(x, x, k + 1, m);
  const W a = top / largest, norm = sqrt(fma(a, a, sum));
  const W beta = -copysign(norm, a), d = a - beta;
  for (long i = k + 1; i < m; ++i)
    x[i] /= d;
  *r = scale == scale ? beta * largest : scale;
  return (beta - a) / beta;
}

/* Set t, n x n, to T for `steps` reflectors, which are columns of `work`. */
static void qr_triangle(global T *t, const long t_rs, const long t_cs,
                        const int n, const int steps, global const W *work,
                        const long m, const W *tau) {
  W above[QB];

  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k && k < steps; ++i)
      above[i] = -tau[k] * qr_dot(COLUMN(i), COLUMN(k), k, m);
    for (int i = 0; i < n; ++i) {
      W sum = 0;

      for (int j = i; j < k && i < k && k < steps; ++j)
        sum = fma(LD(t + i * t_rs + j * t_cs), above[j], sum);
      ST(i == k && k < steps ? tau[k] : sum, t + i * t_rs + k * t_cs);
    }
  }
}

/* Factor a panel of m x n, n <= QB, in place: R in its upper triangle,
 * reflectors v below it, whose first element 1 is not stored. `t`, n x n,
 * becomes T with H1 ... Hn = I - V T V^T. Global size: 1, batch. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
factor_qr(MATRIX(a), const ulong m_, const ulong n_, MATRIX(t),
          global W *work) {
  const ulong z = get_global_id(1);
  const long m = (long)m_;
  const int n = (int)n_, steps = (int)min(m, (long)n);
  global T *a = MATRIX_AT(a, z);
  global T *t = MATRIX_AT(t, z);
  W r[QB * QB], tau[QB];

  work += (long)z * m * QB;
  for (long i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      COLUMN(j)[i] = LD(a + i * a_rs + j * a_cs);
  }
  for (int k = 0; k < steps; ++k) {
    W d;

    for (int i = 0; i < k; ++i) {
      r[i * QB + k] = COLUMN(k)[i];
      COLUMN(k)[i] = 0;
    }
    tau[k] = qr_reflector(COLUMN(k), k, m, &d);
    r[k * QB + k] = d;
    for (int j = k + 1; j < n; ++j)
      qr_add(COLUMN(j), -tau[k] * qr_dot(COLUMN(k), COLUMN(j), k, m),
             COLUMN(k), k, m);
  }
  qr_triangle(t, t_rs, t_cs, n, steps, work, m, tau);
  for (long i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      ST(i <= j && j < steps ? r[i * QB + j] : COLUMN(j)[i],
         a + i * a_rs + j * a_cs);
  }
}
