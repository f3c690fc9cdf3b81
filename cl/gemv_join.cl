/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha (sum of parts) + beta y: the second step of a product whose sums
 * were cut into `n_parts`, laid out as parts[part][row]. One work-item per row;
 * with SUM 1 row m is the sum of x. T, W, LD, ST as in gemm_cpu.cl, or behind
 * complex_pairs.cl, and product_put.cl. */
kernel void gemv_join(global char *ybuf, ulong yoff, long incy, ulong m,
                      SCALE_PARAMS, ulong n_parts,
                      global const W *parts P_PARAMS) {
  const product_scale s = SCALE;
  const long i = (long)get_global_id(0);
  N sum = 0;

  for (ulong p = 0; p < n_parts; ++p)
    sum += LDW(parts + NL * (p * (m + SUM) + i));
#if SUM
  if (i == (long)m) {
    p_put_sum(sum P_ARGS);
    return;
  }
#endif
  product_put(sum, (global T *)(ybuf + yoff) + NL * i * incy, 0, i, s P_ARGS);
}
