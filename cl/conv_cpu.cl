/* SPDX-License-Identifier: BSD-2-Clause */
/* How gemm_cpu.cl copies a B that is read through a window, and stores C.
 * Behind product_put.cl and conv_window.cl; further macros:
 *
 *   #define LINE 1        neighbours in memory are 1: neighbouring columns,
 *                         2: columns, two elements apart, 3: indices of the
 *                         sum, 0: neither
 *   #define WI int16      integers as wide as W, in as many lanes
 *   #define LANES (WI)(0, 1, 2, ...)
 */
#define COLUMNS (PANELS * NR)

/* The columns of a work-item. A run is of columns that differ in the last digit
 * only, in one panel. */
typedef struct window_columns {
  window_place at[COLUMNS];
  long c[COLUMNS];
  int run[COLUMNS + 1]; /* the first column of each run, and the end */
  int n, n_runs;
  int whole[PANELS * NV]; /* lanes that are neighbours in C */
#ifdef EPILOGUE
  int digit[COLUMNS][4];
#endif
} window_columns;

/* Go on to the next index. */
static void window_step(int d[4], const window_sizes size) {
  int t = 3;

  for (++d[3]; t > 0 && d[t] == size.n[t - 1]; --t) {
    d[t] = 0;
    ++d[t - 1];
  }
}

static void window_find(window_columns *c, const window *w, long left,
                        long right) {
  int d[4], first = 0;

  c->n = (int)(right - left);
  c->n_runs = 0;
  window_digits(d, left, w->j);
  PLAIN_LOOP
  for (int j = 0; j < COLUMNS; ++j) {
    const int image = d[0];
    if (j >= c->n)
      break;
    if (j % NR == 0 || d[3] == 0)
      c->run[c->n_runs++] = j;
    c->at[j] = window_of_column(d, w);
    c->c[j] = window_c(d, w);
#ifdef EPILOGUE
    for (int t = 0; t < 4; ++t)
      c->digit[j][t] = d[t];
#endif
    /* `first`: the first of the columns that follow each other in C */
    if (j > 0 && c->c[j] != c->c[j - 1] + 1)
      first = j;
    if (j % VL == VL - 1)
      c->whole[j / VL] = first <= j - (VL - 1);
    window_step(d, w->j);
    if (d[0] != image && !w->j_last)
      first = j + 1;
  }
  c->run[c->n_runs] = c->n;
}

/* Fill the rows of a block, which begins at index k0. */
static void window_rows(window_place *rows, const window *w, long k0, int kc) {
  int d[4];

  window_digits(d, k0, w->p);
  PLAIN_LOOP
  for (int p = 0; p < kc; ++p) {
    rows[p] = window_of_sum(d, w);
    window_step(d, w->p);
  }
}

#if LINE == 1 || LINE == 2
#if LINE == 2
static WV window_load(global const T *p) {
  const WV a = LDV(p), b = LDV(p + VL);
  return (WV)(a.even, b.even);
}
#else
#define window_load(p) LDV(p)
#endif

/* Copy n columns of a run in one row. Position `at` is that of the first. The
 * last vector may write more. */
static void window_line(W *to, global const T *b, const window *w, long off,
                        int at, int n) {
  int low = (LINE - 1 - at) / LINE;
  int high = w->x[2] > at ? (w->x[2] - at + LINE - 1) / LINE : 0;

  if (w->j_last) { /* all at one position */
    low = 0;
    high = (uint)at < (uint)w->x[2] ? n : 0;
  }

  for (int i = 0; i < n; i += VL) {
    const long from = off + LINE * i;
    WV v = (WV)(0);

    if (from >= w->low && from + LINE * VL <= w->high) {
      v = window_load(b + from);
      if (low > i || high < i + VL)
        v = select((WV)(0), v, (LANES >= (WI)(low - i)) & (LANES < (WI)(high - i)));
    } else {
      W each[VL];

      PLAIN_LOOP
      for (int l = 0; l < VL; ++l) {
        const int is_in = i + l >= low && i + l < high && i + l < n;
        each[l] = is_in ? LD(b + from + l * LINE) : 0;
      }
      v = LOADW(0, each);
    }
    STOREW(v, 0, to + i);
  }
}

static void window_zeros(W *to, int n) {
  for (int i = 0; i < n; i += VL)
    STOREW((WV)(0), 0, to + i);
}

/* Rows are walked in order, since the end of a line may spill into the next
 * row. */
static void window_panel(W *to, global const T *b, const window *w,
                         const window_columns *c, const window_place *rows,
                         int kc, int left, int run) {
  const int end = min(left + NR, c->n);

  for (int p = 0; p < kc; ++p) {
    const window_place row = rows[p];
    W *line = to + p * NR;

    for (int r = run; c->run[r] < end; ++r) {
      const int j = c->run[r], n = c->run[r + 1] - j;
      const window_place at = c->at[j];

      if (window_is_inside(at.at[0], row.at[0], w->x[0]) &&
          window_is_inside(at.at[1], row.at[1], w->x[1]))
        window_line(line + j - left, b, w, at.off + row.off,
                    at.at[2] + row.at[2], n);
      else
        window_zeros(line + j - left, n);
    }
    window_zeros(line + end - left, left + NR - end);
  }
}
#else
static W window_element(global const T *b, const window *w, window_place col,
                        window_place row) {
  return window_has(col, row, w) ? LD(b + col.off + row.off) : 0;
}

#if LINE == 3
/* Four neighbours along the sum. */
static W4 window_four(global const T *b, const window *w, window_place col,
                      const window_place *rows) {
  const int at = col.at[2] + rows[0].at[2];
  const int last = at + (w->p_last ? 0 : 3);

  if (!window_is_inside(col.at[0], rows[0].at[0], w->x[0]) ||
      !window_is_inside(col.at[1], rows[0].at[1], w->x[1]))
    return (W4)(0);
  if (at >= 0 && last < w->x[2])
    return LD4(b + col.off + rows[0].off);
  if (w->p_last || last < 0 || at >= w->x[2])
    return (W4)(0);
  return (W4)(window_element(b, w, col, rows[0]),
              window_element(b, w, col, rows[1]),
              window_element(b, w, col, rows[2]),
              window_element(b, w, col, rows[3]));
}

/* Four rows at once, if they are neighbours. */
static int window_turn(W *to, global const T *b, const window *w,
                       const window_columns *c, const window_place *rows,
                       int left, int end) {
  if (rows[3].off != rows[0].off + 3 || rows[3].at[0] != rows[0].at[0] ||
      rows[3].at[1] != rows[0].at[1] ||
      rows[3].at[2] != rows[0].at[2] + (w->p_last ? 0 : 3))
    return 0;
  for (int j = 0; left + j < end; j += 4) {
    W4 r[4];

    for (int l = 0; l < 4; ++l)
      r[l] = left + j + l < end ? window_four(b, w, c->at[left + j + l], rows)
                                : (W4)(0);
    vstore4((W4)(r[0].s0, r[1].s0, r[2].s0, r[3].s0), 0, to + j);
    vstore4((W4)(r[0].s1, r[1].s1, r[2].s1, r[3].s1), 0, to + NR + j);
    vstore4((W4)(r[0].s2, r[1].s2, r[2].s2, r[3].s2), 0, to + 2 * NR + j);
    vstore4((W4)(r[0].s3, r[1].s3, r[2].s3, r[3].s3), 0, to + 3 * NR + j);
  }
  return 1;
}
#endif

static void window_panel(W *to, global const T *b, const window *w,
                         const window_columns *c, const window_place *rows,
                         int kc, int left, int run) {
  const int end = min(left + NR, c->n);

  for (int p = 0; p < kc; ++p) {
#if LINE == 3
    if (p + 4 <= kc &&
        window_turn(to + p * NR, b, w, c, rows + p, left, end)) {
      p += 3;
      continue;
    }
#endif
    PLAIN_LOOP
    for (int j = left; j < end; ++j)
      to[p * NR + j - left] = window_element(b, w, c->at[j], rows[p]);
  }
}
#endif

/* Copy a block of kc rows to panels. */
static void window_copy(W *to, global const T *b, const window *w,
                        const window_columns *c, window_place *rows, long k0,
                        int kc) {
  int run = 0;

  window_rows(rows, w, k0, kc);
  for (int left = 0; left < c->n; left += NR) {
    window_panel(to + left * KC, b, w, c, rows, kc, left, run);
    while (run < c->n_runs && c->run[run] < left + NR)
      ++run;
  }
}

#ifdef EPILOGUE
#define WINDOW_AT(c, row, j)                                                   \
  row, c->digit[j][3], c->digit[j][2], c->digit[j][1], c->digit[j][0]
#else
#define WINDOW_AT(c, row, j) row, 0, 0, 0, 0
#endif

/* The mr x nr elements of a tile, whose first column is number `left` of the
 * work-item's, to row `row` of C and those below it. */
static void window_put(const W *tile, global T *c, long rs,
                       const window_columns *cols, int left, long row, int mr,
                       int nr, product_scale s P_PARAMS) {
  for (int i = 0; i < mr; ++i) {
    for (int v = 0; v < NV; ++v) {
      const int at = left + v * VL, n = min(VL, nr - v * VL);
#if PUT_VECTORS
      if (n == VL && cols->whole[at / VL]) {
        product_put_v(LOADW(i * NV + v, tile), c + i * rs + cols->c[at],
                      WINDOW_AT(cols, row + i, at), s P_ARGS);
        continue;
      }
#endif
      PLAIN_LOOP
      for (int l = 0; l < n; ++l)
        product_put(tile[(i * NV + v) * VL + l], c + i * rs + cols->c[at + l],
                    WINDOW_AT(cols, row + i, at + l), s P_ARGS);
    }
  }
}
