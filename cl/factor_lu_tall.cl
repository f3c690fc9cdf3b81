/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of LU factors on GPUs with more rows than cl/factor_lu_gpu.cl has
 * registers for: one group for each matrix of a batch, in global memory. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"

/* The row from k on with the largest element of the column x, found by the
 * group. */
GA_INLINE long lu_pivot(global const T *x, const long rs, const long m,
                     const long k, local W *most, local long *where) {
  const int me = (int)get_local_id(0);

  most[me] = -1;
  where[me] = k;
  for (long i = k + me; i < m; i += G) {
    const W v = fabs(LD(x + i * rs));

    if (v > most[me] && v <= INFINITY) {
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
  if (me == 0)
    report_bad(info + z, bad, before);
}
