/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagonal blocks of factorisations on GPUs: one group for each matrix of a
 * batch, or for some columns of it. The rest of a matrix is products. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define NB 128           most rows of a block
 *   #define SIDE 16          a group of the Cholesky factor is SIDE x SIDE
 *                            work-items; it divides NB
 *   #define SR 16            rows of a work-item that solves; it divides NB
 *   #define SC 32            columns of its group, of NB / SR x SC work-items
 *
 * Strides are in elements, of either sign; offsets in bytes. Registers need
 * constant indices, so loops over them are unrolled. */
#include "factor_matrix.cl"

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

/* --- Cholesky --- */

#define Q (NB / SIDE) /* rows and columns of a work-item, which has a square */

/* Step q of a work-item's columns, which begin at column k0: those with that
 * column share it, and everyone subtracts its square. Returns 0 if the minor is
 * not positive definite. */
GA_INLINE int cholesky_step(W t[Q][Q], const int q, const int k0,
                            local W *column) {
  const int me = (int)get_local_id(0);
  const int left = me % SIDE * Q, top = me / SIDE * Q;

  if (left == k0) {
#pragma unroll
    for (int i = 0; i < Q; ++i)
      column[top + i] = t[i][q];
  }
  SYNC;
  const W d = column[k0 + q], over = d > 0 ? rsqrt(d) : (W)NAN;
  W li[Q];

  if (top < k0 || left < k0 || left > top)
    return d > 0;
#pragma unroll
  for (int i = 0; i < Q; ++i)
    li[i] = column[top + i] * over;
#pragma unroll
  for (int j = 0; j < Q; ++j) {
    const W lj = column[left + j] * over;

    if (left > k0 || j > q) {
#pragma unroll
      for (int i = 0; i < Q; ++i)
        t[i][j] = fma(-li[i], lj, t[i][j]);
    }
  }
  if (left == k0) {
#pragma unroll
    for (int i = 0; i < Q; ++i)
      t[i][q] = li[i];
    if (top == k0)
      t[q][q] = d > 0 ? sqrt(d) : (W)NAN;
  }
  return d > 0;
}

/* Factor the lower triangle of a, n x n, in place, and clear the upper one.
 * `before` rows stand above the block. Global size: SIDE * SIDE, batch. */
kernel __attribute__((reqd_work_group_size(SIDE * SIDE, 1, 1))) void
factor_cholesky(MATRIX(a), const ulong n_, const ulong before,
                global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  const int left = me % SIDE * Q, top = me / SIDE * Q;
  global T *a = MATRIX_AT(a, z);
  /* In turns, so that each step has one barrier. */
  local W columns[2][NB] __attribute__((aligned(32)));
  W t[Q][Q];
  int bad = 0;

#pragma unroll
  for (int i = 0; i < Q; ++i) {
#pragma unroll
    for (int j = 0; j < Q; ++j) {
      const int row = top + i, col = left + j;

      t[i][j] = row < n && col <= row ? LD(a + row * a_rs + col * a_cs) : 0;
    }
  }
  for (int k0 = 0; k0 < n; k0 += Q) {
#pragma unroll
    for (int q = 0; q < Q; ++q) {
      const int is_good = cholesky_step(t, q, k0, columns[q % 2]);

      bad = bad == 0 && !is_good && k0 + q < n ? k0 + q + 1 : bad;
    }
  }
#pragma unroll
  for (int i = 0; i < Q; ++i) {
#pragma unroll
    for (int j = 0; j < Q; ++j) {
      const int row = top + i, col = left + j;

      if (row < n && col < n)
        ST(col <= row ? t[i][j] : 0, a + row * a_rs + col * a_cs);
    }
  }
  if (me != 0)
    return;
  if (before == 0)
    info[z] = bad;
  else if (bad != 0 && info[z] == 0)
    info[z] = bad + (int)before;
}

/* --- triangular solves --- */

#define TEAMS (NB / SR)
#define G (TEAMS * SC)

#define EACH (SR * NB / G) /* elements of a strip that a work-item copies */

/* Read a work-item's part of SR columns of the triangle, from `first` on and
 * from that row on. Outside of the triangle it is the identity. */
GA_INLINE void solve_read(W *part, global const T *a, const long rs,
                          const long cs, const int n, const int first,
                          const int unit) {
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int v = (int)get_local_id(0) + e * G;
    const int row = v / SR + first, col = v % SR + first;
    const int is_one = row == col && (unit || row >= n);

    part[e] = is_one                    ? 1
              : row < n && col <= row ? LD(a + row * rs + col * cs)
                                        : 0;
  }
}

/* Write it with rows side by side: element (i, j) goes to l[j][i]. */
GA_INLINE void solve_write(local W l[SR][NB + 4], const W *part,
                           const int first) {
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int v = (int)get_local_id(0) + e * G, row = v / SR + first;

    if (row < NB)
      l[v % SR][row] = part[e];
  }
}

/* Replace x, n x r, by L^-1 x, where L is the lower triangle of a, n x n, with
 * ones on its diagonal if `unit` is not 0. A work-item has SR rows of a column
 * in registers; one team after the other solves, and those below it subtract
 * what follows. Global size: G for each SC columns, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_solve(MATRIX(a), MATRIX(x), const ulong n_, const ulong r,
             const int unit) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  const int team = me / SC, top = team * SR;
  const ulong col = get_group_id(0) * SC + me % SC;
  global const T *a = MATRIX_AT(a, z);
  global T *to = MATRIX_AT(x, z) + (long)col * x_cs;
  local W l[SR][NB + 4], solved[SR][SC];
  W x[SR], part[EACH];

#pragma unroll
  for (int k = 0; k < SR; ++k)
    x[k] = top + k < n && col < r ? LD(to + (top + k) * x_rs) : 0;
  solve_read(part, a, a_rs, a_cs, n, 0, unit);
  for (int first = 0; first < n; first += SR) {
    SYNC;
    solve_write(l, part, first);
    SYNC;
    if (first + SR < n) /* what is next arrives while this is solved */
      solve_read(part, a, a_rs, a_cs, n, first + SR, unit);
    if (top == first) {
#pragma unroll
      for (int k = 0; k < SR; ++k) {
        x[k] /= l[k][top + k];
#pragma unroll
        for (int i = k + 1; i < SR; ++i)
          x[i] = fma(-l[k][top + i], x[k], x[i]);
        solved[k][me % SC] = x[k];
      }
    }
    SYNC;
    for (int k = 0; top > first && k < SR; ++k) {
      const W f = solved[k][me % SC];

#pragma unroll
      for (int i = 0; i < SR; ++i)
        x[i] = fma(-l[k][top + i], f, x[i]);
    }
  }
#pragma unroll
  for (int k = 0; k < SR; ++k) {
    if (top + k < n && col < r)
      ST(x[k], to + (top + k) * x_rs);
  }
}
