/* SPDX-License-Identifier: BSD-2-Clause */
/* Products that share all but their sums and columns: a gradient by input with
 * strides has one for each remainder of positions of x divided by the strides
 * (src/conv/conv_phases.h). Included by gemm_gpu.cl if PHASES is 1. Dimension 2
 * of the launch counts the groups of channels of one product after the other. A
 * table of longs has what they share, and then what each one has of its own.
 *
 * Where only one remainder along a dimension has a sum, its columns are blocks
 * of positions, of which the others become zeros. Sums go through local memory,
 * so that neighbours in a group store neighbours in x. */
#define PHASE_BATCH 0
#define PHASE_STEP 1  /* positions of x from column to column */
#define PHASE_BLOCK 4 /* positions of a column */
#define PHASE_SIZE 7  /* positions of x */
#define PHASE_HEAD 10
#define PHASE_A 0 /* elements of A before its first one */
#define PHASE_K 1
#define PHASE_N 2
#define PHASE_P 3 /* digits 1 to 3 of sums, and of columns */
#define PHASE_J 6
#define PHASE_PAD 9
#define PHASE_FIRST 12 /* the position of x of a sum in its block */
#define PHASE_LONGS 15

/* Rows of a work-item that are stored together. B's blocks have 32 rows. */
#define STRIP (GY <= 8 ? 4 : GY <= 16 ? 2 : 1)

GA_INLINE void phase_set(window *w, global const long *own) {
#pragma unroll
  for (int t = 0; t < 3; ++t) {
    w->p.n[t] = own[PHASE_P + t];
    w->j.n[t] = own[PHASE_J + t];
    w->pad[t] = (int)own[PHASE_PAD + t];
  }
}

/* A position of x along dimension t: -1 outside. Clear *is_sum if it is a
 * zero. */
static long phase_position(int *is_sum, int t, int digit, int in_block,
                           global const long *all, global const long *own) {
  const long first = own[PHASE_FIRST + t], is_lone = all[PHASE_BLOCK + t] > 1;
  const long at = digit * all[PHASE_STEP + t] + (is_lone ? in_block : first);

  *is_sum &= !is_lone || in_block == first;
  return at < all[PHASE_SIZE + t] ? at : -1;
}

/* Store a strip of rows: those of work-item y begin at row + 4 y. */
static void phase_store(local const N *tile, gemm_place p, long row, global T *c,
                        long crs, const window *w, global const long *all,
                        global const long *own, int me,
                        product_scale s P_PARAMS) {
  const int wide = (int)all[PHASE_BLOCK + 2], high = (int)all[PHASE_BLOCK + 1];
  const int lines = (int)all[PHASE_BLOCK] * high;

  for (int e = me; e / wide < min((long)BN, p.n); e += ITEMS) {
    const int column = e / wide;
    int d[4];

    window_digits(d, p.j0 + column, w->j);
    for (int line = 0; line < lines; ++line) {
      int is_sum = 1;
      const long at_0 = phase_position(&is_sum, 0, d[1], line / high, all, own);
      const long at_1 = phase_position(&is_sum, 1, d[2], line % high, all, own);
      const long at_2 =
          phase_position(&is_sum, 2, d[3], e - column * wide, all, own);
      global T *to = c + d[0] * w->c[0] + at_0 * w->c[1] + at_1 * w->c[2] +
                     at_2 * w->c[3];

      if ((at_0 | at_1 | at_2) < 0)
        continue;
      for (int l = 0; l < GY * STRIP; ++l) {
        const long r = row + l / STRIP * 4 + l % STRIP;

        if (r < p.m)
          product_put(is_sum ? tile[l * BN + column] : 0, to + r * crs,
                      w->row + p.i0 + r, at_2, at_1, at_0, d[0], s P_ARGS);
      }
    }
  }
}

GA_INLINE void phase_end(WV acc[TM][TN / 4], gemm_place p, global T *c,
                         long crs, const window *w, global const long *all,
                         global const long *own, local WV *tile, int me,
                         product_scale s P_PARAMS) {
  c += p.i0 * crs;
#pragma unroll
  for (int i = 0; i < TM; i += STRIP) {
#pragma unroll
    for (int l = 0; l < STRIP; ++l) {
#pragma unroll
      for (int j = 0; j < TN / 4; ++j)
        tile[(p.y * STRIP + l) * (BN / 4) + j * GX + p.x] = acc[i + l][j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    phase_store((local const N *)tile, p, i / 4 * (GY * 4) + i % 4, c, crs, w,
                all, own, me, s P_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
