/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of counts: how often each of `columns` values comes in `count` drawings,
 * by a binomial number for each value out of what is left. Macros in front:
 *
 *   #define REAL float         of u and p: float or double
 *   #define STORED int         of the counts
 *   #define PUT(v) (int)(v)    REAL to STORED
 *
 * Chances count in relation to their sum; a row without any has counts of 0.
 * Strides are in elements. */
#include "random_binomial.cl"

kernel void multinomial(global char *z_buf, const ulong z_off, const long z_row,
                        const long z_col, global const char *u_buf,
                        const ulong u_off, const long u_row, const long u_col,
                        global const char *p_buf, const ulong p_off,
                        const long p_row, const long p_col, const ulong rows,
                        const ulong columns, const ulong count) {
  const long i = (long)get_global_id(0), last = (long)columns - 1;
  global STORED *z = (global STORED *)(z_buf + z_off) + i * z_row;
  global const REAL *u = (global const REAL *)(u_buf + u_off) + i * u_row;
  global const REAL *p = (global const REAL *)(p_buf + p_off) + i * p_row;
  REAL rest = 0, left;

  if (i >= (long)rows)
    return;
  for (long j = 0; j <= last; ++j)
    rest += max(p[j * p_col], (REAL)0);
  left = rest > 0 ? (REAL)count : 0;
  for (long j = 0; j <= last; ++j) {
    const REAL chance = max(p[j * p_col], (REAL)0);
    const REAL share = chance < rest ? chance / rest : (REAL)(chance > 0);
    const REAL n = binomial_number(u[j * u_col], left, share);

    z[j * z_col] = PUT(n);
    left -= n;
    rest -= chance;
  }
}
