/* SPDX-License-Identifier: BSD-2-Clause */
/* Row exchanges of LU factors. Pivots are [batch][each]: row k was exchanged
 * with row pivots[k], one after the other. T is the dtype, or of complex ones
 * that of the parts, as stored. */
#include "factor_matrix.cl"
#include "factor_number.cl"

/* Exchange the rows of x as pivots `first` to `last` say, or, if `back`, as they
 * say from the last to the first. A work-item has `cols` columns. Global size:
 * blocks of columns, batch. */
kernel void factor_swap(MATRIX(x), const ulong n, global const int *pivots,
                        const ulong each, const ulong first, const ulong last,
                        const ulong cols, const int back) {
  const ulong z = get_global_id(1), left = get_global_id(0) * cols;
  const ulong right = min(left + cols, n);
  global T *x = NUMBERS_AT(x, z);

  pivots += z * each;
  for (ulong k = first; k < last; ++k) {
    const long i = back ? (long)(last - 1 - (k - first)) : (long)k;
    const long p = pivots[i];

    for (ulong j = left; p != i && j < right; ++j) {
      global T *u = AFTER(x, i * x_rs + (long)j * x_cs);
      global T *v = AFTER(x, p * x_rs + (long)j * x_cs);
      const N t = LDN(u);

      STN(LDN(v), u);
      STN(t, v);
    }
  }
}

/* Clamp pivots to the rows of a matrix. Global size: elements. */
kernel void factor_clamp(global int *pivots, const int rows) {
  const size_t i = get_global_id(0);

  pivots[i] = clamp(pivots[i], 0, rows - 1);
}

/* The rows of a matrix in the order that the exchanges leave, [batch][m]. Global
 * size: batch. */
kernel void factor_order(global int *order, const ulong m,
                         global const int *pivots, const ulong each) {
  const ulong z = get_global_id(0);

  order += z * m;
  pivots += z * each;
  for (ulong i = 0; i < m; ++i)
    order[i] = (int)i;
  for (ulong k = 0; k < each; ++k) {
    const int t = order[k];

    order[k] = order[pivots[k]];
    order[pivots[k]] = t;
  }
}
