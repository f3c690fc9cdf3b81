/* SPDX-License-Identifier: BSD-2-Clause */
/* How gemm_gpu.cl reads a B through a window (conv_window.cl), and stores C.
 * A work-item always loads from the same four columns. They are BN / 4 apart,
 * so that neighbours read neighbouring columns. */
#define COLUMN_OF(v, e) ((v) % (BN / 4) + (e) * (BN / 4))
#define LINE_OF(v) ((v) / (BN / 4))

static void window_columns_of(window_place col[4], const window *w, long j0,
                              int me, long n) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const long j = j0 + COLUMN_OF(me, e);
    int d[4];

    window_digits(d, min(j, n - 1), w->j);
    col[e] = window_of_column(d, w);
    if (j >= n)
      col[e].at[2] = -3 * (1 << 29); /* outside: no position exceeds it */
  }
}

static int window_reaches(window_place col, window_place row, const window *w) {
  return (FLAT || window_is_inside(col.at[0], row.at[0], w->x[0])) &
         window_is_inside(col.at[1], row.at[1], w->x[1]) &
         window_is_inside(col.at[2], row.at[2], w->x[2]);
}

static WV window_read(global const T *b, const window *w,
                      const window_place col[4], window_index at) {
  const window_place row = window_of_sum(at.d, w);
  WV v = (WV)(0);

  if (window_reaches(col[0], row, w))
    N0(v) = LDN(b + col[0].off + row.off);
  if (window_reaches(col[1], row, w))
    N1(v) = LDN(b + col[1].off + row.off);
  if (window_reaches(col[2], row, w))
    N2(v) = LDN(b + col[2].off + row.off);
  if (window_reaches(col[3], row, w))
    N3(v) = LDN(b + col[3].off + row.off);
  return v;
}

/* The next block, of which `left` indices of the sum are left. Each of `lines`
 * goes to the one that its load reads in the block after it. */
static void window_fetch(WV *r, global const T *b, const window *w,
                         const window_place col[4], window_index *lines,
                         window_index step, long left, int me) {
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
    r[l] = (WV)(0);
    if (LINE_OF(me + l * ITEMS) < left)
      r[l] = window_read(b, w, col, lines[l]);
    lines[l] = window_next(lines[l], step, w->p);
  }
}

/* Columns that are stored together. */
#define END_COLUMNS (C_UNIT && PUT_VECTORS ? 4 : 1)

#if C_UNIT && PUT_VECTORS
#define ROW_AT(l) to + (l) * crs, row + (l), d[3], d[2], d[1], d[0], s P_ARGS
/* 4 vectors to rows of C from `row` on, of which `room` are left, at `to`. */
GA_INLINE void window_end_rows(const WV v[4], long row, long room, global T *to,
                               long crs, const int d[4],
                               product_scale s P_PARAMS) {
  product_read r[4];

  if (room >= 4) {
#pragma unroll
    for (int l = 0; l < 4; ++l)
      r[l] = product_read_v(ROW_AT(l));
#pragma unroll
    for (int l = 0; l < 4; ++l)
      product_put_read(v[l], r[l], ROW_AT(l));
    return;
  }
#pragma unroll
  for (int l = 0; l < 4; ++l)
    if (l < room)
      product_put_v(v[l], ROW_AT(l));
}
#endif

GA_INLINE void window_end(WV acc[TM][TN / 4], gemm_place p, global T *c, long crs,
                       const window *w, product_scale s P_PARAMS) {
#pragma unroll
  for (int j = 0; j < TN / 4; ++j) {
#pragma unroll
    for (int e = 0; e < 4; e += END_COLUMNS) {
      const long col = p.j0 + (j * GX + p.x) * 4 + e;
      int d[4];

      if (col >= p.j0 + p.n)
        continue;
      window_digits(d, col, w->j);
      global T *to = c + window_c(d, w);
#if C_UNIT && PUT_VECTORS
#pragma unroll
      for (int i = 0; i < TM; i += 4) {
        const long row = i / 4 * (GY * 4) + p.y * 4;
        const WV v[4] = {acc[i][j], acc[i + 1][j], acc[i + 2][j],
                         acc[i + 3][j]};

        window_end_rows(v, w->row + p.i0 + row, p.m - row,
                        to + (p.i0 + row) * crs, crs, d, s P_ARGS);
      }
#else
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const long row = p.i0 + i / 4 * (GY * 4) + p.y * 4 + i % 4;
        const WV v = acc[i][j];

        if (row < p.i0 + p.m)
          product_put(e == 0 ? N0(v) : e == 1 ? N1(v) : e == 2 ? N2(v) : N3(v),
                      to + row * crs, w->row + row, d[3], d[2], d[1], d[0],
                      s P_ARGS);
      }
#endif
    }
  }
}
