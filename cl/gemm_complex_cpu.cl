/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C of complex matrices for CPUs: no local memory, no
 * barriers. One work-item computes `rows` x `cols` of C, as in gemm_cpu.cl: it
 * copies KC rows of B into private memory and walks its rows of A over them.
 * B and C are worked on as they lie, in pairs of lanes: a tile has for each
 * element of A's column two sums of vectors, by its real part and by its
 * imaginary part, which are combined when the tile is done. Behind
 * complex_pairs.cl; macros put in front:
 *
 *   #define MR 6          rows of a tile
 *   #define NV 2          vectors in a row of a tile
 *   #define KC 256        depth of a block
 *   #define PANELS 4      most panels of a work-item
 *   #define A_PACKED 0    1: A is in the panels of gemm_pack.cl
 *
 * Strides are in numbers, of either sign; offsets in bytes. Rows below the last
 * repeat it, columns past the last are 0, and neither is stored. */
#define NR (NV * VL) /* lanes */
#define NC (NR / 2)  /* numbers */
#define ACROSS 4     /* rows of B that are copied at a time */

/* Copy kc x nr lanes of B to kc rows of NR. A step of cs is one lane of two. */
static void gemm_copy_b(W *to, global const W *b, long rs, long cs, int kc,
                        int nr, int wide) {
  int k = 0;

  if (cs == 1)
    for (; k < wide; ++k) {
#pragma unroll
      for (int v = 0; v < NV; ++v)
        STV(LDV(b + k * rs + v * VL), to + k * NR + v * VL);
      FETCH(b + (k + ACROSS) * rs);
    }
  for (; k < kc; ++k) {
    PLAIN_LOOP
    for (int j = 0; j < nr; j += 2)
      ST2(LD2(b + k * rs + j * cs), to + k * NR + j);
    PLAIN_LOOP
    for (int j = nr; j < NR; j += 2)
      ST2((W2)(0), to + k * NR + j);
  }
}

#include "gemm_copy.cl"

/* The mr x nc sums of a tile to C. */
static void gemm_put(const W *tile, global W *c, long rs, long cs, int mr,
                     int nc, W2 beta) {
  PLAIN_LOOP
  for (int i = 0; i < mr; ++i, c += rs, tile += NR) {
    if (nc == NC && cs == 2) {
#pragma unroll
      for (int v = 0; v < NV; ++v) {
        WV x = LDV(tile + v * VL);
        if (!pair_is_zero(beta))
          x += pairs_times(LDV(c + v * VL), beta);
        STV(x, c + v * VL);
      }
    } else {
      PLAIN_LOOP
      for (int j = 0; j < nc; ++j)
        pair_put(LD2(tile + 2 * j), beta, c + j * cs);
    }
  }
}

/* Rows [first, last) of A times columns [left, right) of B, left a multiple of
 * NC. A block of A serves all columns before the next one is read. */
ONCE static void gemm_part(global const W *a, long ars, long acs,
                           global const W *b, long brs, long bcs, global W *c,
                           long crs, long ccs, long first, long last, long left,
                           long right, long n, long k, W2 alpha, W2 beta, W sa,
                           W sb) {
  W copied[PANELS * KC * NR] __attribute__((aligned(64)));
  W tile[MR * NR] __attribute__((aligned(64)));
  const WV by_p = PAIRS((W)1, sb), by_q = PAIRS(-sa * sb, sa);
  long k0 = 0;

  do {
    const int kc = (int)min((long)KC, k - k0);

    gemm_copy_block(copied, b + k0 * brs, brs, bcs / 2, kc, 2 * left, 2 * right,
                    2 * n, k0, k);
    for (long j0 = left; j0 < right; j0 += NC) {
      const int nc = (int)min((long)NC, n - j0);
      const W *block = copied + 2 * (j0 - left) * KC;

      for (long i0 = first; i0 < last; i0 += MR) {
        const int mr = (int)min((long)MR, last - i0);
        WV p[MR][NV], q[MR][NV];
#if A_PACKED
        global const W *at = a + 2 * (i0 * k + k0 * MR);
#else
        global const W *at = a + i0 * ars + k0 * acs;
        long row[MR];

#pragma unroll
        for (int i = 0; i < MR; ++i)
          row[i] = min(i, mr - 1) * ars;
#endif
#pragma unroll
        for (int i = 0; i < MR; ++i) {
#pragma unroll
          for (int v = 0; v < NV; ++v)
            p[i][v] = q[i][v] = 0;
        }
        for (int d = 0; d < kc; ++d) {
          WV bv[NV];

#pragma unroll
          for (int v = 0; v < NV; ++v)
            bv[v] = LDV(block + d * NR + v * VL);
#pragma unroll
          for (int i = 0; i < MR; ++i) {
#if A_PACKED
            const WV re = at[2 * i], im = at[2 * i + 1];
#else
            const WV re = at[row[i]], im = at[row[i] + 1];
#endif
#pragma unroll
            for (int v = 0; v < NV; ++v) {
              p[i][v] = fma(re, bv[v], p[i][v]);
              q[i][v] = fma(im, bv[v], q[i][v]);
            }
          }
#if A_PACKED
          at += 2 * MR;
#else
          at += acs;
#endif
        }

#pragma unroll
        for (int i = 0; i < MR; ++i) {
#pragma unroll
          for (int v = 0; v < NV; ++v) {
            const WV sum = fma(SWAP(q[i][v]), by_q, p[i][v] * by_p);
            STV(pairs_times(sum, alpha), tile + i * NR + v * VL);
          }
        }
        gemm_put(tile, c + i0 * crs + j0 * ccs, crs, ccs, mr, nc,
                 k0 > 0 ? (W2)(1, 0) : beta);
      }
    }
    k0 += kc;
  } while (k0 < k);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m,
     ulong n, ulong k, W2 alpha, W2 beta, W sa, W sb, ulong rows,
     ulong cols) {
  const long z = get_global_id(2);
  const long first = (long)(get_global_id(1) * rows);
  const long left = (long)(get_global_id(0) * cols);

  gemm_part((global const W *)(abuf + aoff) + 2 * z * abs_, 2 * ars, 2 * acs,
            (global const W *)(bbuf + boff) + 2 * z * bbs, 2 * brs, 2 * bcs,
            (global W *)(cbuf + coff) + 2 * z * cbs, 2 * crs, 2 * ccs, first,
            min(first + (long)rows, (long)m), left,
            min(left + (long)cols, (long)n), (long)n, (long)k, alpha, beta, sa,
            sb);
}
