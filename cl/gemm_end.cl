/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of products without a window on GPUs: alpha times the sums, and beta
 * times C, to where they belong. Included by gemm_gpu.cl. */

/* Column j of vectors of a work-item, in its group. */
#define COL_OF(p, j) (((j)*GX + (p).x) * 4)

#if C_UNIT && PUT_VECTORS
/* Nonzero if all elements of 4 rows from `row` on are stored. */
GA_INLINE int gemm_has_strip(gemm_place p, long row) {
  const long last = COL_OF(p, TN / 4 - 1);

  return row + 4 <= p.m && last + 4 <= p.n &&
         IS_STORED(p.i0 + row, p.j0 + last, 4) &&
         IS_STORED(p.i0 + row + 3, p.j0 + COL_OF(p, 0), 4);
}

/* 4 rows of sums from row i on, to rows of C from `row` on. */
GA_INLINE void gemm_end_strip(WV acc[TM][TN / 4], int i, gemm_place p, long row,
                              global T *c, long crs, long ccs,
                              product_scale s P_PARAMS) {
  product_read r[4][TN / 4];

#pragma unroll
  for (int l = 0; l < TN; ++l)
    r[l % 4][l / 4] = product_read_v(
        c + (row + l % 4) * crs + COL_OF(p, l / 4) * ccs, p.i0 + row + l % 4,
        p.j0 + COL_OF(p, l / 4), s P_ARGS);
#pragma unroll
  for (int l = 0; l < TN; ++l)
    product_put_read(acc[i + l % 4][l / 4], r[l % 4][l / 4],
                     c + (row + l % 4) * crs + COL_OF(p, l / 4) * ccs,
                     p.i0 + row + l % 4, p.j0 + COL_OF(p, l / 4), s P_ARGS);
}
#endif

/* Row i of sums to row `row` of C, element by element where it ends. */
GA_INLINE void gemm_end_row(WV acc[TN / 4], gemm_place p, long row, global T *c,
                            long crs, long ccs, product_scale s P_PARAMS) {
#pragma unroll
  for (int j = 0; j < TN / 4; ++j) {
    const long col = COL_OF(p, j);
    const N each[4] = {N0(acc[j]), N1(acc[j]), N2(acc[j]), N3(acc[j])};
    global T *to = c + row * crs + col * ccs;

#if C_UNIT && PUT_VECTORS
    if (col + 4 <= p.n && IS_STORED(p.i0 + row, p.j0 + col, 4)) {
      product_put_v(acc[j], to, p.i0 + row, p.j0 + col, s P_ARGS);
      continue;
    }
#endif
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (col + e < p.n && IS_STORED(p.i0 + row, p.j0 + col + e, 1))
        product_put(each[e], to + e * ccs, p.i0 + row, p.j0 + col + e,
                    s P_ARGS);
    }
  }
}

/* alpha times the sums, and beta times C, to where they belong. */
GA_INLINE void gemm_end(WV acc[TM][TN / 4], gemm_place p, global T *c, long crs,
                     long ccs, product_scale s P_PARAMS) {
  c += p.i0 * crs + p.j0 * ccs;
#pragma unroll
  for (int i = 0; i < TM; i += 4) {
    const long row = i / 4 * (GY * 4) + p.y * 4;

#if C_UNIT && PUT_VECTORS
    if (gemm_has_strip(p, row)) {
      gemm_end_strip(acc, i, p, row, c, crs, ccs, s P_ARGS);
      continue;
    }
#endif
#pragma unroll
    for (int l = 0; l < 4; ++l)
      if (row + l < p.m)
        gemm_end_row(acc[i + l], p, row + l, c, crs, ccs, s P_ARGS);
  }
}
