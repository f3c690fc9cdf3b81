/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha (sum of parts) + beta y: the second step of a product whose sums
 * were cut into `n_parts`, laid out as parts[part][row]. One work-item per row.
 * T, W, LD, ST as in gemm_cpu.cl. */
kernel void gemv_join(global const W *parts, ulong n_parts, global char *ybuf,
                      ulong yoff, long incy, ulong m, W alpha, W beta,
                      W beta_low) {
  const ulong i = get_global_id(0);
  global T *at = (global T *)(ybuf + yoff) + (long)i * incy;
  W sum = 0;

  for (ulong p = 0; p < n_parts; ++p)
    sum += parts[p * m + i];
  sum *= alpha;
  ST(beta != 0 ? fma(beta, LD(at), fma(beta_low, LD(at), sum)) : sum, at);
}
