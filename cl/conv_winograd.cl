/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with filters of 3 x 3 elements and stride 1 by Winograd's
 * algorithm F(4 x 4, 3 x 3): A. Lavin, S. Gray, "Fast algorithms for
 * convolutional neural networks", 2015. A tile is 4 x 4 columns of the product,
 * which read 6 x 6 positions of B. Filters and tiles are transformed to 6 x 6
 * numbers each, products of matrices add them up over channels, one product for
 * each of the 36 numbers and each group, and the sums are transformed to
 * columns. Here are the transforms of one line, by the matrices G, B and A of
 * that paper. Macro put in front:
 *
 *   #define TV W    numbers of one line, or vectors with those of several
 */

/* G times a column: one line of the filter to 6 numbers. */
GA_INLINE void winograd_filter(TV *to, TV a, TV b, TV c) {
  const TV even = (a + c) * ((W)-1 / 6), odd = b * ((W)-1 / 6);
  const TV outer = fma(a, (TV)((W)1 / 24), c * ((W)1 / 6));
  const TV inner = b * ((W)1 / 12);

  to[0] = a * ((W)1 / 4);
  to[1] = even + odd;
  to[2] = even - odd;
  to[3] = outer + inner;
  to[4] = outer - inner;
  to[5] = c;
}

/* The transpose of B times a column, in place. */
GA_INLINE void winograd_input(TV *d) {
  const TV a = fma((TV)(-4), d[2], d[4]), b = fma((TV)(-4), d[1], d[3]);
  const TV c = d[4] - d[2], e = 2 * (d[3] - d[1]);

  d[0] = fma((TV)(4), d[0], fma((TV)(-5), d[2], d[4]));
  d[5] = fma((TV)(4), d[1], fma((TV)(-5), d[3], d[5]));
  d[1] = a + b;
  d[2] = a - b;
  d[3] = c + e;
  d[4] = c - e;
}

/* The transpose of A times a column. */
GA_INLINE void winograd_sums(TV *to, const TV *m) {
  const TV a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];

  to[0] = m[0] + a + c;
  to[1] = fma((TV)(2), e, b);
  to[2] = fma((TV)(4), c, a);
  to[3] = fma((TV)(8), e, b) + m[5];
}

/* A times the gradients of four columns, for gradients by filters. */
GA_INLINE void winograd_gradient(TV *to, const TV *y) {
  const TV even = y[0] + y[2], odd = y[1] + y[3];
  const TV outer = fma((TV)(4), y[2], y[0]);
  const TV inner = fma((TV)(8), y[3], 2 * y[1]);

  to[0] = y[0];
  to[1] = even + odd;
  to[2] = even - odd;
  to[3] = outer + inner;
  to[4] = outer - inner;
  to[5] = y[3];
}

/* The transpose of G times a line of sums, for gradients by filters. */
GA_INLINE void winograd_filter_sums(TV *to, const TV *m) {
  const TV a = m[1] + m[2], b = m[2] - m[1], c = m[3] + m[4], e = m[3] - m[4];

  to[0] = fma(m[0], (TV)((W)1 / 4), fma(c, (TV)((W)1 / 24), a * ((W)-1 / 6)));
  to[1] = fma(e, (TV)((W)1 / 12), b * ((W)1 / 6));
  to[2] = fma(c - a, (TV)((W)1 / 6), m[5]);
}
