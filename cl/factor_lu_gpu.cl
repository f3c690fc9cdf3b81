/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of LU factors on GPUs: one group for each matrix of a batch. Macros,
 * here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define R 8              rows of a work-item
 *   #define C 8              columns in registers, a power of 2, at most G
 *   #define PB 32            most columns of a panel
 *   #define UNIT 1           columns have no gaps
 *   #define PTX 1            as in factor_group.cl
 *
 * A strip of C columns at a time is in registers: work-item i has the rows i, i
 * + G and so on. First the strip gets what the strips before it do to it. Then
 * its columns are finished one after the other, and stored.
 *
 * Rows stay where they are until the panel is finished. Until then they have
 * positions: that of a pivot becomes the column's number, and the row that had
 * that position gets the pivot's. Only rows that begin within the first PB ones
 * are displaced so. A row that was a pivot is done: its part of U is stored, and
 * what the registers have of it does not matter any more.
 *
 * Work-items next to each other read rows next to each other, so columns without
 * gaps are fast. Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_panel.cl"
#include "factor_pivot.cl"

#define TOPS ((PB + G - 1) / G) /* rows of a work-item that may be displaced */
#define EACH_OWN(r) _Pragma("unroll") for (int r = 0; r < R; ++r)
/* Columns in registers that are left out together, when they are finished. */
#define CHUNK (C < 4 ? C : C < 32 ? 4 : 8)
#define W4 GA_JOIN(W, 4)
#define EACH_OF_CHUNK(j) _Pragma("unroll") for (int j = 0; j < CHUNK; ++j)
#define EACH_QUAD(j) _Pragma("unroll") for (int j = 0; j < CHUNK; j += 4)
#define EACH_CHUNK(first)                                                      \
  _Pragma("unroll") for (int first = 0; first < C; first += CHUNK)
/* Columns of L that are read at a time, to wait for memory once; a power of 2 as
 * C is, and no more. */
#define WANTED (R <= 2 ? 8 : R <= 4 ? 4 : R <= 8 ? 2 : 1)
#define AT_ONCE (WANTED < C ? WANTED : C)
#define EACH_AT_ONCE(q) _Pragma("unroll") for (int q = 0; q < AT_ONCE; ++q)

/* What the group shares. */
typedef struct panel {
  W told[C] __attribute__((aligned(32))); /* the pivot's row */
  int lies;                               /* where it lies */
  W found[G];                             /* as in factor_pivot.cl */
  int rows[G];
  int pivots[PB];  /* positions of pivots, */
  int origin[PB];  /* where their rows lie, */
  int is_zero[PB]; /* and whether they are 0 */
  int moved[PB];   /* positions of the first rows in the end */
#if C < PB
  W l[PB][PB + 1]; /* the pivots' rows of L */
  W u[PB][C] __attribute__((aligned(32))); /* and of U, in the strip's columns */
#endif
} panel;

/* The panel, and the work-item's rows of it. */
typedef struct place {
  global T *a;
  long rs, cs;
  int m, n;
  global T *own; /* the first one of these rows */
  long step;     /* from one to the next */
} place;

#define AT(p, i, j) ((p)->a + (long)(i) * (p)->rs + (long)(j) * (p)->cs)
#define OWN_AT(p, r, j) ((p)->own + (long)(j) * (p)->cs + (r) * (p)->step)

/* What a work-item has. */
typedef struct own {
  W x[R][C];
  int top[TOPS]; /* positions of its first rows */
  uint live;     /* a bit for each row that exists and was no pivot */
} own;

#define IS_LIVE(o, r) (((o)->live >> (r) & 1) != 0)
#define POSITION(o, r)                                                         \
  ((r) < TOPS ? (o)->top[(r) < TOPS ? (r) : 0] : ROW_OF(r))

/* --- rows in local memory --- */

GA_INLINE void chunk_read(W v[CHUNK], local const W *from) {
#if CHUNK >= 4
  EACH_QUAD(j) {
    const W4 u = *(local const W4 *)(from + j);

    v[j] = u.s0;
    v[j + 1] = u.s1;
    v[j + 2] = u.s2;
    v[j + 3] = u.s3;
  }
#else
  EACH_OF_CHUNK(j) v[j] = from[j];
#endif
}

GA_INLINE void chunk_write(local W *to, const W v[CHUNK]) {
#if CHUNK >= 4
  EACH_QUAD(j)
  *(local W4 *)(to + j) = (W4)(v[j], v[j + 1], v[j + 2], v[j + 3]);
#else
  EACH_OF_CHUNK(j) to[j] = v[j];
#endif
}

/* Tell the row at the position `where`, if the work-item has it. */
GA_INLINE void panel_tell(const own *o, const int where, local panel *s) {
  const int me = (int)get_local_id(0);

  EACH_OWN(r) {
    if (POSITION(o, r) == where && IS_LIVE(o, r)) {
      EACH_CHUNK(first) {
        W v[CHUNK];

        EACH_OF_CHUNK(j) v[j] = o->x[r][first + j];
        chunk_write(s->told + first, v);
      }
      s->lies = ROW_OF(r);
    }
  }
}

/* --- pivots --- */

/* The work-item's largest element in the first column in registers, and the
 * position of its row. A NaN is no pivot, and -1 is none. */
GA_INLINE void panel_search(const own *o, W *most, int *where) {
  const int me = (int)get_local_id(0);

  *most = -1;
  *where = INT_MAX;
  EACH_OWN(r) {
    if (IS_LIVE(o, r))
      *most = fmax(*most, fabs(o->x[r][0]));
  }
  EACH_OWN(r) {
    if (IS_LIVE(o, r) && fabs(o->x[r][0]) == *most)
      *where = min(*where, POSITION(o, r));
  }
}

/* Choose the pivot of column k among the rows that are left, and tell its row:
 * that at position k if all are NaN. Returns its position; the work-item may
 * have it if *may_have. */
GA_INLINE int panel_choose(const own *o, const int k, int *may_have,
                           local panel *s) {
  W most;
  int best;

  panel_search(o, &most, &best);
  const int where = group_choose(s->found, s->rows, most, best);
  const int p = where < INT_MAX ? where : k;

  *may_have = best == where;
  if (*may_have)
    panel_tell(o, p, s);
  WAIT;
  return p;
}

/* Give the row at position k that of the pivot, p, whose row is done. */
GA_INLINE void panel_place(own *o, const int k, const int p,
                           const int may_have) {
  const int me = (int)get_local_id(0);

  if (may_have) {
    EACH_OWN(r) {
      if (POSITION(o, r) == p)
        o->live &= ~(1u << r);
    }
  }
  EACH_OWN(r) {
    if (r < TOPS && POSITION(o, r) == k && IS_LIVE(o, r))
      o->top[r < TOPS ? r : 0] = p;
  }
}

/* --- columns --- */

/* The column of L from that in registers, where d is the pivot. */
GA_INLINE void panel_divide(W f[R], const own *o, const W d) {
  const W over = 1 / d;

  if (d == 0) {
    EACH_OWN(r) f[r] = o->x[r][0];
  } else if (isnormal(over)) {
    EACH_OWN(r) f[r] = o->x[r][0] * over;
  } else {
    EACH_OWN(r) f[r] = o->x[r][0] / d;
  }
}

/* Finish column k of the panel, which is the first one in registers, where `left`
 * columns are left, and turn these: what was the second one is the first one
 * then. */
GA_INLINE void panel_column(own *o, const place *at, const int k,
                            const int left, local panel *s) {
  const int me = (int)get_local_id(0);
  int may_have;
  const int p = panel_choose(o, k, &may_have, s), lies = s->lies;
  const W d = s->told[0];
  W f[R];

  if (me == 0) {
    s->pivots[k] = p;
    s->origin[k] = lies;
    s->is_zero[k] = d == 0;
  }
  if (me < left)
    ST(s->told[me], AT(at, lies, k + me));
  panel_place(o, k, p, may_have);
  panel_divide(f, o, d);
  EACH_OWN(r) {
    if (IS_LIVE(o, r))
      ST(f[r], OWN_AT(at, r, k));
  }
  EACH_CHUNK(first) {
    if (first < left) {
      W u[CHUNK];

      chunk_read(u, s->told + first);
      if (d == 0) {
        EACH_OF_CHUNK(j) u[j] = 0;
      }
      EACH_OWN(r) {
        EACH_OF_CHUNK(j) {
          if (first + j > 0)
            o->x[r][first + j - 1] =
                fma(d == 0 ? 0 : -f[r], u[j], o->x[r][first + j]);
        }
      }
    }
  }
}

/* --- strips --- */

#if C < PB
/* Read the pivots' rows: L of those of the strip before this one, which begins
 * at column j0, and all of them in the w columns of this one. */
GA_INLINE void panel_fetch(const place *at, const int j0, const int w,
                           local panel *s) {
  const int me = (int)get_local_id(0);

  for (int v = me; v < C * j0; v += G) {
    const int i = j0 - C + v % C, j = v / C;

    s->l[i][j] = s->is_zero[j] ? 0 : LD(AT(at, s->origin[i], j));
  }
  for (int v = me; v < j0 * w; v += G) {
    const int i = v % j0, j = v / j0;

    s->u[i][j] = LD(AT(at, s->origin[i], j0 + j));
  }
  WAIT;
}

/* Solve for U in the strip's columns. */
GA_INLINE void panel_solve(const int j0, const int w, local panel *s) {
  const int me = (int)get_local_id(0);

#if SHUFFLES && PB <= 32
  for (int j = me / 32; j < w; j += WARPS) {
    const int i = me % 32;
    W x = i < j0 ? s->u[i][j] : 0;

    for (int c = 0; c < j0 - 1; ++c) {
      const W u = shuffle_from(x, c);

      x = c < i && i < j0 && !s->is_zero[c] ? fma(-s->l[i][c], u, x) : x;
    }
    if (i < j0)
      s->u[i][j] = x;
  }
  WAIT;
#else
  for (int c = 0; c < j0 - 1; ++c) {
    for (int v = me; v < j0 * w; v += G) {
      const int i = v % j0, j = v / j0;

      if (i > c && !s->is_zero[c])
        s->u[i][j] = fma(-s->l[i][c], s->u[c][j], s->u[i][j]);
    }
    WAIT;
  }
#endif
}

/* Store U. Nothing is subtracted for pivots that are 0. */
GA_INLINE void panel_store(const place *at, const int j0, const int w,
                           local panel *s) {
  for (int v = (int)get_local_id(0); v < j0 * w; v += G) {
    const int i = v % j0, j = v / j0;

    ST(s->u[i][j], AT(at, s->origin[i], j0 + j));
    if (s->is_zero[i])
      s->u[i][j] = 0;
  }
  WAIT;
}

/* Subtract the product of L with U from the strip's rows. */
GA_INLINE void panel_subtract(own *o, const place *at, const int j0,
                              local const panel *s) {
  for (int k = 0; k < j0; k += AT_ONCE) {
    W l[AT_ONCE][R];

    EACH_AT_ONCE(q) {
      EACH_OWN(r) {
        l[q][r] = IS_LIVE(o, r) && !s->is_zero[k + q]
                      ? LD(OWN_AT(at, r, k + q))
                      : 0;
      }
    }
    EACH_AT_ONCE(q) {
      EACH_CHUNK(first) {
        W u[CHUNK];

        chunk_read(u, s->u[k + q] + first);
        EACH_OWN(r) {
          EACH_OF_CHUNK(j)
          o->x[r][first + j] = fma(-l[q][r], u[j], o->x[r][first + j]);
        }
      }
    }
  }
}
#endif

/* Factor the strip of w columns from column j0 on. */
GA_INLINE void panel_strip(own *o, const place *at, const int j0, const int w,
                           local panel *s) {
  EACH_OWN(r) {
    EACH_COLUMN(j)
    o->x[r][j] = IS_LIVE(o, r) && j < w ? LD(OWN_AT(at, r, j0 + j)) : 0;
  }
  SYNC; /* others store pivots' rows, and fetch what this one has stored */
#if C < PB
  if (j0 > 0) {
    panel_fetch(at, j0, w, s);
    panel_solve(j0, w, s);
    panel_store(at, j0, w, s);
    panel_subtract(o, at, j0, s);
  }
#endif
  for (int c = 0; c < w; ++c)
    panel_column(o, at, j0 + c, w - c, s);
}

/* --- the end --- */

/* Elements of rows that move, of a work-item. */
#define EACH ((2 * PB * PB + G - 1) / G)
#define EACH_MOVE(e) _Pragma("unroll") for (int e = 0; e < EACH; ++e)

/* Where row `slot` of those that move lies, or -1, and, in *to, where it belongs:
 * first the pivots' rows, then the first rows. */
GA_INLINE int panel_move(local const panel *s, const int n, const int slot,
                         int *to) {
  const int i = slot % PB, is_pivot = slot < PB;

  if (i >= n)
    return -1;
  const int from = is_pivot ? s->origin[i] : i;

  *to = is_pivot ? i : s->moved[i];
  return *to < 0 || *to == from ? -1 : from;
}

/* Put rows where they belong. */
GA_INLINE void panel_move_rows(const own *o, const place *at, local panel *s) {
  const int me = (int)get_local_id(0), n = at->n;
  W moved[EACH];

  EACH_OWN(r) {
    if (r < TOPS && ROW_OF(r) < n)
      s->moved[ROW_OF(r)] = IS_LIVE(o, r) ? POSITION(o, r) : -1;
  }
  SYNC;
  EACH_MOVE(e) {
    const int v = me + e * G, j = v / (2 * PB);
    int to;
    const int from = panel_move(s, n, v % (2 * PB), &to);

    moved[e] = j < n && from >= 0 ? LD(AT(at, from, j)) : 0;
  }
  SYNC;
  EACH_MOVE(e) {
    const int v = me + e * G, j = v / (2 * PB);
    int to;
    const int from = panel_move(s, n, v % (2 * PB), &to);

    if (j < n && from >= 0)
      ST(moved[e], AT(at, to, j));
  }
}

/* Factor a panel of m x n in place, m >= n, with row exchanges, of which the
 * first has index `before` in `pivots`, [batch][each]. Pivots and `info` count
 * from the top of the matrix. Global size: G, batch. */
kernel GROUP void factor_lu(MATRIX(a), const ulong m, const ulong n,
                            const ulong before, global int *pivots,
                            const ulong each, global int *info) {
  const ulong z = get_group_id(1);
  const int me = (int)get_local_id(0);
  global T *const a = MATRIX_AT(a, z);
  const long rs = UNIT ? 1 : a_rs;
  const place at = {a, rs, a_cs, (int)m, (int)n, a + me * rs, G * rs};
  local panel s;
  own o;

  o.live = 0;
  EACH_OWN(r) {
    if (r < TOPS)
      o.top[r < TOPS ? r : 0] = ROW_OF(r);
    if (ROW_OF(r) < at.m)
      o.live |= 1u << r;
  }
  for (int j0 = 0; j0 < at.n; j0 += C)
    panel_strip(&o, &at, j0, min(C, at.n - j0), &s);
  panel_move_rows(&o, &at, &s);
  for (int k = me; k < at.n; k += G)
    pivots[z * each + before + k] = s.pivots[k] + (int)before;
  if (me == 0) {
    int bad = 0;

    for (int k = at.n; k-- > 0;)
      bad = s.is_zero[k] ? k + 1 : bad;
    report_bad(info + z, bad, before);
  }
}
