/* SPDX-License-Identifier: BSD-2-Clause */
/* A panel of LU factors in global memory, by one group. Stands behind
 * factor_pivot.cl. */

/* The row from k on with the largest element of the column x, found by the
 * group. */
GA_INLINE int lu_pivot(global const T *x, const long rs, const int m,
                       const int k, local W *found, local int *rows) {
  W most = -1;
  int where = k;

  for (int i = k + (int)get_local_id(0); i < m; i += G) {
    const W v = fabs(LD(x + i * rs));

    if (is_larger(v, most)) {
      most = v;
      where = i;
    }
  }
  return group_choose(found, rows, most, where);
}

/* Factor a panel of m x n in place, with row exchanges, which count from
 * `before` on. Returns 0, or the number of the first column whose pivot is 0,
 * from 1. */
GA_INLINE int lu_in_memory(global T *a, const long rs, const long cs,
                           const int m, const int n, const int before,
                           global int *pivots, local W *found,
                           local int *rows) {
  const int me = (int)get_local_id(0), steps = min(m, n);
  int bad = 0;

  for (int k = 0; k < steps; ++k) {
    const int p = lu_pivot(a + k * cs, rs, m, k, found, rows);

    if (me == 0)
      pivots[k] = p + before;
    /* All have read the column. */
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int j = me; p != k && j < n; j += G) {
      const W t = LD(a + k * rs + j * cs);

      ST(LD(a + p * rs + j * cs), a + k * rs + j * cs);
      ST(t, a + p * rs + j * cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const W d = LD(a + k * (rs + cs)), over = 1 / d;
    const int is_plain = isnormal(over) != 0;

    if (d == 0 && bad == 0)
      bad = k + 1;
    for (int i = k + 1 + me; d != 0 && i < m; i += G) {
      global T *row = a + i * rs;
      const W f = quotient(LD(row + k * cs), d, over, is_plain);

      ST(f, row + k * cs);
      for (int j = k + 1; j < n; ++j)
        ST(fma(-f, LD(a + k * rs + j * cs), LD(row + j * cs)), row + j * cs);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  return bad;
}
