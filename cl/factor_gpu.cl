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
 *   #define SR 8             rows of a work-item that solves; it divides NB
 *   #define SC 32            columns of its group, of NB / SR x SC work-items
 *
 * Strides are in elements, of either sign; offsets in bytes. Registers need
 * constant indices, so loops over them are unrolled. */
#include "factor_matrix.cl"

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

/* --- Cholesky --- */

#define Q (NB / SIDE) /* rows and columns of a work-item */

/* Factor the lower triangle of a, n x n, in place, and clear the upper one. A
 * work-item has every SIDE-th row and column of the block in registers.
 * `before` rows stand above the block. Global size: SIDE * SIDE, batch. */
kernel __attribute__((reqd_work_group_size(SIDE * SIDE, 1, 1))) void
factor_cholesky(MATRIX(a), const ulong n_, const ulong before,
                global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  const int x = me % SIDE, y = me / SIDE;
  global T *a = MATRIX_AT(a, z);
  local W columns[2][NB]; /* in turns, so that each step has one barrier */
  W t[Q][Q];
  int bad = 0;

#pragma unroll
  for (int i = 0; i < Q; ++i) {
#pragma unroll
    for (int j = 0; j < Q; ++j) {
      const int row = i * SIDE + y, col = j * SIDE + x;

      t[i][j] = row < n && col <= row ? LD(a + row * a_rs + col * a_cs) : 0;
    }
  }
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    for (int at = 0; at < SIDE && q * SIDE + at < n; ++at) {
      const int k = q * SIDE + at;
      local W *column = columns[k % 2];
      W li[Q], lj[Q];

      if (x == at) {
#pragma unroll
        for (int i = 0; i < Q; ++i) {
          if (i >= q)
            column[i * SIDE + y] = t[i][q];
        }
      }
      SYNC;
      const W d = column[k], over = d > 0 ? rsqrt(d) : (W)NAN;

      bad = bad == 0 && !(d > 0) ? k + 1 : bad;
#pragma unroll
      for (int i = 0; i < Q; ++i) {
        li[i] = i >= q ? column[i * SIDE + y] * over : 0;
        lj[i] = i >= q ? column[i * SIDE + x] * over : 0;
      }
#pragma unroll
      for (int i = 0; i < Q; ++i) {
#pragma unroll
        for (int j = 0; j < Q; ++j) {
          if (i >= j && j >= q && (j > q || x > at))
            t[i][j] = fma(-li[i], lj[j], t[i][j]);
        }
        if (i >= q && x == at)
          t[i][q] = i == q && y == at ? d > 0 ? sqrt(d) : (W)NAN : li[i];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < Q; ++i) {
#pragma unroll
    for (int j = 0; j < Q; ++j) {
      const int row = i * SIDE + y, col = j * SIDE + x;

      if (row < n && col < n)
        ST(col <= row ? t[i][j] : 0, a + row * a_rs + col * a_cs);
    }
  }
  if (me == 0)
    report_bad(info + z, bad, before);
}

/* --- triangular solves --- */

#define TEAMS (NB / SR)
#define G (TEAMS * SC)

/* Copy SR columns of the triangle, from `first` on and from that row on, with
 * rows side by side: element (i, j) goes to l[j][i]. Outside of the triangle it
 * is the identity. */
GA_INLINE void solve_fetch(local W l[SR][NB + 4], global const T *a,
                           const long rs, const long cs, const int n,
                           const int first, const int unit) {
  for (int v = (int)get_local_id(0); v < SR * (NB - first); v += G) {
    const int j = v % SR, row = v / SR + first, col = first + j;
    const int is_one = row == col && (unit || row >= n);

    l[j][row] = is_one                  ? 1
                : row < n && col <= row ? LD(a + row * rs + col * cs)
                                        : 0;
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
  W x[SR];

#pragma unroll
  for (int k = 0; k < SR; ++k)
    x[k] = top + k < n && col < r ? LD(to + (top + k) * x_rs) : 0;
  for (int first = 0; first < n; first += SR) {
    SYNC;
    solve_fetch(l, a, a_rs, a_cs, n, first, unit);
    SYNC;
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
