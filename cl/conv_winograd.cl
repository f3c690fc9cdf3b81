/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with filters of 3 x 3 elements and stride 1 by Winograd's
 * algorithm F(4 x 4, 3 x 3): A. Lavin, S. Gray, "Fast algorithms for
 * convolutional neural networks", 2015. A tile is 4 x 4 columns of the product,
 * which read 6 x 6 positions of B. Filters and tiles are transformed to 6 x 6
 * numbers each, products of matrices add them up over channels, one product for
 * each of the 36 numbers and each group, and the sums are transformed to
 * columns. Stands behind product_put.cl; macros put in front: T, W, LD, LDN and
 * those of stores as in gemm_gpu.cl, and
 *
 *   #define TURNED 0    1: neighbours in memory are channels, and rows of C
 *
 * Workspaces:
 *
 *   filters  [36, groups, m, channels]
 *   input    [36, groups, channels, tiles], TURNED: [36, groups, tiles, channels]
 *   sums     [36, groups, m, tiles], TURNED: [36, groups, tiles, m]
 */
/* The digits of a tile's first column. */
static void winograd_digits(int d[4], uint tile, uint down, uint along) {
  const uint line = tile / along, image = line / down;

  d[0] = (int)image;
  d[1] = 0;
  d[2] = (int)(line - image * down) * 4;
  d[3] = (int)(tile - line * along) * 4;
}
