/* SPDX-License-Identifier: BSD-2-Clause */
/* Solutions with banded matrices, by LU factors with row exchanges, one group
 * for each matrix of a batch. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2; 1 on CPUs
 *
 * Exchanges widen the upper band by the lower one. So the workspace has
 * 2 lower + upper + 1 columns for each row i of the matrix: column t is
 * element (i, i - lower + t). Strides are in numbers, of either sign; offsets
 * in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_number.cl"

#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))
#define BAND(i, j) AFTER(w, (i) * w_rs + ((j) - (i) + lower))

/* Exchange rows k and p of a column, and subtract the multiples of row k that
 * clear column k of the `count` rows below. `a` has column k, with `old` in its
 * row k, and `pivot` in row p; `y` is row k of the column. The rows of each are
 * `a_step` and `y_step` numbers apart. */
GA_INLINE void eliminate(global const T *a, const long a_step, global T *y,
                         const long y_step, const long p, const long count,
                         const N old, const N pivot) {
  const N top = LDN(AFTER(y, p * y_step)), first = LDN(y);

  STN(top, y);
  for (long i = 1; i <= count; ++i) {
    const N below = i == p ? old : LDN(AFTER(a, i * a_step));
    const N own = i == p ? first : LDN(AFTER(y, i * y_step));

    STN(plus_product(own, -divided_by(below, pivot), top),
        AFTER(y, i * y_step));
  }
}

/* Replace x, n x r, by A^-1 x. Row `upper` + i - j of `ab` has element (i, j) of
 * A, or of its transpose if `trans` is 1, or of its conjugate transpose if it
 * is 2; `lower` and `upper` are those of A. Global size: G, batch. */
kernel GROUP void banded_solve(MATRIX(ab), MATRIX(w), MATRIX(x), const ulong n_,
                               const ulong r_, const ulong lower_,
                               const ulong upper_, const int trans,
                               global int *info) {
  const long z = (long)get_group_id(1), n = (long)n_, r = (long)r_;
  const long lower = (long)lower_, upper = (long)upper_;
  const long width = 2 * lower + upper + 1, me = (long)get_local_id(0);
  global const T *ab = NUMBERS_AT(ab, z);
  global T *w = NUMBERS_AT(w, z), *x = NUMBERS_AT(x, z);
  int bad = 0;

  for (long e = me; e < n * width; e += G) {
    const long i = e / width, j = i - lower + e % width;
    const long row = trans ? lower + j - i : upper + i - j;
    const int is_there = j >= 0 && j < n && j <= i + upper;

    const N v = is_there
                    ? LDN(AFTER(ab, row * ab_rs + (trans ? i : j) * ab_cs))
                    : REAL(0);

    STN(trans == 2 ? CONJ(v) : v, BAND(i, j));
  }
  SYNC;
  for (long k = 0; k < n; ++k) {
    const long count = min(lower, n - 1 - k);
    const long right = min(lower + upper, n - 1 - k);
    global T *diagonal = BAND(k, k);
    const N old = LDN(diagonal);
    N pivot = old;
    long p = 0;

    for (long i = 1; i <= count; ++i) {
      const N v = LDN(AFTER(diagonal, i * (w_rs - 1)));

      if (SIZE(v) > SIZE(pivot)) {
        pivot = v;
        p = i;
      }
    }
    bad = bad == 0 && SIZE(pivot) == 0 ? (int)k + 1 : bad;
    for (long j = me; j < right + r && SIZE(pivot) != 0; j += G) {
      const int is_x = j >= right;

      eliminate(diagonal, w_rs - 1,
                is_x ? AFTER(x, k * x_rs + (j - right) * x_cs)
                     : AFTER(diagonal, j + 1),
                is_x ? x_rs : w_rs - 1, p, count, old, pivot);
    }
    SYNC;
    if (me == 0)
      STN(pivot, diagonal);
  }
  SYNC;
  for (long c = me; c < r; c += G) {
    for (long k = n - 1; k >= 0; --k) {
      global T *at = AFTER(x, k * x_rs + c * x_cs);
      N sum = LDN(at);

      for (long j = 1; j <= min(lower + upper, n - 1 - k); ++j)
        sum = plus_product(sum, -LDN(BAND(k, k + j)),
                           LDN(AFTER(at, j * x_rs)));
      STN(divided_by(sum, LDN(BAND(k, k))), at);
    }
  }
  if (me == 0)
    info[z] = bad;
}
