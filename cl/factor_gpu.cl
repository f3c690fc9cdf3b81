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
 *   #define G 512            work-items of its group: NB / SR for each column
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
#define SC (G / TEAMS) /* columns of a group */
#define EACH_ROW(k) _Pragma("unroll") for (int k = 0; k < SR; ++k)
#define EACH_FETCHED(e) _Pragma("unroll") for (int e = 0; e < FETCHED; ++e)
#define FETCHED (SR * (NB - SR) / G + 1) /* elements of a work-item */
#define PITCH (NB + 4)

/* What a group that solves shares, in turns: SR columns of the triangle, of
 * which element (i, j) is at j * PITCH + i, and x in these rows. */
typedef struct solver {
  W l[2][SR * PITCH], solved[2][SR][SC];
} solver;

/* Element e of a work-item is in row SR + e_row and column e_column of the
 * first SR columns. */
GA_INLINE int solve_row(const int e) {
  return (int)((get_local_id(0) + e * G) / SR);
}

GA_INLINE int solve_column(const int e) {
  return (int)((get_local_id(0) + e * G) % SR);
}

/* Read what lies below the diagonal in SR columns, which begin at a, `left` rows
 * of it; `from` has the places of the work-item's elements. */
GA_INLINE void solve_read(W v[FETCHED], global const T *a,
                          const long from[FETCHED], const int left) {
  EACH_FETCHED(e) v[e] = solve_row(e) < left ? LD(a + from[e]) : 0;
}

/* Put it into l, where the rows have the numbers `first` to NB - 1. */
GA_INLINE void solve_put(local W *l, const W v[FETCHED], const int first) {
  EACH_FETCHED(e) {
    const int row = solve_row(e) + first;

    if (row < NB)
      l[solve_column(e) * PITCH + row] = v[e];
  }
}

/* x / d, where `over` is 1 / d: a product and a correction wait for less than a
 * division. They are wrong only where numbers overflow. */
GA_INLINE W solve_divided(const W x, const W d, const W over) {
  const W q = x * over, rest = fma(-d, q, x);

  return isfinite(rest) ? fma(rest, over, q) : x / d;
}

/* Solve for x with the team's own triangle t, whose diagonal has the
 * reciprocals `over`. */
GA_INLINE void solve_team(W x[SR], const W t[SR][SR], const W over[SR]) {
  EACH_ROW(k) {
    x[k] = solve_divided(x[k], t[k][k], over[k]);
    EACH_ROW(i) x[i] = i > k ? fma(-t[k][i], x[k], x[i]) : x[i];
  }
}

/* Subtract what the team before solved for. */
GA_INLINE void solve_subtract(W x[SR], local const W *l, local W solved[SR][SC],
                              const int top, const int col) {
  EACH_ROW(k) {
    const W f = solved[k][col];

    EACH_ROW(i) x[i] = fma(-l[k * PITCH + top + i], f, x[i]);
  }
}

/* Read the diagonal of a team, n x n, outside of which is the identity. */
GA_INLINE void solve_diagonal(W t[SR][SR], global const T *a, const long rs,
                              const long cs, const int n, const int unit) {
  EACH_ROW(k) {
    EACH_ROW(i) {
      const int is_one = i == k && (unit || k >= n);

      t[k][i] = is_one             ? 1
                : i >= k && i < n ? LD(a + i * rs + k * cs)
                                   : 0;
    }
  }
}

/* Replace x by L^-1 x, where L is the lower triangle of a, n x n, with ones on
 * its diagonal if `unit` is not 0. A work-item has SR rows of a column, and its
 * team's part of the diagonal, in registers. In each step one team solves. What
 * is below it in its columns was read two steps before, and is subtracted in
 * the next step. */
GA_INLINE void solve_registers(W x[SR], global const T *a, const long rs,
                               const long cs, const int n, const int unit,
                               local solver *s) {
  const int me = (int)get_local_id(0), top = me / SC * SR, col = me % SC;
  const long apart = SR * (rs + cs);
  long from[FETCHED];
  W t[SR][SR], over[SR], next[2][FETCHED];

  EACH_FETCHED(e) from[e] = (SR + solve_row(e)) * rs + solve_column(e) * cs;
  solve_read(next[0], a, from, n - SR);
  solve_read(next[1], a + apart, from, n - 2 * SR);
  solve_diagonal(t, a + top * (rs + cs), rs, cs, n - top, unit);
  EACH_ROW(k) over[k] = 1 / t[k][k];
  for (int even = 0; even < n; even += 2 * SR, a += 2 * apart) {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const int first = even + odd * SR;

      if (first > 0 && top >= first)
        solve_subtract(x, s->l[!odd], s->solved[!odd], top, col);
      if (top == first) {
        solve_team(x, t, over);
        EACH_ROW(k) s->solved[odd][k][col] = x[k];
      }
      solve_put(s->l[odd], next[odd], first + SR);
      solve_read(next[odd], a + (2 + odd) * apart, from, n - first - 3 * SR);
      SYNC;
    }
  }
}

/* Replace x, n x r, by L^-1 x. Global size: G for each SC columns, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_solve(MATRIX(a), MATRIX(x), const ulong n_, const ulong r,
             const int unit) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0), top = me / SC * SR;
  const ulong col = get_group_id(0) * SC + me % SC;
  global T *to = MATRIX_AT(x, z) + (long)col * x_cs;
  local solver s;
  W x[SR];

  EACH_ROW(k) x[k] = top + k < n && col < r ? LD(to + (top + k) * x_rs) : 0;
  solve_registers(x, MATRIX_AT(a, z), a_rs, a_cs, n, unit, &s);
  EACH_ROW(k) {
    if (top + k < n && col < r)
      ST(x[k], to + (top + k) * x_rs);
  }
}

#define BLOCK_GROUPS ((NB + SC - 1) / SC) /* that invert a block */

/* Invert the diagonal blocks of the lower triangle of a, n x n, into v, where
 * they lie side by side, NB x (blocks * NB). Global size: G for each SC columns
 * of each block, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_invert(MATRIX(a), MATRIX(v), const ulong n_, const int unit) {
  const ulong z = get_group_id(1);
  const int me = (int)get_local_id(0), top = me / SC * SR;
  const int first = (int)get_group_id(0) / BLOCK_GROUPS * NB;
  const int col = (int)get_group_id(0) % BLOCK_GROUPS * SC + me % SC;
  const int n = min(NB, (int)n_ - first);
  global T *to = MATRIX_AT(v, z) + (long)(first + col) * v_cs;
  local solver s;
  W x[SR];

  EACH_ROW(k) x[k] = top + k == col;
  solve_registers(x, MATRIX_AT(a, z) + first * (a_rs + a_cs), a_rs, a_cs, n,
                  unit, &s);
  EACH_ROW(k) {
    if (col < NB)
      ST(x[k], to + (top + k) * v_rs);
  }
}
