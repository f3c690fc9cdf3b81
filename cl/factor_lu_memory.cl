/* SPDX-License-Identifier: BSD-2-Clause */
/* A panel of LU factors in global memory, by one group. Stands behind
 * factor_number.cl and factor_pivot.cl. */

/* What pivots are compared by: of a complex number the sum of the sizes of its
 * parts, as in LAPACK. */
GA_INLINE W pivot_size(const N v) {
#ifdef W2
  return fabs(v.x) + fabs(v.y);
#else
  return fabs(v);
#endif
}

/* The row from k on with the largest element of the column x, found by the
 * group. */
GA_INLINE int lu_pivot(global const T *x, const long rs, const int m,
                       const int k, local W *found, local int *rows) {
  W most = -1;
  int where = k;

  for (int i = k + (int)get_local_id(0); i < m; i += G) {
    const W v = pivot_size(LDN(AFTER(x, i * rs)));

    if (is_larger(v, most)) {
      most = v;
      where = i;
    }
  }
  return group_choose(found, rows, most, where);
}

/* Exchange rows k and p of n columns. */
GA_INLINE void lu_exchange(global T *a, const long rs, const long cs,
                           const int n, const int k, const int p) {
  for (int j = (int)get_local_id(0); j < n; j += G) {
    global T *u = AFTER(a, k * rs + j * cs), *v = AFTER(a, p * rs + j * cs);
    const N t = LDN(u);

    STN(LDN(v), u);
    STN(t, v);
  }
}

/* Divide column k below the diagonal by the pivot d, and subtract its products
 * with row k from the columns behind it. */
GA_INLINE void lu_eliminate(global T *a, const long rs, const long cs,
                            const int m, const int n, const int k, const N d) {
  const N over = divided_by(REAL(1), d);
  const int is_plain = isnormal(pivot_size(over)) != 0;

  for (int i = k + 1 + (int)get_local_id(0); i < m; i += G) {
    global T *row = AFTER(a, i * rs);
    const N f = quotient(LDN(AFTER(row, k * cs)), d, over, is_plain);

    STN(f, AFTER(row, k * cs));
    for (int j = k + 1; j < n; ++j)
      STN(plus_product(LDN(AFTER(row, j * cs)), -f,
                       LDN(AFTER(a, k * rs + j * cs))),
          AFTER(row, j * cs));
  }
}

/* Factor a panel of m x n in place, with row exchanges, which count from
 * `before` on. Returns 0, or the number of the first column whose pivot is 0,
 * from 1. */
GA_INLINE int lu_in_memory(global T *a, const long rs, const long cs,
                           const int m, const int n, const int before,
                           global int *pivots, local W *found,
                           local int *rows) {
  const int steps = min(m, n);
  int bad = 0;

  for (int k = 0; k < steps; ++k) {
    const int p = lu_pivot(AFTER(a, k * cs), rs, m, k, found, rows);

    if (get_local_id(0) == 0)
      pivots[k] = p + before;
    /* All have read the column. */
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (p != k)
      lu_exchange(a, rs, cs, n, k, p);
    barrier(CLK_GLOBAL_MEM_FENCE);
    const N d = LDN(AFTER(a, k * (rs + cs)));
    if (pivot_size(d) != 0)
      lu_eliminate(a, rs, cs, m, n, k, d);
    else if (bad == 0)
      bad = k + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  return bad;
}
