/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors of many small matrices on GPUs: a group has some of them, and a
 * work-item a row of one. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 32             work-items of a group, a power of 2
 *   #define P 8              those of a matrix, which has as many rows and
 *                            columns at most; a power of 2 from 4 on
 *   #define PTX 1            as in factor_group.cl
 *
 * Rows stay where they are until the end, as in factor_lu_gpu.cl. Columns turn
 * in registers: what was the second one is the first one then. Strides are in
 * elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_pivot.cl"

#define EACH_COLUMN(j) _Pragma("unroll") for (int j = 0; j < P; ++j)
#define MATRICES (G / P)
#define CHUNK (P < 8 ? P : 8) /* columns that are left out together */
#define W4 GA_JOIN(W, 4)

/* What the work-items of a matrix share. */
typedef struct small {
  W told[2][P] __attribute__((aligned(32))); /* pivots' rows, in turns */
  W x[P][P + 1];                             /* what is finished, by rows */
  int lies[2];                               /* where pivots' rows lie */
  int pivots[P], place[P];                   /* positions, of rows in the end */
} small;

/* The position with the largest value among those of the matrix. */
GA_INLINE int small_choose(local W *found, local int *rows, W most, int where) {
#if SHUFFLES && P == 32
  warp_choose(&most, &where, 32);
  return where;
#elif SHUFFLES
#pragma unroll
  for (uint by = P / 2; by > 0; by /= 2) {
    const W other = shuffle_value(most, by);
    const int at = (int)shuffle_word((uint)where, by);
    const int is_better = is_before(other, at, most, where);

    most = is_better ? other : most;
    where = is_better ? at : where;
  }
  return where;
#else
  const int me = (int)get_local_id(0);

  found[me] = most;
  rows[me] = where;
  for (int span = P / 2; span > 0; span /= 2) {
    WAIT;
    if (me % P < span && is_before(found[me + span], rows[me + span],
                                   found[me], rows[me])) {
      found[me] = found[me + span];
      rows[me] = rows[me + span];
    }
  }
  WAIT;
  return rows[me / P * P];
#endif
}

/* Element (i, j) is the v-th one that work-item `me` moves. */
#define MOVED_I(v) (by_rows ? (v) : me % P)
#define MOVED_J(v) (by_rows ? me % P : (v))

GA_INLINE void small_read(local small *s, global const T *a, const long rs,
                          const long cs, const int m, const int n) {
  const int me = (int)get_local_id(0), by_rows = cs == 1;
  W v[P];

  EACH_COLUMN(e) {
    const int i = MOVED_I(e), j = MOVED_J(e);

    v[e] = i < m && j < n ? LD(a + i * rs + j * cs) : 0;
  }
  EACH_COLUMN(e) s->x[MOVED_I(e)][MOVED_J(e)] = v[e];
}

GA_INLINE void small_write(local const small *s, global T *a, const long rs,
                           const long cs, const int m, const int n) {
  const int me = (int)get_local_id(0), by_rows = cs == 1;

  EACH_COLUMN(e) {
    const int i = MOVED_I(e), j = MOVED_J(e);

    if (i < m && j < n)
      ST(s->x[i][j], a + s->place[i] * rs + j * cs);
  }
}

/* Add `by` times the pivot's row to columns from `first` on, which turn. Nothing
 * is added if the pivot is 0. */
GA_INLINE void small_update(W x[P], const W by, const int is_zero,
                            local const W *told, const int first) {
#pragma unroll
  for (int j = first; j < first + CHUNK; j += 4) {
    const W4 u = *(local const W4 *)(told + j);

    if (j > 0)
      x[j > 0 ? j - 1 : 0] = fma(by, is_zero ? 0 : u.s0, x[j]);
    x[j] = fma(by, is_zero ? 0 : u.s1, x[j + 1]);
    x[j + 1] = fma(by, is_zero ? 0 : u.s2, x[j + 2]);
    x[j + 2] = fma(by, is_zero ? 0 : u.s3, x[j + 3]);
  }
}

/* Put the factors of m x n matrices, of which there are `batch`, into a, which
 * may be where they lie, with row exchanges; pivots are [batch][each]. Global
 * size: G for each MATRICES. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_lu(MATRIX(from), MATRIX(a), const ulong m_, const ulong n_,
          const ulong batch, global int *pivots, const ulong each,
          global int *info) {
  const int me = (int)get_local_id(0), row = me % P;
  const ulong z = get_group_id(0) * MATRICES + me / P;
  const int is_there = z < batch;
  const int m = is_there ? (int)m_ : 0, n = (int)n_, least = (int)min(m_, n_);
  local small all[MATRICES];
  local W found[G];
  local int rows[G];
  local small *s = all + me / P;
  int position = row, is_live = row < m, bad = 0;
  W x[P];

  small_read(s, MATRIX_AT(from, is_there ? z : 0), from_rs, from_cs, m, n);
  WAIT;
  EACH_COLUMN(j) x[j] = s->x[row][j];
  for (int k = 0; k < least; ++k) {
    const int turn = k % 2, left = n - k;
    const W v = fabs(x[0]);
    const int is_valid = is_live && is_larger(v, -1);
    const int best = small_choose(found, rows, is_valid ? v : -1,
                                  is_valid ? position : INT_MAX);
    const int p = best < INT_MAX ? best : k;
    const int is_pivot = is_live && position == p;

    if (is_pivot) {
      EACH_COLUMN(j) s->told[turn][j] = x[j];
      s->lies[turn] = row;
      s->pivots[k] = p;
    }
    WAIT;
    const W d = m > 0 ? s->told[turn][0] : 1, over = 1 / d;
    const W f = d == 0 ? x[0] : isnormal(over) ? x[0] * over : x[0] / d;
    const W by = d == 0 ? 0 : -f;

    bad = bad == 0 && d == 0 ? k + 1 : bad;
    if (row < left && m > 0)
      s->x[s->lies[turn]][k + row] = s->told[turn][row];
    is_live = is_live && !is_pivot;
    position = is_pivot ? k : position == k ? p : position;
    if (is_live)
      s->x[row][k] = f;
#pragma unroll
    for (int first = 0; first < P; first += CHUNK) {
      if (first < left)
        small_update(x, by, d == 0, s->told[turn], first);
    }
  }
  s->place[row] = position;
  SYNC; /* all have read */
  small_write(s, MATRIX_AT(a, is_there ? z : 0), a_rs, a_cs, m, n);
  if (row < least && m > 0)
    pivots[z * each + row] = s->pivots[row];
  if (row == 0 && m > 0)
    info[z] = bad;
}
