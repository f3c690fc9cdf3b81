/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagonal blocks of factorisations of complex matrices: a group for each matrix
 * of a batch, or for some columns of it; on CPUs it is one work-item. The rest
 * of a matrix is products. Macros, here for complex64 on GPUs:
 *
 *   #define T float          a part of a number; LD, ST, WV, VL, LOADW, STOREW:
 *                            as in gemm_cpu.cl
 *   #define W float
 *   #define W2 float2        as in complex_pairs.cl
 *   #define NB 32            most rows of a block
 *   #define SIDE 8           a group is SIDE x SIDE work-items
 *   #define G 64
 *
 * Strides are in numbers, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"

#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))

/* --- Cholesky --- */

/* Column k of the block begins at k * NB, real parts in `re`. */
#define EACH_BELOW(i, k) for (int i = (k) + 1 + me; i < n; i += G)

/* Divide column k by the root of its diagonal element, whose imaginary part does
 * not count. Returns nonzero if it is not positive. */
GA_INLINE int scale_column(SHARED W *re, SHARED W *im, const int n,
                           const int k) {
  const int me = (int)get_local_id(0);
  const W d = re[k * NB + k];
  const int is_bad = !(d > 0);
  const W root = is_bad ? (W)NAN : sqrt(d), over = 1 / root;

  SYNC;
  EACH_BELOW(i, k) {
    re[k * NB + i] *= over;
    im[k * NB + i] *= over;
  }
  if (me == 0) {
    re[k * NB + k] = root;
    im[k * NB + k] = is_bad ? (W)NAN : 0;
  }
  SYNC;
  return is_bad;
}

/* Subtract the products of column k and its conjugates from the columns behind
 * it. */
GA_INLINE void subtract_column(SHARED W *re, SHARED W *im, const int n,
                               const int k) {
  const int x = (int)get_local_id(0) % SIDE, y = (int)get_local_id(0) / SIDE;

  for (int j = k + 1 + y; j < n; j += SIDE) {
    const W r = re[k * NB + j], q = im[k * NB + j];

    for (int i = j + x; i < n; i += SIDE) {
      const W u = re[k * NB + i], v = im[k * NB + i];

      re[j * NB + i] -= u * r + v * q;
      im[j * NB + i] -= v * r - u * q;
    }
  }
}

/* Factor the lower triangle of a, n x n, in place, and clear the upper one. A
 * matrix of conjugates has the conjugate factor. `before` rows stand above the
 * block. Global size: G, batch. */
kernel GROUP void factor_cholesky(MATRIX(a), const ulong n_, const ulong before,
                                  global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  const int x = me % SIDE, y = me / SIDE;
  global T *a = NUMBERS_AT(a, z);
  SHARED W re[NB * NB], im[NB * NB];
  int bad = 0;

  for (int i = y; i < n; i += SIDE) {
    PLAIN_LOOP
    for (int k = x; k <= i; k += SIDE) {
      const W2 v = LDN(AFTER(a, i * a_rs + k * a_cs));

      re[k * NB + i] = v.x;
      im[k * NB + i] = v.y;
    }
  }
  for (int k = 0; k < n; ++k) {
    SYNC;
    const int is_bad = scale_column(re, im, n, k);
    bad = bad == 0 && is_bad ? k + 1 : bad;
    subtract_column(re, im, n, k);
  }
  SYNC;
  for (int i = y; i < n; i += SIDE) {
    PLAIN_LOOP
    for (int k = x; k < n; k += SIDE) {
      const W2 v = k <= i ? (W2)(re[k * NB + i], im[k * NB + i]) : (W2)(0);

      STN(v, AFTER(a, i * a_rs + k * a_cs));
    }
  }
  if (me == 0)
    report_bad(info + z, bad, before);
}

/* --- triangular solves --- */

/* A work-item solves for LANES columns at a time. */
#if G > 1
#define LANES 1
#define V W
#define FROM_PARTS(p) (*(p))
#define TO_PARTS(v, p) (*(p) = (v))
#else
#define LANES VL
#define V WV
#define FROM_PARTS(p) LOADW(0, p)
#define TO_PARTS(v, p) STOREW(v, 0, p)
#endif

/* The triangle that a group solves with. An element d of the diagonal divides by
 * its larger part first: x / d is (x.r p + x.i q, x.i p - x.r q) / size. */
typedef struct triangle {
  W re[NB * NB], im[NB * NB], p[NB], q[NB], size[NB];
} triangle;

GA_INLINE void set_pivot(SHARED triangle *t, const int i, const W2 d) {
  const int by_real = fabs(d.x) >= fabs(d.y);

  t->p[i] = by_real ? 1 : d.x / d.y;
  t->q[i] = !by_real ? 1 : d.y == 0 ? 0 : d.y / d.x;
  t->size[i] = fma(d.x, t->p[i], d.y * t->q[i]);
}

/* Read it, n x n, with ones on the diagonal if `unit` is not 0, and conjugates
 * if `conj` is not 0. */
GA_INLINE void read_triangle(SHARED triangle *t, global const T *a,
                             const long rs, const long cs, const int n,
                             const int unit, const int conj) {
  const int x = (int)get_local_id(0) % SIDE, y = (int)get_local_id(0) / SIDE;

  for (int i = y; i < n; i += SIDE) {
    PLAIN_LOOP
    for (int j = x; j <= i; j += SIDE) {
      const W2 v = i == j && unit ? REAL(1) : LDN(AFTER(a, i * rs + j * cs));
      const W2 d = conj ? CONJ(v) : v;

      t->re[i * NB + j] = d.x;
      t->im[i * NB + j] = d.y;
      if (i == j)
        set_pivot(t, i, d);
    }
  }
}

/* Solve for `count` columns, which begin at x, at most LANES. */
GA_INLINE void solve_columns(SHARED const triangle *t, global T *x,
                             const long rs, const long cs, const int n,
                             const int count) {
  V xr[NB], xi[NB];

  for (int k = 0; k < n; ++k) {
    W part[2 * LANES];

    PLAIN_LOOP
    for (int c = 0; c < LANES; ++c) {
      const W2 v = c < count ? LDN(AFTER(x, k * rs + c * cs)) : (W2)(0);

      part[c] = v.x;
      part[LANES + c] = v.y;
    }
    V r = FROM_PARTS(part), i = FROM_PARTS(part + LANES);
    for (int j = 0; j < k; ++j) {
      const V u = t->re[k * NB + j], v = t->im[k * NB + j];

      r = fma(v, xi[j], fma(-u, xr[j], r));
      i = fma(-v, xr[j], fma(-u, xi[j], i));
    }
    const V p = t->p[k], q = t->q[k], size = t->size[k];
    xr[k] = fma(r, p, i * q) / size;
    xi[k] = fma(i, p, -r * q) / size;
    TO_PARTS(xr[k], part);
    TO_PARTS(xi[k], part + LANES);
    PLAIN_LOOP
    for (int c = 0; c < count; ++c)
      STN((W2)(part[c], part[LANES + c]), AFTER(x, k * rs + c * cs));
  }
}

/* Replace x, n x r, by L^-1 x, where L is the lower triangle of a, n x n, or of
 * its conjugate. A group solves for `cols` columns. Global size: groups, batch.
 */
kernel GROUP void factor_solve(MATRIX(a), MATRIX(x), const ulong n_,
                               const ulong r, const ulong cols, const int unit,
                               const int conj) {
  const ulong z = get_group_id(1), first = get_group_id(0) * cols;
  const ulong last = min(first + cols, r);
  const int n = (int)n_;
  global T *x = NUMBERS_AT(x, z);
  SHARED triangle t;

  read_triangle(&t, NUMBERS_AT(a, z), a_rs, a_cs, n, unit, conj);
  SYNC;
  for (ulong c = first + get_local_id(0) * LANES; c < last; c += G * LANES)
    solve_columns(&t, AFTER(x, (long)c * x_cs), x_rs, x_cs, n,
                  (int)min((ulong)LANES, last - c));
}
