/* SPDX-License-Identifier: BSD-2-Clause */
/* How gemm_cpu.cl copies a B that is read through a window, and stores C.
 * Behind product_put.cl and conv_window.cl; further macros:
 *
 *   #define LINE 1        elements from one neighbour in a line to the next: 1
 *                         or 2; 0: there are no lines in memory
 *   #define ALONG 0       lines go along the sum, 0: along the columns
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
#ifdef EPILOGUE
    const int image = d[0];
#endif
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
#ifdef EPILOGUE /* its vectors stay in an image */
    if (d[0] != image && !w->j_last)
      first = j + 1;
#endif
  }
  c->run[c->n_runs] = c->n;
}

#if LINE
#if LINE == 2
static WV window_load(global const T *p) {
  const WV a = LDV(p), b = LDV(p + VL);
  return (WV)(a.even, b.even);
}
#else
#define window_load(p) LDV(p)
#endif

#if ALONG /* do all elements of a line have one position? */
#define IN_PLACE(w) (w)->p_last
#else
#define IN_PLACE(w) (w)->j_last
#endif

/* The elements [low, high) of a line are inside. */
typedef struct window_span {
  int low, high;
} window_span;

/* Position `at` is that of the first of n elements. */
static window_span window_find_span(const window *w, int at, int n) {
  window_span s;

  if (IN_PLACE(w)) {
    s.low = 0;
    s.high = (uint)at < (uint)w->x[2] ? n : 0;
  } else {
    s.low = (LINE - 1 - at) / LINE;
    s.high = w->x[2] > at ? (w->x[2] - at + LINE - 1) / LINE : 0;
  }
  return s;
}

/* A vector of a line, from the element at `from` on: those in [low, high), and
 * zeros. */
static WV window_vector(global const T *b, const window *w, long from, int low,
                        int high) {
  W each[VL];

  if (from >= w->low && from + LINE * VL <= w->high) {
    const WV v = window_load(b + from);
    if (low <= 0 && high >= VL)
      return v;
    return select((WV)(0), v, (LANES >= (WI)(low)) & (LANES < (WI)(high)));
  }
  PLAIN_LOOP
  for (int l = 0; l < VL; ++l)
    each[l] = l >= low && l < high ? LD(b + from + l * LINE) : 0;
  return LOADW(0, each);
}

/* Nonzero if a line from this place on may have elements inside. */
static int window_has_line(window_place a, window_place b, const window *w) {
  return window_is_inside(a.at[0], b.at[0], w->x[0]) &
         window_is_inside(a.at[1], b.at[1], w->x[1]);
}
#endif

#if LINE && ALONG
#define WINDOW_ROOM (VL * NR) /* rows past the end of a block */
#define FETCH_AHEAD (8 * LINE * VL)

/* Copy n <= VL rows of a column, which are a line. */
static void window_line(W *to, global const T *b, const window *w,
                        window_place column, window_place row, int n) {
  const window_span s = window_find_span(w, column.at[2] + row.at[2], n);
  const long from = column.off + row.off;
  const int is_inside = window_has_line(column, row, w);

  FETCH(b + from + FETCH_AHEAD);
  STOREW(is_inside ? window_vector(b, w, from, s.low, s.high) : (WV)(0), 0, to);
}

/* Copy n <= VL rows, and write VL. Columns past the last repeat it. */
static void window_lines(W *to, global const T *b, const window *w,
                         const window_columns *c, window_place row, int n,
                         int left) {
  W lines[VL * VL];

  for (int j = 0; j < NR; j += VL) {
    WV v[VL];

    PLAIN_LOOP
    for (int i = 0; i < VL; ++i)
      window_line(lines + i * VL, b, w, c->at[min(left + j + i, c->n - 1)], row,
                  n);
#pragma unroll
    for (int i = 0; i < VL; ++i)
      v[i] = LOADW(i, lines);
    gemm_turn(v);
#pragma unroll
    for (int i = 0; i < VL; ++i)
      STOREW(v[i], 0, to + i * NR + j);
  }
}

/* Rows are walked in order, since a line may end in front of the last row that
 * is written. */
static void window_panel(W *to, global const T *b, const window *w,
                         const window_columns *c, long k0, int kc, int left) {
  int d[4], n;

  window_digits(d, k0, w->p);
  for (int p = 0; p < kc; p += n) {
    n = (int)min((long)min(VL, kc - p), w->p.n[2] - d[3]);
    window_lines(to + p * NR, b, w, c, window_of_sum(d, w), n, left);
    d[3] += n - 1;
    window_step(d, w->p);
  }
}

/* Copy a block of kc rows to panels. */
static void window_copy(W *to, global const T *b, const window *w,
                        const window_columns *c, long k0, int kc) {
  for (int left = 0; left < c->n; left += NR)
    window_panel(to + left * KC, b, w, c, k0, kc, left);
}
#else
#define WINDOW_ROOM VL /* a line may end behind its block */

#if LINE
/* Copy n columns of a run in one row. Position `at` is that of the first. The
 * last vector may write more. */
static void window_line(W *to, global const T *b, const window *w, long off,
                        int at, int n) {
  const window_span s = window_find_span(w, at, n);

  for (int i = 0; i < n; i += VL)
    STOREW(window_vector(b, w, off + LINE * i, s.low - i, s.high - i), 0,
           to + i);
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

      if (window_has_line(at, row, w))
        window_line(line + j - left, b, w, at.off + row.off,
                    at.at[2] + row.at[2], n);
      else
        window_zeros(line + j - left, n);
    }
    window_zeros(line + end - left, left + NR - end);
  }
}
#else
static void window_panel(W *to, global const T *b, const window *w,
                         const window_columns *c, const window_place *rows,
                         int kc, int left, int run) {
  const int end = min(left + NR, c->n);

  for (int p = 0; p < kc; ++p) {
    PLAIN_LOOP
    for (int j = left; j < end; ++j) {
      const window_place at = c->at[j], row = rows[p];
      to[p * NR + j - left] =
          window_has(at, row, w) ? LD(b + at.off + row.off) : 0;
    }
  }
}
#endif

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

/* Copy a block of kc rows to panels. */
static void window_copy(W *to, global const T *b, const window *w,
                        const window_columns *c, long k0, int kc) {
  window_place rows[KC];
  int run = 0;

  window_rows(rows, w, k0, kc);
  for (int left = 0; left < c->n; left += NR) {
    window_panel(to + left * KC, b, w, c, rows, kc, left, run);
    while (run < c->n_runs && c->run[run] < left + NR)
      ++run;
  }
}
#endif

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
