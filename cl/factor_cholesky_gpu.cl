/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of Cholesky factors on GPUs: groups share the rows below the diagonal
 * block, and each factors that block by itself, so that none waits for another.
 * A work-item has one row, in registers. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define S 64             rows of a group below the diagonal block, a multiple
 *                            of 32
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define NB 64 /* columns of a panel, and rows of its diagonal block */
#define G (NB + S)
#define C 32 /* columns that are moved at a time; it divides NB and G */
#define PITCH (C + 1)
#define AHEAD 8 /* elements that are asked for before any is waited for */
#define W4 GA_JOIN(W, 4)
#define FOUR(t, k) ((W4)((t)[k], (t)[(k) + 1], (t)[(k) + 2], (t)[(k) + 3]))

/* What a group shares. */
typedef struct panel {
  W tile[G * PITCH]; /* columns of the group's rows, from and to memory */
  W4 pivots[4];      /* the diagonal block of 4 columns */
  W4 rows[2][NB];    /* the factor's rows in these columns, in turns */
} panel;

/* --- memory --- */

/* Element (i, j) of a group's tile of C columns, of which the first is column
 * `first` of the panel. Rows of the diagonal block come first. */
typedef struct place {
  int i, j;
  long offset; /* elements from the panel's first one */
  int is_in;   /* in the lower trapezoid */
} place;

/* Set what a work-item moves at step v: neighbours move neighbours in memory. */
GA_INLINE void set_place(place *p, const int v, const long rs, const long cs,
                         const int first, const int n, const long m) {
  const int me = (int)get_local_id(0), by_rows = cs == 1;

  p->i = by_rows ? me / C + v * (G / C) : me;
  p->j = by_rows ? me % C : v;
  const int is_top = p->i < NB, col = first + p->j;
  const long row = is_top ? p->i : (long)get_group_id(0) * S + n + p->i - NB;

  p->offset = row * rs + col * cs;
  p->is_in = col < n && (is_top ? p->i < n && col <= p->i : row < m);
}

/* Read a row of the panel: what is not in the lower trapezoid is the
 * identity's. */
GA_INLINE void panel_load(W t[NB], global const T *a, const long rs,
                          const long cs, const int n, const long m,
                          local panel *s) {
  const int me = (int)get_local_id(0);

#pragma unroll
  for (int first = 0; first < NB; first += C) {
    for (int v = 0; v < C; v += AHEAD) {
      W w[AHEAD];

#pragma unroll
      for (int u = 0; u < AHEAD; ++u) {
        place p;

        set_place(&p, v + u, rs, cs, first, n, m);
        w[u] = LD(a + (p.is_in ? p.offset : 0));
      }
#pragma unroll
      for (int u = 0; u < AHEAD; ++u) {
        place p;

        set_place(&p, v + u, rs, cs, first, n, m);
        s->tile[p.i * PITCH + p.j] = p.is_in ? w[u] : first + p.j == p.i;
      }
    }
    SYNC;
#pragma unroll
    for (int j = 0; j < C; ++j)
      t[first + j] = s->tile[me * PITCH + j];
    SYNC;
  }
}

/* Write the rows below the diagonal block to `a`. The first group writes that
 * block to `l`, with zeros above its diagonal. */
GA_INLINE void panel_store(const W t[NB], global T *a, const long rs,
                           const long cs, global T *l, const long l_rs,
                           const long l_cs, const int n, const long m,
                           local panel *s) {
  const int me = (int)get_local_id(0);

#pragma unroll
  for (int first = 0; first < NB; first += C) {
#pragma unroll
    for (int j = 0; j < C; ++j)
      s->tile[me * PITCH + j] = t[first + j];
    SYNC;
    for (int v = 0; v < C; ++v) {
      place p;

      set_place(&p, v, rs, cs, first, n, m);
      const int col = first + p.j;
      const W w = p.is_in ? s->tile[p.i * PITCH + p.j] : 0;

      if (p.i >= NB && p.is_in)
        ST(w, a + p.offset);
      else if (p.i < n && col < n && get_group_id(0) == 0)
        ST(w, l + p.i * l_rs + col * l_cs);
    }
    SYNC;
  }
}

/* --- factors --- */

/* The reciprocal root of a pivot, NaN unless that is positive. */
GA_INLINE W over(const W d) {
  return d > 0 ? rsqrt(d) : (W)NAN;
}

/* Replace 4 columns of a row, t, by those of the factor. `b` has the diagonal
 * block of these columns. Returns its first bad pivot, counted from 1, or 0. */
GA_INLINE int factor_4(W *t, local const W4 *b) {
  const W4 b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
  const W r0 = over(b0.s0);
  const W l10 = b1.s0 * r0, l20 = b2.s0 * r0, l30 = b3.s0 * r0;
  const W d1 = fma(-l10, l10, b1.s1), r1 = over(d1);
  const W l21 = fma(-l20, l10, b2.s1) * r1, l31 = fma(-l30, l10, b3.s1) * r1;
  const W d2 = fma(-l21, l21, fma(-l20, l20, b2.s2)), r2 = over(d2);
  const W l32 = fma(-l31, l21, fma(-l30, l20, b3.s2)) * r2;
  const W d3 = fma(-l32, l32, fma(-l31, l31, fma(-l30, l30, b3.s3)));
  const W r3 = over(d3);

  t[0] *= r0;
  t[1] = fma(-t[0], l10, t[1]) * r1;
  t[2] = fma(-t[1], l21, fma(-t[0], l20, t[2])) * r2;
  t[3] = fma(-t[2], l32, fma(-t[1], l31, fma(-t[0], l30, t[3]))) * r3;
  return !(b0.s0 > 0) ? 1 : !(d1 > 0) ? 2 : !(d2 > 0) ? 3 : !(d3 > 0) ? 4 : 0;
}

/* x -= the product of 4 columns of the factor: t of this row, v of another. */
GA_INLINE W minus_4(const W x, const W *t, const W4 v) {
  return fma(-t[3], v.s3,
             fma(-t[2], v.s2, fma(-t[1], v.s1, fma(-t[0], v.s0, x))));
}

/* Factor the n columns, n <= NB, of a, m x n, m >= n. The rows below the
 * diagonal block are replaced. The block's factor goes to `l`, which may be its
 * place if there is one group: the others read it. `before` rows stand above the
 * panel. Global size: G for each S rows below the diagonal block, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_cholesky_panel(MATRIX(a), MATRIX(l), const ulong m_, const ulong n_,
                      const ulong before, global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  const long m = (long)m_;
  global T *a = MATRIX_AT(a, z);
  global T *l = MATRIX_AT(l, z);
  local panel s;
  W t[NB];
  int bad = 0;

  panel_load(t, a, a_rs, a_cs, n, m, &s);
  if (me < 4)
    s.pivots[me] = FOUR(t, 0);
  /* What the group has read may be replaced. */
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  /* Columns turn in registers, so that the loop is short: the next 4 are the
   * first ones, and those that were finished last are the last ones. A step also
   * completes what these change, which hides the time for which it waits for
   * pivots. */
#pragma unroll 1
  for (int k = 0; k < NB; k += 4) {
    const int at = me - k;
    local W4 *rows = s.rows[k / 4 % 2];
    local const W4 *finished = s.rows[(k / 4 + 1) % 2];
    const int found = factor_4(t, s.pivots);

    bad = bad == 0 && found > 0 ? k + found : bad;
#pragma unroll
    for (int j = 4; j < NB - 4; j += 4) {
      if (k > 0 && k + j < NB) {
#pragma unroll
        for (int i = j; i < j + 4; ++i)
          t[i] = minus_4(t[i], t + NB - 4, finished[k + i]);
      }
    }
    if (at >= 4 && me < NB)
      rows[me] = FOUR(t, 0);
    SYNC;
    if (k + 4 < NB) {
#pragma unroll
      for (int i = 4; i < 8; ++i)
        t[i] = minus_4(t[i], t, rows[k + i]);
      if (at >= 4 && at < 8)
        s.pivots[at - 4] = FOUR(t, 4);
    }
    SYNC;
    const W4 now = FOUR(t, 0);
#pragma unroll
    for (int j = 0; j < NB - 4; ++j)
      t[j] = t[j + 4];
    t[NB - 4] = now.s0;
    t[NB - 3] = now.s1;
    t[NB - 2] = now.s2;
    t[NB - 1] = now.s3;
  }
  panel_store(t, a, a_rs, a_cs, l, l_rs, l_cs, n, m, &s);
  if (me == 0 && get_group_id(0) == 0)
    report_bad(info + z, bad, before);
}
