/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of LU factors on GPUs: one group for each matrix of a batch. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define R 8              rows of a work-item
 *   #define C 8              columns in registers, at most G
 *   #define PB 32            most columns of a panel
 *   #define PTX 1            as in factor_group.cl
 *
 * A strip of C columns at a time is in registers: work-item i has the rows i, i
 * + G and so on. What the strip does to the rest of the panel follows before
 * the next one. Work-items next to each other read rows next to each other, so
 * columns without gaps are fast. Strides are in elements, of either sign;
 * offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_panel.cl"
#include "factor_pivot.cl"

/* What the group shares. */
typedef struct panel {
  W most[G];            /* largest elements, */
  int where[G];         /* and their rows */
  W upper[C], lower[C]; /* the two rows that are exchanged */
  int pivots[C];        /* of the strip, counted from its first row */
#if C < PB
  W l[C][C];          /* the strip's first rows */
  W moved[2 * C][PB]; /* rows that the strip exchanges, in other columns */
#endif
} panel;

/* Eliminate with column c of the strip, which is the first one in registers,
 * and turn the columns there: what was the second one is the first one then, and
 * the finished one the last. Returns 0 if the pivot is 0. */
GA_INLINE int panel_eliminate(W x[R][C], const int rows, const int c,
                              local panel *s) {
  const int me = (int)get_local_id(0);
  W most = -1;
  int where = c;

  EACH_ROW(r, rows) {
    const W v = fabs(x[r][0]);

    if (ROW_OF(r) >= c && ROW_OF(r) < rows && is_larger(v, most)) {
      most = v;
      where = ROW_OF(r);
    }
  }
  const int p = group_choose(s->most, s->where, most, where);
  EACH_ROW(r, rows) {
    if (ROW_OF(r) == c)
      EACH_COLUMN(j) s->upper[j] = x[r][j];
    if (ROW_OF(r) == p)
      EACH_COLUMN(j) s->lower[j] = x[r][j];
  }
  if (me == 0)
    s->pivots[c] = p;
  WAIT;
  const W d = s->lower[0], over = 1 / d;
  const int is_plain = isnormal(over) != 0, is_zero = d == 0;

  EACH_ROW(r, rows) {
    if (ROW_OF(r) == c)
      EACH_COLUMN(j) x[r][j] = s->lower[j];
    else if (ROW_OF(r) == p)
      EACH_COLUMN(j) x[r][j] = s->upper[j];
  }
  W f[R];
  EACH_ROW(r, rows) {
    const int below = ROW_OF(r) > c && !is_zero;

    f[r] = below ? quotient(x[r][0], d, over, is_plain) : x[r][0];
  }
#pragma unroll
  for (int j = 1; j < C; ++j) {
    const W u = s->lower[j];

    EACH_ROW(r, rows) {
      const int below = ROW_OF(r) > c && !is_zero && j + c < C;

      x[r][j - 1] = below ? fma(-f[r], u, x[r][j]) : x[r][j];
    }
  }
  EACH_ROW(r, rows) x[r][C - 1] = f[r];
  return !is_zero;
}

#if C < PB
/* The row that is exchanged in a slot: one of the strip's first rows, or the
 * row of a pivot. */
GA_INLINE int panel_row(local const panel *s, const int w, const int slot) {
  return slot < w ? slot : s->pivots[slot - w];
}

/* Nonzero if no slot before this one has the same row. */
GA_INLINE int panel_is_first(local const panel *s, const int w,
                             const int slot) {
  const int i = panel_row(s, w, slot);
  int found = slot >= w && i < w;

  for (int c = 0; c < slot - w; ++c)
    found |= s->pivots[c] == i;
  return !found;
}

/* The row that the exchanges bring to row i. */
GA_INLINE int panel_source(local const panel *s, const int w, int i) {
  for (int c = w - 1; c >= 0; --c) {
    const int p = s->pivots[c];

    i = i == c ? p : i == p ? c : i;
  }
  return i;
}

/* Exchange rows of a strip of w columns, which begins at column and row j0 of
 * the panel, in the panel's other columns. The first w rows stay in s->moved,
 * too. */
GA_INLINE void panel_exchange(global T *a, const long rs, const long cs,
                              const int n, const int j0, const int w,
                              local panel *s) {
  const int me = (int)get_local_id(0), slots = 2 * w, other = n - w;

  for (int v = me; v < slots * other; v += G) {
    const int slot = v % slots, at = v / slots, j = at < j0 ? at : at + w;
    const int i = panel_source(s, w, panel_row(s, w, slot));

    s->moved[slot][j] = LD(a + (long)(j0 + i) * rs + j * cs);
  }
  SYNC;
  for (int v = me; v < slots * other; v += G) {
    const int slot = v % slots, at = v / slots, j = at < j0 ? at : at + w;

    if (panel_is_first(s, w, slot))
      ST(s->moved[slot][j],
         a + (long)(j0 + panel_row(s, w, slot)) * rs + j * cs);
  }
  SYNC;
}

/* Solve for the rows of U at the right of the strip, in s->moved and in a. */
GA_INLINE void panel_solve(global T *a, const long rs, const long cs,
                           const int n, const int j0, const int w,
                           local panel *s) {
  const int me = (int)get_local_id(0);

  for (int j = j0 + w + me; j < n; j += G) {
    for (int i = 1; i < w; ++i) {
      W sum = s->moved[i][j];

      for (int c = 0; c < i; ++c)
        sum = fma(-s->l[i][c], s->moved[c][j], sum);
      s->moved[i][j] = sum;
      ST(sum, a + (long)(j0 + i) * rs + j * cs);
    }
  }
  WAIT;
}

/* Columns that are read at a time, to wait for memory once. */
#define AT_ONCE (R < 16 ? 16 / R : 1)
#define EACH_AT_ONCE(q) _Pragma("unroll") for (int q = 0; q < AT_ONCE; ++q)

/* Subtract the product of the strip, which is in registers, with its rows of U
 * from the rows below those. */
GA_INLINE void panel_subtract(W x[R][C], const int rows, global T *a,
                              const long rs, const long cs, const int n,
                              const int j0, local panel *s) {
  const int me = (int)get_local_id(0);

  for (int j = j0 + C; j < n; j += AT_ONCE) {
    W sum[R][AT_ONCE];

    EACH_ROW(r, rows) {
      global const T *from = a + (long)(j0 + ROW_OF(r)) * rs + j * cs;

      EACH_AT_ONCE(q)
      sum[r][q] = ROW_OF(r) >= C && ROW_OF(r) < rows && j + q < n
                      ? LD(from + q * cs)
                      : 0;
    }
    EACH_AT_ONCE(q) {
      EACH_COLUMN(c) {
        const W u = s->moved[c][min(j + q, PB - 1)];

        EACH_ROW(r, rows) sum[r][q] = fma(-x[r][c], u, sum[r][q]);
      }
    }
    EACH_ROW(r, rows) {
      global T *to = a + (long)(j0 + ROW_OF(r)) * rs + j * cs;

      EACH_AT_ONCE(q) {
        if (ROW_OF(r) >= C && ROW_OF(r) < rows && j + q < n)
          ST(sum[r][q], to + q * cs);
      }
    }
  }
  SYNC;
}
#endif

/* Factor the strip of w columns at row and column j0 of a panel, m x n. Returns
 * 0, or the number of the first column of the strip whose pivot is 0, from 1. */
GA_INLINE int panel_strip(global T *a, const long rs, const long cs, const int m,
                          const int n, const int j0, const int w,
                          local panel *s) {
  const int me = (int)get_local_id(0), rows = m - j0;
  global T *first = a + j0 * (rs + cs);
  W x[R][C];
  int bad = 0;

  EACH_ROW(r, rows) {
    EACH_COLUMN(j)
    x[r][j] =
        ROW_OF(r) < rows && j < w ? LD(first + ROW_OF(r) * rs + j * cs) : 0;
  }
  for (int c = 0; c < w; ++c) {
    if (!panel_eliminate(x, rows, c, s) && bad == 0)
      bad = c + 1;
  }
  /* The w finished columns are the last ones in registers. */
  EACH_ROW(r, rows) {
    EACH_COLUMN(j) {
      const int c = j - (C - w);

      if (ROW_OF(r) < rows && c >= 0)
        ST(x[r][j], first + ROW_OF(r) * rs + c * cs);
#if C < PB
      if (ROW_OF(r) < C && c >= 0)
        s->l[ROW_OF(r)][c] = x[r][j];
#endif
    }
  }
  WAIT;
#if C < PB
  if (w < n) {
    panel_exchange(a, rs, cs, n, j0, w, s);
    panel_solve(a, rs, cs, n, j0, w, s);
    /* A strip with columns behind it is whole. */
    panel_subtract(x, rows, a, rs, cs, n, j0, s);
  }
#endif
  return bad;
}

/* Factor a panel of m x n in place, m >= n, with row exchanges, of which the
 * first has index `before` in `pivots`, [batch][each]. Pivots and `info` count
 * from the top of the matrix. Global size: G, batch. */
kernel GROUP void factor_lu(MATRIX(a), const ulong m, const ulong n_,
                            const ulong before, global int *pivots,
                            const ulong each, global int *info) {
  const ulong z = get_group_id(1);
  const int n = (int)n_, me = (int)get_local_id(0);
  global T *a = MATRIX_AT(a, z);
  local panel s;
  int bad = 0;

  for (int j0 = 0; j0 < n; j0 += C) {
    const int w = min(C, n - j0);
    const int found = panel_strip(a, a_rs, a_cs, (int)m, n, j0, w, &s);

    for (int c = me; c < w; c += G)
      pivots[z * each + before + j0 + c] = s.pivots[c] + j0 + (int)before;
    if (bad == 0 && found != 0)
      bad = j0 + found;
    WAIT;
  }
  if (me == 0)
    report_bad(info + z, bad, before);
}
