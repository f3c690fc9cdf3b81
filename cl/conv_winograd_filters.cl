/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of Winograd's algorithm; see conv_winograd_gpu.cl. */
#define TV W
#include "conv_winograd.cl"

/* One work-item for each filter and channel. Filter element (i, j) lies
 * i * down + j * along elements from `first`. */
kernel void conv_winograd_filters(global const char *abuf, ulong aoff, long ars,
                                  long acs, long abs_, long first, long across,
                                  long down, long along, ulong m,
                                  ulong channels, ulong groups,
                                  global W *filters) {
  const ulong c = get_global_id(0), row = get_global_id(1);
  const ulong z = get_global_id(2), each = groups * m * channels;
  W lines[3][6];

  if (c >= channels)
    return;
  global const T *a = (global const T *)(abuf + aoff) + (long)z * abs_ +
                      (long)row * ars + (long)c * across + first;
#pragma unroll
  for (int i = 0; i < 3; ++i)
    winograd_filter(lines[i], LD(a + i * down), LD(a + i * down + along),
                    LD(a + i * down + 2 * along));
  filters += (z * m + row) * channels + c;
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    W v[6];

    winograd_filter(v, lines[0][j], lines[1][j], lines[2][j]);
#pragma unroll
    for (int i = 0; i < 6; ++i)
      filters[(i * 6 + j) * each] = v[i];
  }
}
