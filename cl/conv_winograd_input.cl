/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles of Winograd's algorithm; see conv_winograd_gpu.cl. Stands behind
 * conv_window.cl. */
#define TV W
#include "conv_winograd.cl"
#include "conv_winograd_gpu.cl"

/* One work-item for each channel and tile. `down` and `along` are the tiles of
 * an image; this launch has `tiles` of them, from `from` on. */
kernel void conv_winograd_input(global const char *bbuf, ulong boff, long brs,
                                long bcs, long bbs, ulong channels,
                                ulong groups, uint down, uint along, uint from,
                                uint tiles, global W *input WINDOW_PARAMS) {
  const ulong c = get_global_id(TURNED ? 0 : 1), z = get_global_id(2);
  const uint tile = (uint)get_global_id(TURNED ? 1 : 0);
  const ulong each = groups * channels * tiles;
  const window w = WINDOW_IS((long)z * bbs, 0);
  W v[6][6];
  int d[4];

  if (c >= channels || tile >= tiles)
    return;
  winograd_digits(d, from + tile, down, along);
  const int y = d[2] - w.pad[1], x = d[3] - w.pad[2];
  global const T *b = (global const T *)(bbuf + boff) + w.z + d[0] * w.js +
                      (long)c * w.ps + y * w.s[1] + x * w.s[2];
#pragma unroll
  for (int i = 0; i < 6; ++i) {
#pragma unroll
    for (int j = 0; j < 6; ++j)
      v[i][j] = window_is_inside(y, i, w.x[1]) & window_is_inside(x, j, w.x[2])
                    ? LD(b + i * w.s[1] + j * w.s[2])
                    : 0;
    winograd_input(v[i]);
  }
  input += TURNED ? (z * tiles + tile) * channels + c
                  : (z * channels + c) * tiles + tile;
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    W line[6];

#pragma unroll
    for (int i = 0; i < 6; ++i)
      line[i] = v[i][j];
    winograd_input(line);
#pragma unroll
    for (int i = 0; i < 6; ++i)
      input[(i * 6 + j) * each] = line[i];
  }
}
