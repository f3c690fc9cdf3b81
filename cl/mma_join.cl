/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha (sum of parts) + beta C: the second step of a product with a window
 * whose sums were cut into `n_parts` parts on tensor cores (mma_tile.cl). These
 * have the transposed product: element (i, j) of part q lies at
 * parts[z][q][j][i], rows of which are `ld` apart. A work-item adds up VL columns
 * of a row, in the order of parts; neighbours have neighbouring rows. Of the last
 * two digits of columns, only the first n2 and n3 exist in C. Behind
 * product_put.cl; further macros:
 *
 *   #define C_UNIT 1     VL columns that begin at a multiple of VL are neighbours
 *                        in C, and there are no others
 */
kernel void mma_join(global char *cbuf, ulong coff, long crs, long ccs,
                     long cbs, ulong m, ulong n, ulong k, SCALE_PARAMS,
                     ulong n_parts, global const W *parts, long ld, ulong n2,
                     ulong n3 WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const long i = (long)get_global_id(0), j = (long)get_global_id(1) * VL;
  const long z = (long)get_global_id(2), left = (long)n - j;
  const window w = WINDOW_IS(0, z * (long)m);
  W sum[VL];

  if (i >= (long)m || left <= 0)
    return;
  parts += (z * (long)(n_parts * n) + j) * ld + i;
#pragma unroll
  for (int e = 0; e < VL; ++e)
    sum[e] = 0;
#pragma unroll 4
  for (ulong q = 0; q < n_parts; ++q) {
#pragma unroll
    for (int e = 0; e < VL; ++e)
      sum[e] += C_UNIT || e < left ? parts[e * ld] : 0;
    parts += (long)n * ld;
  }
#pragma unroll
  for (int e = 0; e < VL; e += C_UNIT && PUT_VECTORS ? VL : 1) {
    global T *c = (global T *)(cbuf + coff) + z * cbs + i * crs;
    int d[4];

    if (!C_UNIT && e >= left)
      return;
    window_digits(d, j + e, w.j);
    if (!C_UNIT && (d[2] >= (long)n2 || d[3] >= (long)n3))
      continue;
    c += window_c(d, &w);
#if C_UNIT && PUT_VECTORS
    product_put_v(vload4(0, sum), c, w.row + i, d[3], d[2], d[1], d[0],
                  s P_ARGS);
#else
    product_put(sum[e], c, w.row + i, d[3], d[2], d[1], d[0], s P_ARGS);
#endif
  }
}
