/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of Winograd's algorithm for GPUs share, besides the
 * transforms. Stands behind product_put.cl; macros put in front: T, W, LD, LDN
 * and those of stores as in gemm_gpu.cl, and
 *
 *   #define TURNED 0    1: neighbours in memory are channels, and rows of C
 *
 * Workspaces:
 *
 *   filters   [36, groups, m, channels]
 *   input     [36, groups, channels, tiles], TURNED: [36, groups, tiles, channels]
 *   sums      [36, groups, m, tiles], TURNED: [36, groups, tiles, m]
 *
 * A gradient by filters has the gradient by y in place of sums, and in place of
 * filters their sums.
 */
/* The digits of a tile's first column. */
static void winograd_digits(int d[4], uint tile, uint down, uint along) {
  const uint line = tile / along, image = line / down;

  d[0] = (int)image;
  d[1] = 0;
  d[2] = (int)(line - image * down) * 4;
  d[3] = (int)(tile - line * along) * 4;
}
