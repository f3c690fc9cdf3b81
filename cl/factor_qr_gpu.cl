/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of QR factors on GPUs: one group for each matrix of a batch, and the
 * panel in registers: work-item i has the rows i, i + G and so on. Macros, here
 * for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define R 4              rows of a work-item
 *   #define C 16             most columns of a panel, a power of 2, at most G and
 *                            32
 *
 * Work-items next to each other read rows next to each other, so columns without
 * gaps are fast. Columns are scaled by powers of 2, so that sums of squares
 * neither overflow nor lose what matters. Strides are in elements, of either
 * sign; offsets in bytes. */
#define FENCE CLK_LOCAL_MEM_FENCE
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_panel.cl"

#if SHUFFLES
#define PARTS WARPS
#else
#define PARTS G
#endif

/* Powers of 2: factors of columns have at most one, in either direction, and
 * sums of squares below the other one count as 0. */
#define MOST_EXPONENT (UNITS == 2 ? 1021 : 125)
#define TINY_EXPONENT (UNITS == 2 ? -900 : -100)

/* What the group shares. */
typedef struct panel {
  W part[C * PARTS], joined[C]; /* sums or largest values of columns */
  W top[C];     /* the row in which a reflector begins */
  W scale[C];   /* of columns */
  W factors[C]; /* of a reflector, for each column that it changes */
  W over, beta; /* of a reflector */
  W tau[C];     /* of all reflectors */
  W dots[C][C]; /* their products: [later][earlier] */
  W t[C][C];    /* T, by columns */
} panel;

/* Join C values of each work-item, v, which are lost, to s->joined. */
GA_INLINE void panel_join(W v[C], const int is_most, SHARED panel *s) {
  const int me = (int)get_local_id(0);

#if SHUFFLES
  const int lane = me % 32;
  W sum = 0;

  /* Those who exchange values keep half of them each: in the end, value
   * lane % C. */
#pragma unroll
  for (int by = C / 2; by > 0; by /= 2) {
#pragma unroll
    for (int i = 0; i < C / 2; ++i) {
      if (i < by) {
        const W a = v[i], b = v[i + by], give = lane & by ? a : b;

        v[i] = group_join(lane & by ? b : a, shuffle_value(give, by), is_most);
      }
    }
  }
#pragma unroll
  for (uint by = C; by < 32; by *= 2)
    v[0] = group_join(v[0], shuffle_value(v[0], by), is_most);
  if (lane < C)
    s->part[me / 32 * C + lane] = v[0];
  SYNC;
  if (me < 32) {
#pragma unroll
    for (int i = 0; i < WARPS; i += 32 / C) {
      const int at = (i + lane / C) * C + lane % C;

      sum = i + lane / C < WARPS ? group_join(sum, s->part[at], is_most) : sum;
    }
#pragma unroll
    for (uint by = C; by < 32; by *= 2)
      sum = group_join(sum, shuffle_value(sum, by), is_most);
    if (me < C)
      s->joined[me] = sum;
  }
#else
  const int lanes = G / C;
  W sum = 0;

  EACH_COLUMN(j) s->part[j * G + me] = v[j];
  SYNC;
  for (int i = 0; i < C; ++i)
    sum = group_join(sum, s->part[me / lanes * G + me % lanes + i * lanes],
                     is_most);
  SYNC;
  s->part[me] = sum;
  SYNC;
  if (me < C) {
    sum = 0;
    /* Each begins elsewhere, in a bank of its own. */
    for (int i = 0; i < lanes; ++i)
      sum = group_join(sum, s->part[me * lanes + (i + me) % lanes], is_most);
    s->joined[me] = sum;
  }
#endif
  SYNC;
}

/* Scale each column so that its largest element is about 1, and keep the
 * inverses of the factors in s->scale. */
GA_INLINE void panel_scale(W x[R][C], const int rows, SHARED panel *s) {
  const int me = (int)get_local_id(0), most = MOST_EXPONENT;
  W v[C];

  EACH_COLUMN(j) v[j] = 0;
  EACH_ROW(r, rows) {
    EACH_COLUMN(j) v[j] = group_join(v[j], fabs(x[r][j]), 1);
  }
  panel_join(v, 1, s);
  if (me < C) {
    const W largest = s->joined[me];
    const int is_plain = largest > 0 && largest < (W)INFINITY;
    const int e = is_plain ? clamp(ilogb(largest), -most, most) : 0;

    s->scale[me] = ldexp((W)1, e);
    s->joined[me] = ldexp((W)1, -e);
  }
  SYNC;
  EACH_COLUMN(j) {
    const W by = s->joined[j];

    EACH_ROW(r, rows) x[r][j] *= by;
  }
}

/* Set what applies reflector c: its factors for each column, and what makes it
 * from its column. s->joined has the products with what is below row c. */
GA_INLINE void panel_reflector(const int c, const W tiny, SHARED panel *s) {
  const int me = (int)get_local_id(0);

  if (me < C) {
    const W a = s->top[0], sum = s->joined[0], norm = sqrt(fma(a, a, sum));
    const int is_zero = sum < tiny, is_live = me + c < C;
    const W beta = is_zero ? a : -copysign(norm, a);
    const W tau = is_zero ? 0 : (beta - a) / beta;
    const W over = is_zero ? 0 : 1 / (a - beta);
    const W dot = fma(s->joined[me], over, s->top[me]);

    s->factors[me] = is_live ? -tau * dot : 0;
    /* Finished columns are reflectors: this is their product. */
    if (!is_live)
      s->dots[c][me + c - C] = dot;
    if (me == 0) {
      s->tau[c] = tau;
      s->over = over;
      s->beta = beta;
    }
  }
  SYNC;
}

/* Make column c, which is the first one in registers, the reflector that clears
 * it below row c, where it keeps R, and apply that to the columns behind it. A
 * column whose squares add up to less than `tiny` is 0. The columns turn in
 * registers: what was the second one is the first one then, and the finished
 * one the last. */
GA_INLINE void panel_reflect(W x[R][C], const int rows, const int c,
                             const W tiny, SHARED panel *s) {
  const int me = (int)get_local_id(0);
  W v[C];

  EACH_COLUMN(j) v[j] = 0;
  EACH_ROW(r, rows) {
    const W below = r > 0 || me > c ? x[r][0] : 0;

    EACH_COLUMN(j) v[j] = fma(below, x[r][j], v[j]);
  }
  panel_join(v, 0, s);
  panel_reflector(c, tiny, s);

  const W over = s->over, beta = s->beta;

  EACH_COLUMN(j) v[j] = s->factors[j];
  EACH_ROW(r, rows) {
    const int is_below = r > 0 || me > c;
    const W u = is_below ? x[r][0] * over : me == c;
    const W first = is_below ? u : me == c ? beta : x[r][0];

#pragma unroll
    for (int j = 1; j < C; ++j)
      x[r][j - 1] = fma(v[j], u, x[r][j]);
    x[r][C - 1] = first;
  }
  if (me == c + 1) {
    EACH_COLUMN(j) s->top[j] = x[0][j];
  }
}

/* Set s->t to T of n reflectors, in its last rows and columns, and to zeros
 * before them. A work-item has a row. */
GA_INLINE void panel_triangle(const int n, SHARED panel *s) {
  const int me = (int)get_local_id(0), skip = C - n;

  if (me < C) {
    const int i = me - skip;
    W row[C];

    EACH_COLUMN(k) {
      W sum = 0;

#pragma unroll
      for (int j = 0; j < k; ++j)
        sum = k < n ? fma(row[j], s->dots[k][j], sum) : 0;
      row[k] = k >= n || k < i || i < 0 ? 0
               : k == i                 ? s->tau[k]
                                        : -s->tau[k] * sum;
    }
    for (int k = 0; k < skip; ++k)
      s->t[k][me] = 0;
    EACH_COLUMN(k) {
      if (k < n)
        s->t[k + skip][me] = row[k];
    }
  }
  SYNC;
}

/* Factor a panel of m x n, m >= n, in place: R in its upper triangle; what is
 * below stays. `v`, m x n, becomes the reflectors with ones and zeros, and y =
 * V T, with H1 ... Hn = I - V T V^T. Global size: G, batch. */
kernel GROUP void factor_qr(MATRIX(a), const ulong m_, const ulong n_,
                            MATRIX(v), MATRIX(y)) {
  const ulong z = get_group_id(1);
  const int m = (int)m_, n = (int)n_, me = (int)get_local_id(0);
  const int skip = C - n; /* of the registers, when all columns are finished */
  const W tiny = ldexp((W)1, TINY_EXPONENT);
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
  panel_scale(x, m, &s);
  if (me == 0) {
    EACH_COLUMN(j) s.top[j] = x[0][j];
  }
#pragma unroll 1
  for (int c = 0; c < n; ++c)
    panel_reflect(x, m, c, tiny, &s);
  if (me < n) {
    EACH_COLUMN(j) {
      const int c = j - skip;

      if (c >= me)
        ST(x[0][j] * s.scale[c], a + me * a_rs + c * a_cs);
    }
  }
  EACH_ROW(r, m) {
    global T *to = v + ROW_OF(r) * v_rs;

    EACH_COLUMN(j) {
      const int c = j - skip;

      x[r][j] = r > 0 || me > c ? x[r][j] : me == c;
      if (ROW_OF(r) < m && c >= 0)
        ST(x[r][j], to + c * v_cs);
    }
  }
  panel_triangle(n, &s);
  y += me * y_rs;
  EACH_COLUMN(k) {
    W t[C];

    EACH_COLUMN(j) t[j] = s.t[k][j];
    EACH_ROW(r, m) {
      W sum = 0;

#pragma unroll
      for (int j = 0; j <= k; ++j)
        sum = fma(x[r][j], t[j], sum);
      if (ROW_OF(r) < m && k >= skip)
        ST(sum, y + r * G * y_rs + (k - skip) * y_cs);
    }
  }
}
