/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of gradients by filters with Winograd's algorithm; see
 * conv_winograd_gpu.cl. Stands behind product_put.cl. */
#define TV W
#include "conv_winograd.cl"
#include "conv_winograd_gpu.cl"

/* One work-item for each channel and row. */
kernel void conv_winograd_filter_sums(global char *cbuf, ulong coff, long crs,
                                      long ccs, long cbs, ulong m, ulong n,
                                      ulong k, SCALE_PARAMS, ulong channels,
                                      ulong groups,
                                      global const W *sums WINDOW_PARAMS
                                          P_PARAMS) {
  const product_scale s = SCALE;
  const ulong c = get_global_id(0), row = get_global_id(1);
  const ulong z = get_global_id(2), each = groups * m * channels;
  const window w = WINDOW_IS(0, (long)(z * m));
  const int last = w.j_last;
  W v[3][6];

  if (c >= channels)
    return;
  sums += (z * m + row) * channels + c;
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    W line[6], to[3];

#pragma unroll
    for (int i = 0; i < 6; ++i)
      line[i] = sums[(i * 6 + j) * each];
    winograd_filter_sums(to, line);
#pragma unroll
    for (int i = 0; i < 3; ++i)
      v[i][j] = to[i];
  }
  global T *to_c = (global T *)(cbuf + coff) + (long)z * cbs + (long)row * crs;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    W to[3];

    winograd_filter_sums(to, v[i]);
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int d[4] = {last ? 0 : (int)c, last ? i : 0, last ? j : i,
                        last ? (int)c : j};

      product_put(to[j], to_c + window_c(d, &w), w.row + (long)row, d[3], d[2],
                  d[1], d[0], s P_ARGS);
    }
  }
}
