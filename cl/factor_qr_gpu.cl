/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of QR factors on GPUs: one group for each matrix of a batch, and the
 * panel in registers: work-item i has the rows i, i + G and so on. Macros, here
 * for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define R 4              rows of a work-item
 *   #define C 16             most columns of a panel, a power of 2, at most G
 *
 * Work-items next to each other read rows next to each other, so columns without
 * gaps are fast. Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_panel.cl"

/* What the group shares. */
typedef struct panel {
  W part[C * G], sums[C];
  W top[C];     /* the row in which a reflector begins */
  W tau[C];     /* factors of reflectors */
  W dots[C][C]; /* products of reflectors: [later][earlier] */
  W t[C][C];
} panel;

/* Add up C values of each work-item. */
GA_INLINE void panel_sums(const W *v, SHARED panel *s) {
  const int me = (int)get_local_id(0), lanes = G / C;
  W sum = 0;

  EACH_COLUMN(j) s->part[j * G + me] = v[j];
  SYNC;
  for (int i = 0; i < C; ++i)
    sum += s->part[me / lanes * G + me % lanes + i * lanes];
  SYNC;
  s->part[me] = sum;
  SYNC;
  if (me < C) {
    sum = 0;
    /* Each begins elsewhere, in a bank of its own. */
    for (int i = 0; i < lanes; ++i)
      sum += s->part[me * lanes + (i + me) % lanes];
    s->sums[me] = sum;
  }
  SYNC;
}

/* Make column c, which is the first one in registers, the reflector that clears
 * it below row c, where it keeps R, and apply that to the columns behind it.
 * The columns turn in registers: what was the second one is the first one then,
 * and the finished one the last. */
GA_INLINE void panel_reflect(W x[R][C], const int rows, const int c,
                             SHARED panel *s) {
  const int me = (int)get_local_id(0);
  W most = 0, v[C];

  EACH_ROW(r, rows) {
    const W size = fabs(x[r][0]);

    if (ROW_OF(r) > c && ROW_OF(r) < rows)
      most = size > most || size != size ? size : most;
    if (ROW_OF(r) == c)
      EACH_COLUMN(j) s->top[j] = x[r][j];
  }
  most = group_most(most, s->part);
  const W top = s->top[0], largest = most == 0 ? 1 : fmax(most, fabs(top));
  EACH_COLUMN(j) v[j] = 0;
  EACH_ROW(r, rows) {
    const W scaled =
        ROW_OF(r) > c && ROW_OF(r) < rows ? x[r][0] / largest : 0;

    v[0] = fma(scaled, scaled, v[0]);
#pragma unroll
    for (int j = 1; j < C; ++j)
      v[j] = fma(scaled, x[r][j], v[j]);
  }
  SYNC;
  panel_sums(v, s);

  const W a = top / largest, norm = sqrt(fma(a, a, s->sums[0]));
  const W beta = -copysign(norm, a), d = a - beta;
  const W tau = most == 0 ? 0 : (beta - a) / beta;
  const W over = most == 0 ? 0 : 1 / d;
  W first[R];

  EACH_ROW(r, rows) {
    first[r] = ROW_OF(r) > c   ? x[r][0] / largest * over
               : ROW_OF(r) < c ? x[r][0]
               : most == 0     ? top
               : most == most  ? beta * largest
                               : most;
  }
#pragma unroll
  for (int j = 1; j < C; ++j) {
    const W dot = fma(s->sums[j], over, s->top[j]), f = -tau * dot;

    EACH_ROW(r, rows) {
      const int at = ROW_OF(r), is_live = at >= c && j + c < C;

      x[r][j - 1] =
          is_live ? fma(f, at == c ? 1 : first[r], x[r][j]) : x[r][j];
    }
    /* Finished columns are reflectors: this is their product. */
    if (me == 0 && j + c >= C)
      s->dots[c][j + c - C] = dot;
  }
  EACH_ROW(r, rows) x[r][C - 1] = first[r];
  if (me == 0)
    s->tau[c] = tau;
  SYNC;
}

/* Set s->t to T of n reflectors, in its last rows and columns, and to zeros
 * before them. */
GA_INLINE void panel_triangle(const int n, SHARED panel *s) {
  const int me = (int)get_local_id(0), skip = C - n;

  for (int i = me; i < C; i += G) {
    for (int k = 0; k < C; ++k)
      s->t[i][k] = 0;
    for (int k = i - skip; i >= skip && k < n; ++k) {
      W sum = 0;

      for (int j = i - skip; j < k; ++j)
        sum = fma(s->t[i][j + skip], s->dots[k][j], sum);
      s->t[i][k + skip] = i - skip == k ? s->tau[k] : -s->tau[k] * sum;
    }
  }
  SYNC;
}

/* Factor a panel of m x n, m >= n, in place: R in its upper triangle, reflectors
 * below it, whose first element 1 is not stored. `v`, m x n, becomes the
 * reflectors with ones and zeros, and y = V T, with H1 ... Hn = I - V T V^T.
 * Global size: G, batch. */
kernel GROUP void factor_qr(MATRIX(a), const ulong m_, const ulong n_,
                            MATRIX(v), MATRIX(y)) {
  const ulong z = get_group_id(1);
  const int m = (int)m_, n = (int)n_, me = (int)get_local_id(0);
  const int skip = C - n; /* of the registers, when all columns are finished */
  global T *a = MATRIX_AT(a, z);
  global T *v = MATRIX_AT(v, z);
  global T *y = MATRIX_AT(y, z);
  SHARED panel s;
  W x[R][C];

  EACH_ROW(r, m) {
    EACH_COLUMN(j)
    x[r][j] =
        ROW_OF(r) < m && j < n ? LD(a + ROW_OF(r) * a_rs + j * a_cs) : 0;
  }
  for (int c = 0; c < n; ++c)
    panel_reflect(x, m, c, &s);
  EACH_ROW(r, m) {
    EACH_COLUMN(j) {
      const int row = ROW_OF(r), c = j - skip;

      if (row < m && c >= 0)
        ST(x[r][j], a + row * a_rs + c * a_cs);
      x[r][j] = row > c ? x[r][j] : row == c ? 1 : 0;
      if (row < m && c >= 0)
        ST(x[r][j], v + row * v_rs + c * v_cs);
    }
  }
  panel_triangle(n, &s);
  EACH_COLUMN(k) {
    W sum[R];

    EACH_ROW(r, m) sum[r] = 0;
#pragma unroll
    for (int j = 0; j < C; ++j) { /* T is 0 below its diagonal */
      const W f = j <= k ? s.t[j][k] : 0;

      EACH_ROW(r, m) sum[r] = fma(x[r][j], f, sum[r]);
    }
    EACH_ROW(r, m) {
      if (ROW_OF(r) < m && k >= skip)
        ST(sum[r], y + ROW_OF(r) * y_rs + (k - skip) * y_cs);
    }
  }
}
