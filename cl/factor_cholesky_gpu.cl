/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of Cholesky factors on GPUs: groups share the rows below the diagonal
 * block, and each factors that block by itself, so that none waits for another.
 * A work-item has one row, in registers. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define S 64             rows of a group below the diagonal block; C divides it
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define NB 64 /* columns of a panel, and rows of its diagonal block */
#define G (NB + S)
#define RUN 16 /* columns that are factored by the same code */
#define C 32 /* columns that are moved at a time; it divides NB and G */
#define PITCH (C + 1)
#define APART (G / C) /* rows between the elements that a work-item moves */
#define STEPS(rows) (((rows) + APART - 1) / APART)
#define W4 GA_JOIN(W, 4)
#define FOUR(t, k) ((W4)((t)[k], (t)[(k) + 1], (t)[(k) + 2], (t)[(k) + 3]))

/* Where t has column j of a row once all are factored: see factor_run(). */
#define PLACE(j) (NB - RUN - (j) / RUN * RUN + (j) % RUN)

/* What a group shares. Pivots and rows are there in turns, so that a step can
 * write while others still read what the step before wrote. */
typedef struct panel {
  W tile[G * PITCH]; /* columns of the group's rows, from and to memory */
  W4 pivots[2][4];   /* the diagonal block of the next 4 columns */
  W4 rows[2][NB];    /* the factor's rows in the last 4 columns */
} panel;

/* --- memory --- */

/* Matrices by rows are moved by way of local memory, C columns at a time: a
 * work-item moves element (i, j) of a block and others below it. */
GA_INLINE int block_i(void) {
  return (int)get_local_id(0) / C;
}

GA_INLINE int block_j(void) {
  return (int)get_local_id(0) % C;
}

/* How many of these elements a block of m x n has. */
GA_INLINE int block_count(const int m, const int n) {
  const int i = block_i();

  return i < m && block_j() < n ? (m - i + APART - 1) / APART : 0;
}

GA_INLINE void block_read(W *w, global const T *a, const long rs,
                          const int steps, const int count) {
  a += block_i() * rs + block_j();
#pragma unroll
  for (int v = 0; v < steps; ++v)
    w[v] = v < count ? LD(a + v * APART * rs) : 0;
}

GA_INLINE void block_keep(local W *tile, const W *w, const int rows) {
  const int i = block_i();

  tile += i * PITCH + block_j();
#pragma unroll
  for (int v = 0; v < STEPS(rows); ++v) {
    if (rows % APART == 0 || i + v * APART < rows)
      tile[v * APART * PITCH] = w[v];
  }
}

GA_INLINE void block_write(local const W *tile, global T *a, const long rs,
                           const int steps, const int count) {
  const int i = block_i(), j = block_j();

  tile += i * PITCH + j;
  a += i * rs + j;
#pragma unroll
  for (int v = 0; v < steps; ++v) {
    if (v < count)
      ST(tile[v * APART * PITCH], a + v * APART * rs);
  }
}

/* Read the rows of n columns of the diagonal block, `top`, and the group's
 * `left` rows below it, `low`. All is asked for before any is waited for. */
GA_INLINE void rows_read(W t[NB], global const T *top, global const T *low,
                         const long rs, const int n, const int left,
                         local panel *s) {
  const int me = (int)get_local_id(0);
  W w[NB / C][STEPS(NB) + STEPS(S)];

#pragma unroll
  for (int h = 0; h < NB / C; ++h) {
    const int j = h * C;

    block_read(w[h], top + j, rs, STEPS(NB), block_count(n, n - j));
    block_read(w[h] + STEPS(NB), low + j, rs, STEPS(S),
               block_count(left, n - j));
  }
#pragma unroll
  for (int h = 0; h < NB / C; ++h) {
    block_keep(s->tile, w[h], NB);
    block_keep(s->tile + NB * PITCH, w[h] + STEPS(NB), S);
    SYNC;
#pragma unroll
    for (int j = 0; j < C; ++j)
      t[h * C + j] = s->tile[me * PITCH + j];
    SYNC;
  }
}

/* The same to memory; only the first group writes the diagonal block. */
GA_INLINE void rows_write(const W t[NB], global T *top, const long top_rs,
                          global T *low, const long rs, const int n,
                          const int left, local panel *s) {
  const int me = (int)get_local_id(0);

#pragma unroll
  for (int h = 0; h < NB / C; ++h) {
    const int j = h * C;

#pragma unroll
    for (int i = 0; i < C; ++i)
      s->tile[me * PITCH + i] = t[PLACE(j + i)];
    SYNC;
    if (get_group_id(0) == 0)
      block_write(s->tile, top + j, top_rs, STEPS(NB), block_count(n, n - j));
    block_write(s->tile + NB * PITCH, low + j, rs, STEPS(S),
                block_count(left, n - j));
    SYNC;
  }
}

/* Other matrices are moved a row for each work-item: `n` elements. */
GA_INLINE void row_read(W t[NB], global const T *a, const long cs,
                        const int n) {
#pragma unroll
  for (int j = 0; j < NB; ++j)
    t[j] = j < n ? LD(a + j * cs) : 0;
}

GA_INLINE void row_write(const W t[NB], global T *a, const long cs,
                         const int n) {
#pragma unroll
  for (int j = 0; j < NB; ++j) {
    if (j < n)
      ST(t[PLACE(j)], a + j * cs);
  }
}

/* --- factors --- */

/* x - the product of 4 columns of two rows. */
GA_INLINE W minus_4(const W x, const W4 u, const W4 v) {
  return fma(-u.s3, v.s3,
             fma(-u.s2, v.s2, fma(-u.s1, v.s1, fma(-u.s0, v.s0, x))));
}

/* The reciprocal root. NVIDIA's own one for doubles has a branch, which would
 * keep the compiler from mixing two chains of instructions in factor_run(). So
 * this is an approximation with 20 right bits, and a step that makes them 60.
 * Numbers below 2^-900 are scaled, since the approximation takes subnormal ones
 * for 0. */
GA_INLINE W root_over(const W d) {
#if PTX && UNITS == 2
  const int is_small = as_int2(d).s1 < 0x07b00000;
  const W scaled = is_small ? d * 0x1p+200 : d;
  W y;

  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(scaled));
  const W e = fma(-scaled * y, y, 1), to = y * (is_small ? 0x1p+100 : 1);

  return fma(to * e, fma(0.375, e, 0.5), to);
#else
  return rsqrt(d);
#endif
}

/* r, the reciprocal root of pivot d, or NaN if that is not positive. */
GA_INLINE W root_or_nan(const W r, const W d) {
  return d > 0 ? r : (W)NAN;
}

/* Replace 4 columns of a row, t, by those of the factor. `last` has the 4
 * columns before, which are subtracted first, `b` the diagonal block, and v its
 * rows of the columns before. Returns the first bad pivot, counted from 1, or
 * 0. */
GA_INLINE int factor_4(W *t, const W4 last, local const W4 *b,
                       local const W4 *v) {
  const W4 b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
  const W4 v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
  const W d0 = minus_4(b0.s0, v0, v0), r0 = root_over(d0);
  const W l10 = minus_4(b1.s0, v1, v0) * r0;
  const W l20 = minus_4(b2.s0, v2, v0) * r0;
  const W l30 = minus_4(b3.s0, v3, v0) * r0;
  const W d1 = fma(-l10, l10, minus_4(b1.s1, v1, v1)), r1 = root_over(d1);
  const W l21 = fma(-l20, l10, minus_4(b2.s1, v2, v1)) * r1;
  const W l31 = fma(-l30, l10, minus_4(b3.s1, v3, v1)) * r1;
  const W d2 = fma(-l21, l21, fma(-l20, l20, minus_4(b2.s2, v2, v2)));
  const W r2 = root_over(d2);
  const W l32 =
      fma(-l31, l21, fma(-l30, l20, minus_4(b3.s2, v3, v2))) * r2;
  const W d3 = fma(-l32, l32,
                   fma(-l31, l31, fma(-l30, l30, minus_4(b3.s3, v3, v3))));
  const W r3 = root_over(d3);

  t[0] = minus_4(t[0], last, v0) * root_or_nan(r0, d0);
  t[1] = fma(-t[0], l10, minus_4(t[1], last, v1)) * root_or_nan(r1, d1);
  t[2] = fma(-t[1], l21, fma(-t[0], l20, minus_4(t[2], last, v2)));
  t[2] *= root_or_nan(r2, d2);
  t[3] = fma(-t[1], l31, fma(-t[0], l30, minus_4(t[3], last, v3)));
  t[3] = fma(-t[2], l32, t[3]) * root_or_nan(r3, d3);
  return !(d0 > 0) ? 1 : !(d1 > 0) ? 2 : !(d2 > 0) ? 3 : !(d3 > 0) ? 4 : 0;
}

/* Factor RUN columns from `first` on: t[0] and those after it, of `width` that
 * are left. `last` has the 4 columns before them. A step subtracts the 4 columns
 * that the step before finished from all that are left. These products do not
 * depend on the step's pivots, so the compiler can mix the two chains of
 * instructions; conditions would keep it from that, so there is code for each
 * width. Columns turn in registers, so that the loop is short: the next 4 are
 * the first ones, and those that were finished last are the last ones. Two steps
 * at a time, since what a group shares takes turns. The last step of a panel
 * stores pivots that nobody reads. Returns the first bad pivot of the panel,
 * counted from 1, or 0. */
GA_INLINE int factor_run(W t[NB], W4 *last, const int first, const int width,
                         local panel *s) {
  const int me = (int)get_local_id(0);
  int bad = 0;

#pragma unroll 2
  for (int i = 0; i < RUN; i += 4) {
    const int k = first + i, at = me - k, turn = k / 4 % 2;
    local const W4 *v = s->rows[1 - turn] + k;
    const int found = factor_4(t, *last, s->pivots[turn], v);

#pragma unroll
    for (int j = 4; j < width; j += 4) {
      if (j < width - RUN + 4 || i + j < width) {
#pragma unroll
        for (int e = j; e < j + 4; ++e)
          t[e] = minus_4(t[e], *last, v[e]);
      }
    }
    bad = bad == 0 && found > 0 ? k + found : bad;
    if (at >= 4 && me < NB)
      s->rows[turn][me] = FOUR(t, 0);
    if (at >= 4 && at < 8)
      s->pivots[1 - turn][at - 4] = FOUR(t, 4);
    SYNC;
    *last = FOUR(t, 0);
#pragma unroll
    for (int j = 0; j < width - 4; ++j)
      t[j] = t[j + 4];
    t[width - 4] = last->s0;
    t[width - 3] = last->s1;
    t[width - 2] = last->s2;
    t[width - 1] = last->s3;
  }
  return bad;
}

/* Factor all columns of a row, t. Returns as the function above. */
GA_INLINE int factor_row(W t[NB], local panel *s) {
  W4 last = 0;
  int bad = 0;

#pragma unroll
  for (int first = 0; first < NB; first += RUN) {
    const int found = factor_run(t, &last, first, NB - first, s);

    bad = bad == 0 ? found : bad;
  }
  return bad;
}

/* Factor the n columns, n <= NB, of a, m x n, m >= n. The rows below the
 * diagonal block are replaced. The block's factor goes to `l`, which may be its
 * place if there is one group: the others read it. `l` is by rows if `a` is.
 * `before` rows stand above the panel. Global size: G for each S rows below the
 * diagonal block, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_cholesky_panel(MATRIX(a), MATRIX(l), const ulong m_, const ulong n_,
                      const ulong before, global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0), is_top = me < NB;
  const long from = (long)get_group_id(0) * S + n;
  const int left = (int)min((long)m_ - from, (long)S);
  global T *a = MATRIX_AT(a, z), *low = a + from * a_rs;
  global T *l = MATRIX_AT(l, z);
  const int row = is_top ? me : me - NB;
  const int cols = row < (is_top ? n : left) ? n : 0;
  local panel s;
  W t[NB];

  if (a_cs == 1)
    rows_read(t, a, low, a_rs, n, left, &s);
  else
    row_read(t, (is_top ? a : low) + row * a_rs, a_cs, cols);
  /* Columns that are missing are the identity's. */
#pragma unroll
  for (int j = 0; j < NB; ++j)
    t[j] = j == me && j >= n ? 1 : t[j];
  if (me < 4)
    s.pivots[0][me] = FOUR(t, 0);
  if (is_top)
    s.rows[1][me] = 0;
  SYNC;
  const int bad = factor_row(t, &s);

#pragma unroll
  for (int j = 0; j < NB; ++j)
    t[PLACE(j)] = is_top && j > me ? 0 : t[PLACE(j)];
  if (a_cs == 1)
    rows_write(t, l, l_rs, low, a_rs, n, left, &s);
  else if (is_top)
    row_write(t, l + row * l_rs, l_cs, get_group_id(0) == 0 ? cols : 0);
  else
    row_write(t, low + row * a_rs, a_cs, cols);
  if (me == 0 && get_group_id(0) == 0)
    report_bad(info + z, bad, before);
}
