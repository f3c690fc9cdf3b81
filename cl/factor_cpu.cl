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
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#define MATRIX(x)                                                              \
  global char *x##_buf, const ulong x##_off, const long x##_rs,                \
      const long x##_cs, const long x##_bs
#define MATRIX_AT(x, z) ((global T *)(x##_buf + x##_off) + (long)(z)*x##_bs)

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
  if (before == 0)
    info[z] = bad;
  else if (bad != 0 && info[z] == 0)
    info[z] = bad + (int)before;
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
