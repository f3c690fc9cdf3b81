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

#define FETCHED ((SR * NB + G - 1) / G) /* elements of l of a work-item */
#define EACH_FETCHED(e) _Pragma("unroll") for (int e = 0; e < FETCHED; ++e)

/* What a group that solves shares. Columns of the triangle are in turns, so that
 * those who are slow still have the last ones. */
typedef struct solver {
  W l[2][SR][NB + 4], solved[SR][SC];
} solver;

/* Read SR columns of the triangle, from `first` on and from that row on, with
 * the identity outside of it. */
GA_INLINE void solve_read(W v[FETCHED], global const T *a, const long rs,
                          const long cs, const int n, const int first,
                          const int unit) {
  EACH_FETCHED(e) {
    const int at = (int)get_local_id(0) + e * G;
    const int row = at / SR + first, col = at % SR + first;
    const int is_one = row == col && (unit || row >= n);

    v[e] = is_one ? 1
           : row < n && col <= row && row < NB ? LD(a + row * rs + col * cs)
                                               : 0;
  }
}

/* Put them side by side: element (i, j) goes to l[j][i]. */
GA_INLINE void solve_put(local W l[SR][NB + 4], const W v[FETCHED],
                         const int first) {
  EACH_FETCHED(e) {
    const int at = (int)get_local_id(0) + e * G, row = at / SR + first;

    if (row < NB)
      l[at % SR][row] = v[e];
  }
}

/* Replace x by L^-1 x, where L is the lower triangle of a, n x n, with ones on
 * its diagonal if `unit` is not 0. A work-item has SR rows of a column in
 * registers; one team after the other solves, and those below it subtract what
 * follows. Columns of the triangle are read while those before are used. */
GA_INLINE void solve_registers(W x[SR], global const T *a, const long rs,
                               const long cs, const int n, const int unit,
                               local solver *s) {
  const int me = (int)get_local_id(0), top = me / SC * SR;
  W next[FETCHED];

  solve_read(next, a, rs, cs, n, 0, unit);
  for (int first = 0; first < n; first += SR) {
    local W(*l)[NB + 4] = s->l[first / SR % 2];

    solve_put(l, next, first);
    SYNC;
    if (first + SR < n)
      solve_read(next, a, rs, cs, n, first + SR, unit);
    if (top == first) {
#pragma unroll
      for (int k = 0; k < SR; ++k) {
        x[k] /= l[k][top + k];
#pragma unroll
        for (int i = k + 1; i < SR; ++i)
          x[i] = fma(-l[k][top + i], x[k], x[i]);
        s->solved[k][me % SC] = x[k];
      }
    }
    SYNC;
    for (int k = 0; top > first && k < SR; ++k) {
      const W f = s->solved[k][me % SC];

#pragma unroll
      for (int i = 0; i < SR; ++i)
        x[i] = fma(-l[k][top + i], f, x[i]);
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

#pragma unroll
  for (int k = 0; k < SR; ++k)
    x[k] = top + k < n && col < r ? LD(to + (top + k) * x_rs) : 0;
  solve_registers(x, MATRIX_AT(a, z), a_rs, a_cs, n, unit, &s);
#pragma unroll
  for (int k = 0; k < SR; ++k) {
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

#pragma unroll
  for (int k = 0; k < SR; ++k)
    x[k] = top + k == col;
  solve_registers(x, MATRIX_AT(a, z) + first * (a_rs + a_cs), a_rs, a_cs, n,
                  unit, &s);
#pragma unroll
  for (int k = 0; k < SR; ++k) {
    if (col < NB)
      ST(x[k], to + (top + k) * v_rs);
  }
}
