/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobi's method from one side: rows of W, [n][len], are rotated in pairs until
 * they are orthogonal. The products of rows, and the rows times the rotations,
 * are products of the library; this has what lies between. Matrices may be
 * complex; scales, norms and values are real. Macros, here for floats on a GPU:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define NB 32            most rows that are made orthogonal at once, even
 *   #define G 32             work-items of a group, a power of 2
 * A vector is a matrix of one row. Strides are in elements, of either sign;
 * offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_jacobi_place.cl"

#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))

/* --- of a group --- */

/* The largest part, without its sign, of n numbers `cs` apart, NaN if there is
 * one. */
GA_INLINE W row_most(global const T *x, const long cs, const long n,
                     SHARED W *all) {
  W most = 0;

  for (long j = (long)get_local_id(0); j < n; j += G) {
    const W v = largest_part(LDN(AFTER(x, j * cs)));
    most = v > most || v != v ? v : most;
  }
  return group_most(most, all);
}

/* The real part of the sum of x conj(y). */
GA_INLINE W row_dot(global const T *x, const long xs, global const T *y,
                    const long ys, const long n, SHARED W *all) {
  W sum = 0;

  for (long j = (long)get_local_id(0); j < n; j += G)
    sum = plus_dot(sum, LDN(AFTER(x, j * xs)), LDN(AFTER(y, j * ys)));
  return group_sum(sum, all);
}

/* --- scales --- */

/* The largest part, without its sign, of each row of a; of its lower triangle if
 * `lower` is not 0, and of the real part of the diagonal. Global size: G for each
 * row, batch. */
kernel GROUP void jacobi_most(MATRIX(a), const ulong n, MATRIX(most),
                              const int lower) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0);
  global const T *a = AFTER(NUMBERS_AT(a, z), i * a_rs);
  global T *most = MATRIX_AT(most, z);
  SHARED W all[G];

  const W v = row_most(a, a_cs, lower ? i : (long)n, all);
  if (get_local_id(0) == 0) {
    const W last = lower ? fabs(RE(LDN(AFTER(a, i * a_cs)))) : 0;

    ST(last > v || last != last ? last : v, most + i * most_cs);
  }
}

/* The power of 2 beyond the largest of n values. *bad becomes 1 if that is not
 * finite. */
GA_INLINE int exponent_of(global const T *x, const long cs, const long n,
                          int *bad, SHARED W *all) {
  W most = 0;
  int e = 0;

  for (long j = (long)get_local_id(0); j < n; j += G) {
    const W v = LD(x + j * cs);
    most = v > most || v != v ? v : most;
  }
  most = group_most(most, all);
  *bad = !isfinite(most);
  if (!*bad)
    (void)frexp(most, &e);
  return e;
}

/* Copy rows of a, divided by a power of 2 so that none of the elements, of
 * which `most` has the largest of each of m rows, exceeds 1. If `lower` is not
 * 0 the upper triangle is taken from the lower one, and the diagonal is real.
 * All is NaN if one element is not finite. Global size: G for each row,
 * batch. */
kernel GROUP void jacobi_scale(MATRIX(a), const ulong n_, MATRIX(to),
                               MATRIX(most), const ulong m, const int lower) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0), n = (long)n_;
  global const T *a = NUMBERS_AT(a, z);
  global T *to = AFTER(NUMBERS_AT(to, z), i * to_rs);
  SHARED W all[G];
  int bad;

  const int e =
      exponent_of(MATRIX_AT(most, z), most_cs, (long)m, &bad, all);
  for (long j = (long)get_local_id(0); j < n; j += G) {
    const int turned = lower && j > i;
    const N v =
        LDN(AFTER(a, (turned ? j : i) * a_rs + (turned ? i : j) * a_cs));
    const N own = turned ? CONJ(v) : lower && i == j ? REAL(RE(v)) : v;

    STN(bad ? (N)(NAN) : scaled(own, -e), AFTER(to, j * to_cs));
  }
}

/* Add a number to the diagonal of a Hermitian matrix, n x n, which exceeds the
 * absolute values of its eigenvalues. Global size: G, batch. */
kernel GROUP void jacobi_shift(MATRIX(a), const ulong n_) {
  const ulong z = get_group_id(1);
  const long n = (long)n_;
  global T *a = NUMBERS_AT(a, z);
  SHARED W all[G];
  W squares = 0, most = 0;

  for (long i = (long)get_local_id(0); i < n; i += G) {
    W part = 0, sum = 0;

    for (long j = 0; j < n; ++j) {
      const N v = LDN(AFTER(a, j * a_rs + i * a_cs));
      part = plus_dot(part, v, v);
      sum += SIZE(v);
    }
    squares += part;
    most = fmax(most, sum);
  }
  squares = group_sum(squares, all);
  most = group_most(most, all);
  const W shift = squares == 0 ? 1 : (W)1.25 * fmin(sqrt(squares), most);
  for (long i = (long)get_local_id(0); i < n; i += G)
    STN(LDN(AFTER(a, i * (a_rs + a_cs))) + REAL(shift),
        AFTER(a, i * (a_rs + a_cs)));
}

/* --- rotations --- */

/* A Hermitian matrix and the conjugate transpose of its rotations. */
typedef struct pair {
  N g[NB][NB + 1], v[NB][NB + 1], s[NB / 2];
  W c[NB / 2];
  int p[NB / 2], q[NB / 2];
  W all[G];
} pair;

/* Nonzero if rows p and q are not orthogonal. */
GA_INLINE int is_busy(SHARED const pair *x, const int p, const int q) {
  return SIZE(x->g[p][q]) > TOLERANCE * sqrt(fmax(RE(x->g[p][p]), (W)0)) *
                                sqrt(fmax(RE(x->g[q][q]), (W)0));
}

#define LANES (G < 32 ? G : 32)
#define TEAMS (G / LANES)

/* Nonzero if any two rows are not orthogonal. */
GA_INLINE int pair_is_busy(SHARED pair *x, const int w) {
  const int me = (int)get_local_id(0);
  int any = 0;

  SYNC;
  for (int i = me / LANES; i < w; i += TEAMS) {
    for (int j = me % LANES; j < i; j += LANES)
      any |= is_busy(x, i, j);
  }
  return group_most(any, x->all) != 0;
}

/* Choose the rows that are paired in step r of w - 1, and their rotations. Row q
 * gets the phase that makes its product with row p real. In all steps every row
 * meets every other one. */
GA_INLINE void choose(SHARED pair *x, const int w, const int r) {
  for (int k = (int)get_local_id(0); k < w / 2; k += G) {
    const int p = k == 0 ? w - 1 : (r + k) % (w - 1);
    const int q = k == 0 ? r : (r - k + w - 1) % (w - 1);
    W c = 1;
    N s = REAL(0);

    if (is_busy(x, p, q)) {
      const N dot = x->g[p][q];
      const W zeta = (RE(x->g[q][q]) - RE(x->g[p][p])) / (2 * MEASURE(dot));
      const W t = copysign((W)1, zeta) / (fabs(zeta) + sqrt(fma(zeta, zeta, 1)));

      c = 1 / sqrt(fma(t, t, 1));
      s = c * t * phase_of(dot);
    }
    x->p[k] = p;
    x->q[k] = q;
    x->c[k] = c;
    x->s[k] = s;
  }
}

/* c a + s b */
GA_INLINE N rotated(const W c, const N a, const N s, const N b) {
  return plus_product(c * a, s, b);
}

/* Rotate rows of both matrices. A team has some of the rotations, a work-item of
 * it some columns. */
GA_INLINE void rotate_rows(SHARED pair *x, const int w) {
  const int me = (int)get_local_id(0);

  for (int k = me / LANES; k < w / 2; k += TEAMS) {
    const int p = x->p[k], q = x->q[k];
    const W c = x->c[k];
    const N s = x->s[k];

    for (int j = me % LANES; (RE(s) != 0 || IM(s) != 0) && j < w; j += LANES) {
      const N a = x->g[p][j], b = x->g[q][j];
      const N d = x->v[p][j], e = x->v[q][j];

      x->g[p][j] = rotated(c, a, -s, b);
      x->g[q][j] = rotated(c, b, CONJ(s), a);
      x->v[p][j] = rotated(c, d, -s, e);
      x->v[q][j] = rotated(c, e, CONJ(s), d);
    }
  }
}

/* Rotate columns. A work-item has some rows. */
GA_INLINE void rotate_columns(SHARED pair *x, const int w) {
  const int me = (int)get_local_id(0);

  for (int i = me % LANES; i < w; i += LANES) {
    for (int k = me / LANES; k < w / 2; k += TEAMS) {
      const int p = x->p[k], q = x->q[k];
      const W c = x->c[k];
      const N s = x->s[k], a = x->g[i][p], b = x->g[i][q];

      x->g[i][p] = rotated(c, a, -CONJ(s), b);
      x->g[i][q] = rotated(c, b, s, a);
    }
  }
}

/* The rank of row i by its norm, the largest first. Equal rows stay in their
 * order, which begins with the second half if `turned`. */
GA_INLINE int rank_of(SHARED const pair *x, const int w, const int i,
                      const int turned) {
  const int place = turned ? (i + w / 2) % w : i;
  const W mine = RE(x->g[i][i]), v = mine == mine ? mine : (W)INFINITY;
  int rank = 0;

  for (int k = 0; k < w; ++k) {
    const W other = RE(x->g[k][k]), u = other == other ? other : (W)INFINITY;

    rank += u > v || (u == v && (turned ? (k + w / 2) % w : k) < place);
  }
  return rank;
}

/* What makes row i of the rotations a unit again: 1 / its norm, which is near
 * 1. Else the errors of all rotations add up in singular values. */
GA_INLINE W unit_of(SHARED const pair *x, const int w, const int i) {
  W sum = 0;

  for (int c = 0; c < w; ++c)
    sum = plus_dot(sum, x->v[i][c], x->v[i][c]);
  return fma((W)-0.5, sum, (W)1.5);
}

/* Set j, w x w, to the rotations that make g diagonal: j g j^H. g has the
 * products of the w rows of a pair of blocks. At most `passes` passes over all
 * rows. Large rows move to the block that was first at the beginning, since
 * equal ones must come together. Global size: G, batch * pairs. */
kernel GROUP void jacobi_pair(MATRIX(g), MATRIX(j), const int w,
                              const int passes, const ulong pairs,
                              const ulong step) {
  const ulong z = get_group_id(1);
  const int k = 2 * (int)(z % pairs);
  const int turned = block_at(k, (int)pairs, (int)step) >
                     block_at(k + 1, (int)pairs, (int)step);
  const int me = (int)get_local_id(0);
  global const T *g = NUMBERS_AT(g, z);
  global T *to = NUMBERS_AT(j, z);
  SHARED pair x;

  for (int i = 0; i < w; ++i) {
    for (int c = me; c < w; c += G) {
      x.g[i][c] = LDN(AFTER(g, i * g_rs + c * g_cs));
      x.v[i][c] = REAL(i == c);
    }
  }
  for (int pass = 0; pass < passes && pair_is_busy(&x, w); ++pass) {
    for (int r = 0; r < w - 1; ++r) {
      choose(&x, w, r);
      SYNC;
      rotate_rows(&x, w);
      SYNC;
      rotate_columns(&x, w);
      SYNC;
    }
  }
  SYNC;
  for (int i = me; i < w; i += G) {
    const int rank = rank_of(&x, w, i, turned);
    const W unit = unit_of(&x, w, i);
    global T *row =
        AFTER(to, (turned ? (rank + w / 2) % w : rank) * j_rs);

    for (int c = 0; c < w; ++c)
      STN(x.v[i][c] * unit, AFTER(row, c * j_cs));
  }
}

/* Move blocks of b rows: block 0 stays, and the others go round, so that
 * neighbours are other ones each time, until all are back. Global size: G for
 * each row, batch. */
kernel GROUP void jacobi_turn(MATRIX(from), MATRIX(to), const ulong len,
                              const ulong blocks, const ulong b) {
  const ulong z = get_group_id(1), row = get_group_id(0), k = row / b;
  const ulong last = blocks - 1;
  const ulong next = k == 0 || last == 1 ? k
                     : k % 2 != 0        ? (k == 1 ? 2 : k - 2)
                     : k + 1 == last     ? last
                                         : k + 2;
  global const T *from = AFTER(NUMBERS_AT(from, z), (long)row * from_rs);
  global T *to =
      AFTER(NUMBERS_AT(to, z), (long)(next * b + row % b) * to_rs);

  for (ulong j = get_local_id(0); j < PARTS * len; j += G)
    to[j] = from[j];
}

/* --- results --- */

/* The phase that makes v real and positive; 1 for 0 and NaN. */
GA_INLINE N turn_back(const N v) {
#ifdef W2
  return SIZE(v) > 0 ? CONJ(phase_of(v)) : REAL(1);
#else
  return v < 0 ? -1 : 1;
#endif
}

/* Multiply row i of a by a phase, and by 1 / its norm if `unit` is not 0: of the
 * first n elements that are nearly the largest, the first is real and positive.
 * Elements from n to len are multiplied by the phase only. Global size: G for
 * each row, batch. */
kernel GROUP void jacobi_sign(MATRIX(a), const ulong n_, const ulong len,
                              const int unit) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0), n = (long)n_;
  const int me = (int)get_local_id(0);
  global T *a = AFTER(NUMBERS_AT(a, z), i * a_rs);
  SHARED W all[G];
  W most = 0;
  long first = n;

  for (long j = me; j < n; j += G) {
    const W v = SIZE(LDN(AFTER(a, j * a_cs)));
    most = v > most || v != v ? v : most;
  }
  const W near = (W)0.71875 * group_most(most, all);
  const W square = row_dot(a, a_cs, a, a_cs, n, all);
  for (long j = me; j < n && first == n; j += G) {
    if (SIZE(LDN(AFTER(a, j * a_cs))) >= near)
      first = j;
  }
  /* Indices are exact in W below 2^24. */
  const W found = -group_most(-(W)first, all);
  const long at = found < n ? (long)found : 0;
  const N sign = n > 0 ? turn_back(LDN(AFTER(a, at * a_cs))) : REAL(1);
  const W norm = unit ? sqrt(square) : 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (long j = me; j < (long)len; j += G) {
    const N v = LDN(AFTER(a, j * a_cs));
    const N turned = plus_product(REAL(0), sign, j < n ? v / norm : v);

    STN(j == found ? REAL(RE(turned)) : turned, AFTER(a, j * a_cs));
  }
}

/* What belongs to rows of a and b, in one row: their product, of a and the
 * conjugate of b, which is real; with `what` 1 the
 * norm of the row of a; with 2 that, but -1 where the row of b is 0. Global
 * size: G for each row, batch. */
kernel GROUP void jacobi_values(MATRIX(a), MATRIX(b), const ulong n,
                                MATRIX(to), const int what) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0);
  global const T *a = AFTER(NUMBERS_AT(a, z), i * a_rs);
  global const T *b = AFTER(NUMBERS_AT(b, z), i * b_rs);
  global T *to = MATRIX_AT(to, z);
  SHARED W all[G];
  const W most = row_most(b, b_cs, (long)n, all);
  const W dot = row_dot(a, a_cs, what == 0 ? b : a, what == 0 ? b_cs : a_cs,
                        (long)n, all);

  if (get_local_id(0) == 0)
    ST(what == 2 && most == 0 ? -1 : what == 0 ? dot : sqrt(dot),
       to + i * to_cs);
}

/* Change the signs of the columns of a for which the real diagonal of b is
 * negative.
 * Global size: G for each row, batch. */
kernel GROUP void jacobi_flip(MATRIX(a), const ulong n, MATRIX(b)) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0);
  global T *a = AFTER(NUMBERS_AT(a, z), i * a_rs);
  global const T *b = NUMBERS_AT(b, z);

  for (long j = (long)get_local_id(0); j < (long)n; j += G) {
    if (RE(LDN(AFTER(b, j * (b_rs + b_cs)))) < 0)
      STN(-LDN(AFTER(a, j * a_cs)), AFTER(a, j * a_cs));
  }
}

/* Multiply n values by the power of 2 that rows were divided by; `most` has m
 * elements. Global size: G, batch. */
kernel GROUP void jacobi_unscale(MATRIX(x), const ulong n, MATRIX(most),
                                 const ulong m) {
  const ulong z = get_group_id(1);
  global T *x = MATRIX_AT(x, z);
  SHARED W all[G];
  int bad;
  const int e =
      exponent_of(MATRIX_AT(most, z), most_cs, (long)m, &bad, all);

  for (ulong i = get_local_id(0); i < n; i += G)
    ST(bad ? (W)NAN : ldexp(LD(x + (long)i * x_cs), e), x + (long)i * x_cs);
}

/* Put row i of `from`, of `len` elements, or with `conj` its conjugate, into the
 * column of `to` that is its rank among n keys: ascending, or descending with
 * `down`. NaN is the largest. `to` has `columns` columns; other rows are left
 * out. Global size: G for each row, batch. */
kernel GROUP void jacobi_place(MATRIX(from), MATRIX(key), MATRIX(to),
                               const ulong n_, const ulong len,
                               const ulong columns, const int down,
                               const int conj) {
  const ulong z = get_group_id(1);
  const long i = (long)get_group_id(0), n = (long)n_;
  const int me = (int)get_local_id(0);
  global const T *from = AFTER(NUMBERS_AT(from, z), i * from_rs);
  global const T *key = MATRIX_AT(key, z);
  global T *to = NUMBERS_AT(to, z);
  SHARED W all[G];
  const W mine = LD(key + i * key_cs);
  const W v = mine == mine ? mine : (W)INFINITY;
  W before = 0;

  for (long j = me; j < n; j += G) {
    const W other = LD(key + j * key_cs);
    const W u = other == other ? other : (W)INFINITY;

    before += (down ? u > v : u < v) || (u == v && j < i);
  }
  const ulong rank = (ulong)group_sum(before, all);
  for (long j = me; rank < columns && j < (long)len; j += G) {
    const N v = LDN(AFTER(from, j * from_cs));

    STN(conj ? CONJ(v) : v, AFTER(to, j * to_rs + (long)rank * to_cs));
  }
}
