/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C for CPUs: no local memory, no barriers. One work-item
 * computes `rows` x `cols` of C: it walks its rows of A, which fit the second
 * cache level, over panels of KC x NR of B, which fit the first; MR x NR sums
 * stay in registers. Panels of B lie in gemm_pack.cl's workspace, or the
 * work-item copies its own into private memory, all `cols` at once. A complex
 * tile keeps two sums of vectors for each element of A's column, by its real and
 * by its imaginary part, so that B and C are worked on as they lie, in lanes.
 * Behind product_put.cl; macros put in front, here for float on 16 lanes:
 *
 *   #define T float                  as stored
 *   #define W float                  as worked
 *   #define LD(p) (*(p))             element at p, as W; LD4, LDV: vectors
 *   #define ST(v, p) (*(p) = (v))    and back; STV: a vector
 *   #define VL 16                    lanes of a vector
 *   #define W4 float4                4 lanes, WV: VL lanes
 *   #define LOADW(i, p) vload16(i, p)     WV of private memory; STOREW
 *   #define MR 8                     rows of a tile
 *   #define NV 2                     vectors in a row of a tile
 *   #define KC 256                   depth of a block
 *   #define PANELS 4                 most panels of a work-item, if it copies
 *   #define A_PACKED 0               1: A is in the panels of gemm_pack.cl
 *   #define B_PACKED 0               1: B is
 *   #define B_UNIT 2                 stride that is 1: 1 along k (of real
 *                                    numbers), 2 along n, 0
 *   #define C_UNIT 1                 C has rows without gaps
 *   #define WINDOW 1                 B is read through conv_window.cl
 *   #define WIDE 0                   1: sums of several blocks are kept in W,
 *                                    in `sums`, and C is written once
 *   #define PLAIN_LOOP ...           a pragma: neither unroll nor vectorise
 *   #define ONCE ...                 an attribute: do not inline
 *   #define FETCH(p) ...             a hint: the line at p will be wanted
 *
 * The two before it are for the time it takes to compile: drivers on LLVM make
 * several functions of a kernel, for different launches, but compile once what
 * takes no work-item numbers and is a function of its own.
 *
 * Strides are in numbers, of either sign; offsets in bytes. Rows below the last
 * repeat it, columns past the last are computed from whatever lies there, and
 * neither is stored. */
#define NR (NV * VL) /* lanes; columns are counted in them */
#if B_UNIT == 1
#define ACROSS VL /* rows of B that are copied at a time */
#else
#define ACROSS 4
#endif

#if A_PACKED
#define TA W
#else
#define TA T
#endif
#if B_PACKED
#define TB W
#else
#define TB T
#endif

#if B_UNIT == 1 || defined(WINDOW)
/* Transpose VL vectors: lacing the first half of the vectors with the second
 * doubles the distance of what were neighbours, until all have changed sides. */
GA_INLINE void gemm_turn(WV *v) {
#pragma unroll
  for (int n = 1; n < VL; n *= 2) {
    WV laced[VL];
#pragma unroll
    for (int i = 0; i < VL / 2; ++i) {
      laced[2 * i].even = v[i].lo;
      laced[2 * i].odd = v[i + VL / 2].lo;
      laced[2 * i + 1].even = v[i].hi;
      laced[2 * i + 1].odd = v[i + VL / 2].hi;
    }
#pragma unroll
    for (int i = 0; i < VL; ++i)
      v[i] = laced[i];
  }
}
#endif

#ifdef WINDOW
#include "conv_cpu.cl"
#define WINDOW_ARG , const window *w
#else
#define WINDOW_PARAMS
#define WINDOW_ARG
#define WINDOW_ROOM 0
#endif

#if !B_PACKED && !defined(WINDOW)
#if B_UNIT == 1
/* Copy VL rows of B, which lie in memory as columns. */
static void gemm_turn_b(W *to, global const T *b, long cs, int nr) {
  for (int j = 0; j < NR; j += VL) {
    WV v[VL];

#pragma unroll
    for (int i = 0; i < VL; ++i)
      v[i] = LDV(b + min(j + i, nr - 1) * cs);
    gemm_turn(v);
#pragma unroll
    for (int i = 0; i < VL; ++i)
      STOREW(v[i], 0, to + i * NR + j);
  }
}
#endif

/* Copy kc x nr lanes of B to kc rows of NR: by vectors the first `wide` of them,
 * which may be read to their end. */
static void gemm_copy_b(W *to, global const T *b, long rs, long cs, int kc,
                        int nr, int wide) {
  int k = 0, j;

#if B_UNIT == 2
  for (; k < wide; ++k) {
#pragma unroll
    for (int v = 0; v < NV; ++v)
      STOREW(LDV(b + k * rs + v * VL), v, to + k * NR);
    FETCH(b + (k + ACROSS) * rs);
  }
#elif B_UNIT == 1
  for (; k + VL <= kc; k += VL)
    gemm_turn_b(to + k * NR, b + k, cs, nr);
  for (; nr == NR && k + 4 <= kc; k += 4) {
    for (j = 0; j < NR; j += 4) {
      global const T *from = b + j * cs + k;
      const W4 r0 = LD4(from), r1 = LD4(from + cs);
      const W4 r2 = LD4(from + 2 * cs), r3 = LD4(from + 3 * cs);
      W *at = to + k * NR + j;
      vstore4((W4)(r0.s0, r1.s0, r2.s0, r3.s0), 0, at);
      vstore4((W4)(r0.s1, r1.s1, r2.s1, r3.s1), 0, at + NR);
      vstore4((W4)(r0.s2, r1.s2, r2.s2, r3.s2), 0, at + 2 * NR);
      vstore4((W4)(r0.s3, r1.s3, r2.s3, r3.s3), 0, at + 3 * NR);
    }
  }
#endif
  for (; k < kc; ++k) {
    PLAIN_LOOP
    for (j = 0; j < nr; j += NL)
      STW(LDN(b + k * rs + j / NL * cs), to + k * NR + j);
    PLAIN_LOOP
    for (; j < NR; ++j)
      to[k * NR + j] = 0;
  }
}

/* B is read up to NR - 1 lanes past its last column as long as that stays
 * inside the matrix: this many of its rows allow it. */
static long gemm_wide_rows(long k, long rs, int nr) {
  const long room = (k - 1) * rs + nr - NR;

  if (nr == NR)
    return k;
  return room < 0 ? 0 : min(k, room / rs + 1);
}

/* Copy columns [left, right) of a block of kc rows to panels: a few rows at a
 * time, so that each is read in one run, while the next ones are on their way.
 * More would meet in one place of a cache if rows are 2^n apart. */
static void gemm_copy_block(W *to, global const T *b, long rs, long cs, int kc,
                            long left, long right, long n, long k0, long k) {
  for (int p = 0; p < kc; p += ACROSS) {
    const int rows = min(ACROSS, kc - p);

    for (long j = left; j < right; j += NR) {
      const int nr = (int)min((long)NR, n - j);
      const long wide = gemm_wide_rows(k, rs, nr) - k0 - p;

      gemm_copy_b(to + (j - left) * KC + p * NR, b + p * rs + j / NL * cs, rs, cs,
                  rows, nr, (int)clamp(wide, 0L, (long)rows));
    }
  }
}
#endif

#ifndef WINDOW
/* The mr x nr lanes of a tile to C, from row i0 and lane j0 on. */
static void gemm_put(const W *tile, global T *c, long rs, long cs, long i0,
                     long j0, int mr, int nr, product_scale s P_PARAMS) {
#if C_UNIT && PUT_VECTORS
  if (nr == NR) {
    PLAIN_LOOP
    for (int i = 0; i < mr; ++i) {
#pragma unroll
      for (int v = 0; v < NV; ++v)
        product_put_v(LOADW(i * NV + v, tile), c + i * rs + v * VL, i0 + i,
                      j0 + v * VL, s P_ARGS);
    }
    return;
  }
#endif
  for (int i = 0; i < mr; ++i) {
    PLAIN_LOOP
    for (int j = 0; j < nr; j += NL)
      product_put(LDW(tile + i * NR + j), c + i * rs + j / NL * cs, i0 + i,
                  j0 + j, s P_ARGS);
  }
}

#endif

#if WIDE
/* Add the sums of earlier blocks; keep them for later ones, or say that there
 * are none. */
static int gemm_add_up(W *tile, global W *sums, int is_first,
                       int is_last) {
  PLAIN_LOOP
  for (int i = 0; i < MR * NV; ++i) {
    WV x = LOADW(i, tile);
    if (!is_first)
      x += LOADW(i, sums);
    if (is_last)
      STOREW(x, i, tile);
    else
      STOREW(x, i, sums);
  }
  return is_last;
}
#endif

/* Rows [first, last) of A times lanes [left, right) of B, left a multiple of NR.
 * A block of A serves all columns before the next one is read. */
ONCE static void gemm_part(
    global const TA *a, long ars, long acs, global const TB *b, long brs,
    long bcs, global T *c, long crs, long ccs, long first, long last, long left,
    long right, long n, long k, product_scale s, global W *sums,
    long sums_panel WINDOW_ARG P_PARAMS) {
#if !B_PACKED
  W copied[PANELS * KC * NR + WINDOW_ROOM] __attribute__((aligned(64)));
#endif
#ifdef WINDOW
  window_columns columns;
#endif
  W tile[MR * NR] __attribute__((aligned(64)));
  long k0 = 0;

#ifdef WINDOW
  window_find(&columns, w, left, right);
#endif
  do {
    const int kc = (int)min((long)KC, k - k0);

#ifdef WINDOW
    window_copy(copied, b, w, &columns, k0, kc);
#elif !B_PACKED
    gemm_copy_block(copied, b + k0 * brs, brs, bcs, kc, left, right, n, k0, k);
#endif
    for (long j0 = left; j0 < right; j0 += NR) {
      const int nr = (int)min((long)NR, n - j0);
#ifndef WINDOW
      global T *cj = c + j0 / NL * ccs;
#endif
#if WIDE
      global W *sj = sums + j0 / NR * sums_panel;
#endif

#if B_PACKED
      global const W *block = b + j0 * k + k0 * NR;
#else
      const W *block = copied + (j0 - left) * KC;
#endif
      for (long i0 = first; i0 < last; i0 += MR) {
        const int mr = (int)min((long)MR, last - i0);
        WV acc[MR][NV][NS];
#if A_PACKED
        global const W *q = a + NL * (i0 * k + k0 * MR);
#else
        global const T *q = a + i0 * ars + k0 * acs;
        long row[MR];
#pragma unroll
        for (int i = 0; i < MR; ++i)
          row[i] = min(i, mr - 1) * ars;
#endif
#pragma unroll
        for (int i = 0; i < MR; ++i) {
#pragma unroll
          for (int v = 0; v < NV * NS; ++v)
            acc[i][v / NS][v % NS] = 0;
        }
#if C_UNIT /* C is far away when the sums are done */
        if (!IS_ZERO(s.beta)) {
          PLAIN_LOOP
          for (int i = 0; i < mr; ++i)
            FETCH(cj + (i0 + i) * crs);
        }
#endif
        for (int p = 0; p < kc; ++p) {
          WV bv[NV];
#pragma unroll
          for (int v = 0; v < NV; ++v)
            bv[v] = LOADW(v, block + p * NR);
#pragma unroll
          for (int i = 0; i < MR; ++i) {
#pragma unroll
            for (int h = 0; h < NS; ++h) {
#if A_PACKED
              const WV av = q[NL * i + h];
#else
              const WV av = LD(q + row[i] + h);
#endif
#pragma unroll
              for (int v = 0; v < NV; ++v)
                acc[i][v][h] = fma(av, bv[v], acc[i][v][h]);
            }
          }
#if A_PACKED
          q += NL * MR;
#else
          q += acs;
#endif
        }

#pragma unroll
        for (int i = 0; i < MR; ++i) {
#pragma unroll
          for (int v = 0; v < NV; ++v)
            STOREW(TOTAL_V(acc[i][v][0], acc[i][v][1], s.sb, s.sa), i * NV + v,
                   tile);
        }
#if WIDE
        if (!gemm_add_up(tile, sj + i0 * NR, k0 == 0, k0 + kc >= k))
          continue;
#endif
#ifdef WINDOW
        window_put(tile, c + i0 * crs, crs, &columns, (int)(j0 - left),
                   w->row + i0, mr, nr, s P_ARGS);
#else
        gemm_put(tile, cj + i0 * crs, crs, ccs, i0, j0, mr, nr, s P_ARGS);
#endif
      }
    }
#if !WIDE
    s.beta = ONE; /* later blocks add to what is there */
    s.beta_low = 0;
#endif
    k0 += kc;
  } while (k0 < k);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m,
     ulong n, ulong k, SCALE_PARAMS, ulong rows, ulong cols,
     global W *sums WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const long z = get_global_id(2);
#ifdef WINDOW
  const window w = WINDOW_IS(z * bbs, z * (long)m);
#define WINDOW_PASSED , &w
#define B_AT 0
#else
#define WINDOW_PASSED
#define B_AT (NL * z * bbs)
#endif
  const long first = (long)(get_global_id(1) * rows);
  const long left = (long)(get_global_id(0) * cols);
  const long panel = ((long)m + MR - 1) / MR * MR * NR; /* of sums */

  P_BATCH(z)
#if WIDE
  sums += z * (((long)n + NR - 1) / NR) * panel;
#endif
  gemm_part((global const TA *)(abuf + aoff) + NL * z * abs_, NL * ars,
            NL * acs, (global const TB *)(bbuf + boff) + B_AT, NL * brs,
            NL * bcs, (global T *)(cbuf + coff) + NL * z * cbs, NL * crs,
            NL * ccs, first, min(first + (long)rows, (long)m), NL * left,
            NL * min(left + (long)cols, (long)n), NL * (long)n, (long)k, s,
            sums, panel WINDOW_PASSED P_ARGS);
}
