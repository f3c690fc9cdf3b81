/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of `count` different numbers below `columns`, each drawn by the weights
 * of those that are left; -1 where no weight is left. Macros in front:
 *
 *   #define REAL float   of u, p and the copy of the weights
 *
 * Strides are in elements; z is without gaps. */
kernel void choice(global char *z_buf, const ulong z_off,
                   global const char *u_buf, const ulong u_off,
                   const long u_row, const long u_col,
                   global const char *p_buf, const ulong p_off,
                   const long p_row, const long p_col, const ulong rows,
                   const ulong columns, const ulong count,
                   global REAL *weights) {
  const long i = (long)get_global_id(0);
  global long *z = (global long *)(z_buf + z_off) + i * (long)count;
  global const REAL *u = (global const REAL *)(u_buf + u_off) + i * u_row;
  global const REAL *p = (global const REAL *)(p_buf + p_off) + i * p_row;

  if (i >= (long)rows)
    return;
  weights += i * (long)columns;
  for (long j = 0; j < (long)columns; ++j)
    weights[j] = max(p[j * p_col], (REAL)0);
  for (long k = 0; k < (long)count; ++k) {
    REAL rest = 0;
    long chosen = -1;

    for (long j = 0; j < (long)columns; ++j)
      rest += weights[j];
    rest *= u[k * u_col];
    /* The last one with a weight if rounding leaves something. */
    for (long j = 0; j < (long)columns && (chosen < 0 || rest >= 0); ++j) {
      if (weights[j] > 0) {
        rest -= weights[j];
        chosen = j;
      }
    }
    z[k] = chosen;
    if (chosen >= 0)
      weights[chosen] = 0;
  }
}
