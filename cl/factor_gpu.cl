/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagonal blocks of factorisations on GPUs: one group for each matrix of a
 * batch, or for some columns of it. The rest of a matrix is products. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define NB 32            most rows of a block
 *   #define G 32             work-items of a group
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"

/* Factor the lower triangle of a, n x n, in place, and clear the upper one.
 * `before` rows stand above the block. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_cholesky(MATRIX(a), const ulong n_, const ulong before,
                global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  global T *a = MATRIX_AT(a, z);
  local W t[NB][NB + 1];
  int bad = 0;

  for (int i = 0; i < n; ++i) {
    for (int k = me; k <= i; k += G)
      t[i][k] = LD(a + i * a_rs + k * a_cs);
  }
  for (int k = 0; k < n; ++k) {
    SYNC;
    const W d = t[k][k], s = d > 0 ? sqrt(d) : (W)NAN;

    if (!(d > 0) && bad == 0)
      bad = k + 1;
    SYNC;
    for (int i = k + me; i < n; i += G)
      t[i][k] = i == k ? s : t[i][k] / s;
    SYNC;
    for (int i = k + 1 + me; i < n; i += G) {
      for (int j = k + 1; j <= i; ++j)
        t[i][j] = fma(-t[i][k], t[j][k], t[i][j]);
    }
  }
  SYNC;
  for (int i = 0; i < n; ++i) {
    for (int k = me; k < n; k += G)
      ST(k <= i ? t[i][k] : 0, a + i * a_rs + k * a_cs);
  }
  if (me != 0)
    return;
  if (before == 0)
    info[z] = bad;
  else if (bad != 0 && info[z] == 0)
    info[z] = bad + (int)before;
}

/* Replace x, n x r, by L^-1 x, where L is the lower triangle of a, n x n, with
 * ones on its diagonal if `unit` is not 0. A work-item solves for a column.
 * Global size: columns, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_solve(MATRIX(a), MATRIX(x), const ulong n_, const ulong r,
             const int unit) {
  const ulong z = get_group_id(1), col = get_global_id(0);
  const int n = (int)n_, me = (int)get_local_id(0);
  global const T *a = MATRIX_AT(a, z);
  global T *to = MATRIX_AT(x, z) + (long)col * x_cs;
  local W l[NB][NB + 1];
  W x[NB];

  for (int i = 0; i < NB; ++i) {
    for (int j = me; j <= i; j += G)
      l[i][j] = i >= n               ? (W)(i == j)
                : i == j && unit != 0 ? 1
                                      : LD(a + i * a_rs + j * a_cs);
  }
  SYNC;
#pragma unroll
  for (int k = 0; k < NB; ++k)
    x[k] = k < n && col < r ? LD(to + k * x_rs) : 0;
#pragma unroll
  for (int k = 0; k < NB; ++k) {
#pragma unroll
    for (int j = 0; j < k; ++j)
      x[k] = fma(-l[k][j], x[j], x[k]);
    x[k] /= l[k][k];
  }
#pragma unroll
  for (int k = 0; k < NB; ++k) {
    if (k < n && col < r)
      ST(x[k], to + k * x_rs);
  }
}

/* The row from k on with the largest element of the column x, found by the
 * group. */
GA_INLINE long lu_pivot(global const T *x, const long rs, const long m,
                     const long k, local W *most, local long *where) {
  const int me = (int)get_local_id(0);

  most[me] = -1;
  where[me] = k;
  for (long i = k + me; i < m; i += G) {
    const W v = fabs(LD(x + i * rs));

    if (v > most[me]) {
      most[me] = v;
      where[me] = i;
    }
  }
  for (int span = G / 2; span > 0; span /= 2) {
    SYNC;
    if (me < span && (most[me + span] > most[me] ||
                      (most[me + span] == most[me] &&
                       where[me + span] < where[me]))) {
      most[me] = most[me + span];
      where[me] = where[me + span];
    }
  }
  SYNC;
  const long p = where[0];
  SYNC;
  return p;
}

/* Factor a panel of m x n in place, with row exchanges, of which the first has
 * index `before` in `pivots`, [batch][each]. Pivots and `info` count from the
 * top of the matrix. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_lu(MATRIX(a), const ulong m_, const ulong n_, const ulong before,
          global int *pivots, const ulong each, global int *info) {
  const ulong z = get_group_id(1);
  const long m = (long)m_, n = (long)n_, steps = min(m, n);
  const int me = (int)get_local_id(0);
  global T *a = MATRIX_AT(a, z);
  local W most[G];
  local long where[G];
  int bad = 0;

  for (long k = 0; k < steps; ++k) {
    const long p = lu_pivot(a + k * a_cs, a_rs, m, k, most, where);

    if (me == 0)
      pivots[z * each + before + k] = (int)(p + (long)before);
    for (long j = me; p != k && j < n; j += G) {
      const W t = LD(a + k * a_rs + j * a_cs);

      ST(LD(a + p * a_rs + j * a_cs), a + k * a_rs + j * a_cs);
      ST(t, a + p * a_rs + j * a_cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const W d = LD(a + k * (a_rs + a_cs));

    if (d == 0 && bad == 0)
      bad = (int)k + 1;
    for (long i = k + 1 + me; d != 0 && i < m; i += G) {
      global T *row = a + i * a_rs;
      const W f = LD(row + k * a_cs) / d;

      ST(f, row + k * a_cs);
      for (long j = k + 1; j < n; ++j)
        ST(fma(-f, LD(a + k * a_rs + j * a_cs), LD(row + j * a_cs)),
           row + j * a_cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  if (me != 0)
    return;
  if (before == 0)
    info[z] = bad;
  else if (bad != 0 && info[z] == 0)
    info[z] = bad + (int)before;
}

/* --- QR --- */

/* Make column x the reflector that clears it below row k, where it keeps R.
 * Returns its factor tau. */
GA_INLINE W qr_reflector(global T *x, const long rs, const long k, const long m,
                      SHARED W *sums) {
  const int me = (int)get_local_id(0);
  W most = 0, sum = 0;

  for (long i = k + 1 + me; i < m; i += G) {
    const W v = fabs(LD(x + i * rs));
    most = v > most || v != v ? v : most;
  }
  most = group_most(most, sums);
  if (most == 0)
    return 0;
  const W top = LD(x + k * rs), largest = fmax(most, fabs(top));
  for (long i = k + 1 + me; i < m; i += G) {
    const W v = LD(x + i * rs) / largest;
    sum = fma(v, v, sum);
  }
  sum = group_sum(sum, sums);
  const W a = top / largest, norm = sqrt(fma(a, a, sum));
  const W beta = -copysign(norm, a), d = a - beta;
  for (long i = k + 1 + me; i < m; i += G)
    ST(LD(x + i * rs) / largest / d, x + i * rs);
  if (me == 0)
    ST(most == most ? beta * largest : most, x + k * rs);
  barrier(CLK_GLOBAL_MEM_FENCE);
  return (beta - a) / beta;
}

/* The product of reflector v, of row k, with column y. */
GA_INLINE W qr_dot(global const T *v, global const T *y, const long rs,
                const long k, const long m, SHARED W *sums) {
  const int me = (int)get_local_id(0);
  W sum = me == 0 ? LD(y + k * rs) : 0;

  for (long i = k + 1 + me; i < m; i += G)
    sum = fma(LD(v + i * rs), LD(y + i * rs), sum);
  return group_sum(sum, sums);
}

/* Set t, n x n, to T for `steps` reflectors, which are columns of a. */
GA_INLINE void qr_triangle(global T *t, const long t_rs, const long t_cs,
                const int n, const int steps, global const T *a,
                const long a_rs, const long a_cs, const long m, const W *tau,
                SHARED W *sums, local W *above) {
  const int me = (int)get_local_id(0);

  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k && k < steps; ++i) {
      const W dot = qr_dot(a + k * a_cs, a + i * a_cs, a_rs, k, m, sums);
      if (me == 0)
        above[i] = -tau[k] * dot;
    }
    SYNC;
    for (int i = me; i < n; i += G) {
      W sum = 0;

      for (int j = i; j < k && k < steps; ++j)
        sum = fma(LD(t + i * t_rs + j * t_cs), above[j], sum);
      ST(i == k && k < steps ? tau[k] : sum, t + i * t_rs + k * t_cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

/* Factor a panel of m x n, n <= QB, in place: R in its upper triangle,
 * reflectors v below it, whose first element 1 is not stored. `t`, n x n,
 * becomes T with H1 ... Hn = I - V T V^T. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_qr(MATRIX(a), const ulong m_, const ulong n_, MATRIX(t)) {
  const ulong z = get_group_id(1);
  const long m = (long)m_;
  const int n = (int)n_, steps = (int)min(m, (long)n);
  const int me = (int)get_local_id(0);
  global T *a = MATRIX_AT(a, z);
  global T *t = MATRIX_AT(t, z);
  SHARED W sums[G];
  local W above[QB];
  W tau[QB];

  for (int k = 0; k < steps; ++k) {
    global T *v = a + k * a_cs;

    tau[k] = qr_reflector(v, a_rs, k, m, sums);
    for (int j = k + 1; j < n; ++j) {
      global T *y = a + j * a_cs;
      const W f = -tau[k] * qr_dot(v, y, a_rs, k, m, sums);

      for (long i = k + me; i < m; i += G)
        ST(fma(f, i == k ? 1 : LD(v + i * a_rs), LD(y + i * a_rs)),
           y + i * a_rs);
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
  }
  qr_triangle(t, t_rs, t_cs, n, steps, a, a_rs, a_cs, m, tau, sums, above);
}
