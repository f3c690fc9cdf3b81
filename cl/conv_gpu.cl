/* SPDX-License-Identifier: BSD-2-Clause */
/* How gemm_gpu.cl reads a B through a window (conv_window.cl), and stores C.
 * A work-item always loads from the same four columns. */
static void window_columns_of(window_place col[4], const window *w, long j,
                              long n) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    int d[4];

    window_digits(d, min(j + e, n - 1), w->j);
    col[e] = window_of_column(d, w);
    if (j + e >= n)
      col[e].at[0] = -3 * (1 << 29); /* outside: no position exceeds it */
  }
}

static WV window_read(global const T *b, const window *w,
                      const window_place col[4], long p) {
  window_place row;
  WV v = (WV)(0);
  int d[4];

  window_digits(d, p, w->p);
  row = window_of_sum(d, w);
  if (window_has(col[0], row, w))
    N0(v) = LDN(b + col[0].off + row.off);
  if (window_has(col[1], row, w))
    N1(v) = LDN(b + col[1].off + row.off);
  if (window_has(col[2], row, w))
    N2(v) = LDN(b + col[2].off + row.off);
  if (window_has(col[3], row, w))
    N3(v) = LDN(b + col[3].off + row.off);
  return v;
}

/* A block that begins at index k0 of the sum and ends before `end`. */
static void window_fetch(WV *r, global const T *b, const window *w,
                         const window_place col[4], long k0, long end, int me) {
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
    const long p = k0 + B_DEPTH_OF(me + l * ITEMS);

    r[l] = (WV)(0);
    if (p < end)
      r[l] = window_read(b, w, col, p);
  }
}

GA_INLINE void window_end(WV acc[TM][TN / 4], gemm_place p, global T *c, long crs,
                       const window *w, product_scale s P_PARAMS) {
#pragma unroll
  for (int j = 0; j < TN / 4; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const long col = p.j0 + (j * GX + p.x) * 4 + e;
      int d[4];

      if (col >= p.j0 + p.n)
        continue;
      window_digits(d, col, w->j);
      global T *to = c + window_c(d, w);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const long row = p.i0 + i / 4 * (GY * 4) + p.y * 4 + i % 4;
        const WV v = acc[i][j];
        const N x = e == 0 ? N0(v) : e == 1 ? N1(v) : e == 2 ? N2(v) : N3(v);

        if (row < p.i0 + p.m)
          product_put(x, to + row * crs, w->row + row, d[3], d[2], d[1], d[0],
                      s P_ARGS);
      }
    }
  }
}
