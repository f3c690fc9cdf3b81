/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of Winograd's algorithm; see conv_winograd_gpu.cl. Stands behind
 * product_put.cl; one more macro:
 *
 *   #define C_UNIT 1    columns along the last dimension are neighbours in C
 */
#define TV W
#include "conv_winograd.cl"
#include "conv_winograd_gpu.cl"

/* One work-item for each row and tile. */
kernel void conv_winograd_sums(global char *cbuf, ulong coff, long crs, long ccs,
                               long cbs, ulong m, ulong n, ulong k,
                               SCALE_PARAMS, ulong groups, uint down,
                               uint along, uint from, uint tiles,
                               global const W *sums WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const ulong row = get_global_id(TURNED ? 0 : 1), z = get_global_id(2);
  const uint tile = (uint)get_global_id(TURNED ? 1 : 0);
  const ulong each = groups * m * tiles;
  const window w = WINDOW_IS(0, (long)(z * m));
  W v[4][6];
  int d[4];

  if (row >= m || tile >= tiles)
    return;
  sums += TURNED ? (z * tiles + tile) * m + row : (z * m + row) * tiles + tile;
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    W line[6], to[4];

#pragma unroll
    for (int i = 0; i < 6; ++i)
      line[i] = sums[(i * 6 + j) * each];
    winograd_sums(to, line);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      v[i][j] = to[i];
  }
  winograd_digits(d, from + tile, down, along);
  global T *c = (global T *)(cbuf + coff) + (long)z * cbs + (long)row * crs +
                window_c(d, &w);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    W to[4];

    if (d[2] + i >= w_j2)
      break;
    winograd_sums(to, v[i]);
#if C_UNIT && PUT_VECTORS
    if (d[3] + 4 <= w_j3) {
      product_put_v((WV)(to[0], to[1], to[2], to[3]), c + i * w.c[2],
                    w.row + (long)row, d[3], d[2] + i, d[1], d[0], s P_ARGS);
      continue;
    }
#endif
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (d[3] + j < w_j3)
        product_put(to[j], c + i * w.c[2] + j * w.c[3], w.row + (long)row,
                    d[3] + j, d[2] + i, d[1], d[0], s P_ARGS);
  }
}
