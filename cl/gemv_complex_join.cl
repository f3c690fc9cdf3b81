/* SPDX-License-Identifier: BSD-2-Clause */
/* y = alpha (sum of parts) + beta y of complex numbers: the second step of a
 * product whose sums were cut into `n_parts`, laid out as parts[part][row]. One
 * work-item per row. Behind complex_pairs.cl. */
kernel void gemv_join(global const W *parts, ulong n_parts, global char *ybuf,
                      ulong yoff, long incy, ulong m, W2 alpha, W2 beta) {
  const ulong i = get_global_id(0);
  W2 sum = 0;

  for (ulong p = 0; p < n_parts; ++p)
    sum += LD2(parts + 2 * (p * m + i));
  pair_put(pair_times(sum, alpha), beta,
           (global W *)(ybuf + yoff) + 2 * (long)i * incy);
}
