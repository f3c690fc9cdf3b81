/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C of complex matrices for GPUs. A group computes
 * BM x BN numbers of C: its work-items copy blocks of A and B that are BK deep
 * to local memory, two of each in turns, and keep TM x TN sums each in
 * registers. Behind complex_pairs.cl; macros put in front:
 *
 *   #define BM 64        rows and columns of a group, depth of a block
 *   #define BN 64
 *   #define BK 8
 *   #define TM 4         rows and columns of a work-item
 *   #define TN 4
 *   #define A_UNIT 1     stride that is 1: 1 along k, 2 along m, or 0
 *   #define B_UNIT 2     stride that is 1: 1 along k, 2 along n, or 0
 *   #define BAND 8       groups in a column that run together
 *
 * Strides are in numbers, of either sign; offsets in bytes. Neighbours read
 * neighbouring numbers along the unit strides. The sums of a work-item are
 * spread evenly over the group's part of C, so that neighbours read
 * neighbouring numbers of local memory. Work-groups have one dimension. */
#define GX (BN / TN)
#define GY (BM / TM)
#define ITEMS (GX * GY)
#define A_ROW (BM + 1) /* the gap keeps columns off one bank */
#define B_ROW (BN + 1)
#define A_LOADS (BM * BK / ITEMS)
#define B_LOADS (BN * BK / ITEMS)

/* A block has `wide` lines, rows of A or columns of B, that are BK deep. Number
 * v of it, with neighbours along the depth or along the lines. */
static inline int gemm_line(int v, int wide, int unit) {
  return unit == 1 ? v / BK : v % wide;
}

static inline int gemm_depth(int v, int wide, int unit) {
  return unit == 1 ? v % BK : v / wide;
}

/* A work-item's share of a block to registers: zeros outside of the matrix. */
static inline void gemm_fetch(W2 *r, int loads, global const W *from,
                              long line_step, long depth_step, long lines,
                              long depth, int wide, int unit, int me) {
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    const int i = gemm_line(me + l * ITEMS, wide, unit);
    const int p = gemm_depth(me + l * ITEMS, wide, unit);

    r[l] = i < lines && p < depth ? LD2(from + i * line_step + p * depth_step)
                                  : (W2)(0);
  }
}

/* And on to local memory, conjugated by `sign`. */
static inline void gemm_keep(local W2 *to, const W2 *r, int loads, W sign,
                             int wide, int unit, int me) {
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    const int i = gemm_line(me + l * ITEMS, wide, unit);
    const int p = gemm_depth(me + l * ITEMS, wide, unit);

    to[p * (wide + 1) + i] = (W2)(r[l].x, sign * r[l].y);
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong um,
     ulong un, ulong uk, W2 alpha, W2 beta, W sa, W sb) {
  local W2 as[2][BK * A_ROW], bs[2][BK * B_ROW];
  const long m = (long)um, n = (long)un;
  const int me = (int)get_local_id(0), x = me % GX, y = me / GX;
  const long z = (long)get_group_id(2);
  /* Groups go down a band of rows before they go right. */
  const long nx = (long)get_num_groups(0), ny = (long)get_num_groups(1);
  const long id = (long)get_group_id(1) * nx + (long)get_group_id(0);
  const long band = id / (BAND * nx), high = min((long)BAND, ny - band * BAND);
  const long in = id - band * BAND * nx;
  const long i0 = (band * BAND + in % high) * BM, j0 = in / high * BN;
  const int mr = (int)min((long)BM, m - i0), nr = (int)min((long)BN, n - j0);
  global const W *a, *b;
  global W *c;
  long k = (long)uk;
  W2 an[A_LOADS], bn[B_LOADS], acc[TM][TN];
  int now = 0;

  ars *= 2, acs *= 2, brs *= 2, bcs *= 2, crs *= 2, ccs *= 2;
  a = (global const W *)(abuf + aoff) + 2 * z * abs_ + i0 * ars;
  b = (global const W *)(bbuf + boff) + 2 * z * bbs + j0 * bcs;
  c = (global W *)(cbuf + coff) + 2 * z * cbs + i0 * crs + j0 * ccs;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j)
      acc[i][j] = 0;
  }
  gemm_fetch(an, A_LOADS, a, ars, acs, mr, k, BM, A_UNIT, me);
  gemm_fetch(bn, B_LOADS, b, bcs, brs, nr, k, BN, B_UNIT, me);
  gemm_keep(as[0], an, A_LOADS, sa, BM, A_UNIT, me);
  gemm_keep(bs[0], bn, B_LOADS, sb, BN, B_UNIT, me);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; k > 0; k -= BK, now ^= 1) {
    a += BK * acs;
    b += BK * brs;
    if (k > BK) {
      gemm_fetch(an, A_LOADS, a, ars, acs, mr, k - BK, BM, A_UNIT, me);
      gemm_fetch(bn, B_LOADS, b, bcs, brs, nr, k - BK, BN, B_UNIT, me);
    }
#pragma unroll
    for (int p = 0; p < BK; ++p) {
      W2 av[TM], bv[TN];

#pragma unroll
      for (int i = 0; i < TM; ++i)
        av[i] = as[now][p * A_ROW + i * GY + y];
#pragma unroll
      for (int j = 0; j < TN; ++j)
        bv[j] = bs[now][p * B_ROW + j * GX + x];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] = fma((W2)(av[i].x), bv[j], acc[i][j]);
          acc[i][j].x = fma(-av[i].y, bv[j].y, acc[i][j].x);
          acc[i][j].y = fma(av[i].y, bv[j].x, acc[i][j].y);
        }
      }
    }
    if (k > BK) {
      gemm_keep(as[now ^ 1], an, A_LOADS, sa, BM, A_UNIT, me);
      gemm_keep(bs[now ^ 1], bn, B_LOADS, sb, BN, B_UNIT, me);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      if (i * GY + y < mr && j * GX + x < nr)
        pair_put(pair_times(acc[i][j], alpha), beta,
                 c + (i * GY + y) * crs + (j * GX + x) * ccs);
    }
  }
}
