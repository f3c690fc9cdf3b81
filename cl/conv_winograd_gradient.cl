/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients by y, for gradients by filters with Winograd's algorithm; see
 * conv_winograd_gpu.cl. */
#define TV W
#include "conv_winograd.cl"
#include "conv_winograd_gpu.cl"

/* One work-item for each row and tile. Column (i, j) of an image lies
 * i * below + j * beside elements from its first, and images are `apart`
 * elements apart; there are `lines` x `columns`. */
kernel void conv_winograd_gradient(global const char *abuf, ulong aoff,
                                   long ars, long acs, long abs_, long apart,
                                   long below, long beside, uint lines,
                                   uint columns, ulong m, ulong groups,
                                   uint down, uint along, uint from, uint tiles,
                                   global W *gradient) {
  const ulong row = get_global_id(TURNED ? 0 : 1), z = get_global_id(2);
  const uint tile = (uint)get_global_id(TURNED ? 1 : 0);
  const ulong each = groups * m * tiles;
  W v[6][4];
  int d[4];

  if (row >= m || tile >= tiles)
    return;
  winograd_digits(d, from + tile, down, along);
  global const T *a = (global const T *)(abuf + aoff) + (long)z * abs_ +
                      (long)row * ars + d[0] * apart + d[2] * below +
                      d[3] * beside;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    W line[4], to[6];

#pragma unroll
    for (int i = 0; i < 4; ++i)
      line[i] = (uint)(d[2] + i) < lines && (uint)(d[3] + j) < columns
                    ? LD(a + i * below + j * beside)
                    : 0;
    winograd_gradient(to, line);
#pragma unroll
    for (int i = 0; i < 6; ++i)
      v[i][j] = to[i];
  }
  gradient += TURNED ? (z * tiles + tile) * m + row
                     : (z * m + row) * tiles + tile;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    W to[6];

    winograd_gradient(to, v[i]);
#pragma unroll
    for (int j = 0; j < 6; ++j)
      gradient[(i * 6 + j) * each] = to[j];
  }
}
