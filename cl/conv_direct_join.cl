/* SPDX-License-Identifier: BSD-2-Clause */
/* Add up the parts of conv_direct_sum.cl in order, and put the sums. A work-item
 * computes a row of C. Behind product_put.cl. */
kernel void conv_direct_join(global const W *sums, ulong parts,
                             global char *cbuf, ulong coff, long crs, long ccs,
                             long cbs, ulong m, ulong n, ulong k,
                             SCALE_PARAMS WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const ulong row = get_global_id(0), rows = get_global_size(0);
  const window w = WINDOW_IS(0, 0);
  global T *c = (global T *)(cbuf + coff) + (long)(row / m) * cbs +
                (long)(row % m) * crs;

  sums += row * n;
  for (ulong j = 0; j < n; ++j) {
    W total = 0;
    int d[4];

    for (ulong i = 0; i < parts; ++i)
      total += sums[i * rows * n + j];
    window_digits(d, (long)j, w.j);
    product_put(total, c + window_c(d, &w), (long)row, d[3], d[2], d[1], d[0],
                s P_ARGS);
  }
}
