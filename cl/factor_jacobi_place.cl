/* SPDX-License-Identifier: BSD-2-Clause */
/* What both forms of Jacobi's method share: when rows are orthogonal, and which
 * blocks of rows meet in a step. W is as in factor_jacobi.cl. */
#define EPS (sizeof(W) == 8 ? (W)DBL_EPSILON : (W)FLT_EPSILON)
/* Rows with a smaller cosine between them are orthogonal: that is an element of
 * the matrix of their products, as a part of the root of the product of its two
 * elements on the diagonal. */
#define TOLERANCE (2 * EPS)

/* The block, as first numbered, that is at place p of 2 * pairs in a step.
 * Places 2 k and 2 k + 1 are pair k. Block 0 stays at place 0, and the others
 * go round (jacobi_turn). */
GA_INLINE int block_at(const int p, const int pairs, const int step) {
  const int length = 2 * pairs - 1, up = pairs - 1;
  const int now = p % 2 == 0 ? p / 2 - 1 : up + (length - p) / 2;
  const int then = (now + length - step % length) % length;

  return p == 0 ? 0 : then < up ? 2 * (then + 1) : length - 2 * (then - up);
}
