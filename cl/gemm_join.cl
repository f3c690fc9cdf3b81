/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha (sum of parts) + beta C: the second step of gemm_gpu.cl with PARTS.
 * One work-item per element; T, W, LD, ST as in gemm_cpu.cl; results go through
 * product_put.cl. */
kernel void gemm_join(global const W *parts, ulong n_parts, global char *cbuf,
                      ulong coff, long crs, long ccs, long cbs, ulong m,
                      ulong n, W alpha, W beta, W beta_low P_PARAMS) {
  const product_scale s = {alpha, beta, beta_low};
  const ulong j = get_global_id(0), i = get_global_id(1), z = get_global_id(2);
  global T *at = (global T *)(cbuf + coff) + (long)z * cbs + (long)i * crs +
                 (long)j * ccs;
  const ulong all = get_global_size(2) * m * n;
  W sum = 0;

  parts += (z * m + i) * n + j;
  for (ulong p = 0; p < n_parts; ++p)
    sum += parts[p * all];
  product_put(sum, at, (long)i, (long)j, s P_ARGS);
}
