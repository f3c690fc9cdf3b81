/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C for GPUs. A group computes BM x BN elements of C: its
 * work-items copy blocks of A and B that are BK deep to local memory, two of
 * each in turns, and keep TM x TN sums each in registers. Macros put in front,
 * here for float (T, W, W4, LD, ST, LD4, ST4 as in gemm_cpu.cl):
 *
 *   #define BM 128           rows and columns of a group, depth of a block
 *   #define BN 128
 *   #define BK 16
 *   #define TM 8             rows and columns of a work-item, multiples of 4
 *   #define TN 8
 *   #define A_UNIT 1         stride that is 1: 1 along k, 2 along m, 0
 *   #define B_UNIT 2         stride that is 1: 1 along k, 2 along n, 0
 *   #define C_UNIT 1         C has rows without gaps
 *   #define LDA4(p) LD4(p)   4 elements of A; may ask for an aligned address
 *   #define LDB4(p) LD4(p)
 *   #define STC4(v, p) ST4(v, p)  the same for C
 *   #define A_WHOLE 1        1: the size along the stride of 1 is a multiple of
 *   #define B_WHOLE 1        4, so that 4 elements are all inside or all outside
 *   #define BAND 8           groups in a column that run together
 *   #define PARTS 0          1: a group sums over `run` of k only and keeps that
 *                            in `parts`, for those who add up
 *   #define TICKETS 1        1: the last group of a place adds up, see ticket.cl;
 *                            0: the kernel gemm_join does
 *
 * Strides are in elements, of either sign; offsets in bytes. The sums of a
 * work-item are 4 x 4 squares, spread evenly over the group's part of C, so
 * that neighbours read neighbouring words of local memory. Work-groups have one
 * dimension; 32 neighbours take 4 x 8 squares where there are as many. Results
 * go through product_put.cl. */
#define GX (BN / TN)
#define GY (BM / TM)
#define ITEMS (GX * GY)
#define A_ROW (BM / 4 + 1) /* in W4; the gap keeps columns off one bank */
#define B_ROW (BN / 4 + 1)
#define A_LOADS (BM * BK / 4 / ITEMS)
#define B_LOADS (BN * BK / 4 / ITEMS)
#define SUMS (TM * TN / 4) /* in W4, of a work-item */

#define INLINE static __attribute__((always_inline))

#if TICKETS
#include "ticket.cl"
#endif

/* 4 neighbours, one by one: zeros outside of the matrix. */
static W4 gemm_some(global const T *p, long step, long room) {
  W4 v = (W4)(0);

  if (room > 0)
    v.s0 = LD(p);
  if (room > 1)
    v.s1 = LD(p + step);
  if (room > 2)
    v.s2 = LD(p + 2 * step);
  if (room > 3)
    v.s3 = LD(p + 3 * step);
  return v;
}

/* Read load number v of a block of A: 4 elements along the unit stride. */
static W4 gemm_read_a(global const T *a, long rs, long cs, long m, long k,
                      int v) {
#if A_UNIT == 2
  const int i = v % (BM / 4) * 4, p = v / (BM / 4);
  global const T *at = a + i * rs + p * cs;
  if (p >= k)
    return (W4)(0);
  return i + 4 <= m ? LDA4(at) : gemm_some(at, rs, m - i);
#else
  const int p = v % (BK / 4) * 4, i = v / (BK / 4);
  global const T *at = a + i * rs + p * cs;
  if (i >= m)
    return (W4)(0);
#if A_UNIT == 1
  if (p + 4 <= k)
    return LDA4(at);
#endif
  return gemm_some(at, cs, k - p);
#endif
}

static void gemm_put_a(local W4 *to, W4 x, int v) {
#if A_UNIT == 2
  to[v / (BM / 4) * A_ROW + v % (BM / 4)] = x;
#else
  local W *at =
      (local W *)to + v % (BK / 4) * 4 * (A_ROW * 4) + v / (BK / 4);
  at[0] = x.s0;
  at[A_ROW * 4] = x.s1;
  at[A_ROW * 8] = x.s2;
  at[A_ROW * 12] = x.s3;
#endif
}

static W4 gemm_read_b(global const T *b, long rs, long cs, long n, long k,
                      int v) {
#if B_UNIT == 2
  const int j = v % (BN / 4) * 4, p = v / (BN / 4);
  global const T *at = b + j * cs + p * rs;
  if (p >= k)
    return (W4)(0);
  return j + 4 <= n ? LDB4(at) : gemm_some(at, cs, n - j);
#else
  const int p = v % (BK / 4) * 4, j = v / (BK / 4);
  global const T *at = b + j * cs + p * rs;
  if (j >= n)
    return (W4)(0);
#if B_UNIT == 1
  if (p + 4 <= k)
    return LDB4(at);
#endif
  return gemm_some(at, rs, k - p);
#endif
}

static void gemm_put_b(local W4 *to, W4 x, int v) {
#if B_UNIT == 2
  to[v / (BN / 4) * B_ROW + v % (BN / 4)] = x;
#else
  local W *at =
      (local W *)to + v % (BK / 4) * 4 * (B_ROW * 4) + v / (BK / 4);
  at[0] = x.s0;
  at[B_ROW * 4] = x.s1;
  at[B_ROW * 8] = x.s2;
  at[B_ROW * 12] = x.s3;
#endif
}

#if A_UNIT == 2
#define A_ROW_OF(v) ((v) % (BM / 4) * 4)
#define A_DEPTH_OF(v) ((v) / (BM / 4))
#else
#define A_ROW_OF(v) ((v) / (BK / 4))
#define A_DEPTH_OF(v) ((v) % (BK / 4) * 4)
#endif
#if B_UNIT == 2
#define B_COL_OF(v) ((v) % (BN / 4) * 4)
#define B_DEPTH_OF(v) ((v) / (BN / 4))
#else
#define B_COL_OF(v) ((v) / (BK / 4))
#define B_DEPTH_OF(v) ((v) % (BK / 4) * 4)
#endif

/* A block of A to registers; `k` is what is left along k. Loads that are whole
 * have addresses of their own, inside of the matrix even where the block is
 * not: what they bring too much is not written to C. */
static void gemm_fetch_a(W4 *r, global const T *const *whole,
                         global const T *a, long rs, long cs, long m, long k,
                         int me) {
#pragma unroll
  for (int l = 0; l < A_LOADS; ++l) {
#if A_WHOLE
    r[l] = (W4)(0);
    if (k >= BK || A_DEPTH_OF(me + l * ITEMS) < k)
      r[l] = LDA4(whole[l]);
#else
    r[l] = gemm_read_a(a, rs, cs, m, k, me + l * ITEMS);
#endif
  }
}

static void gemm_fetch_b(W4 *r, global const T *const *whole,
                         global const T *b, long rs, long cs, long n, long k,
                         int me) {
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
#if B_WHOLE
    r[l] = (W4)(0);
    if (k >= BK || B_DEPTH_OF(me + l * ITEMS) < k)
      r[l] = LDB4(whole[l]);
#else
    r[l] = gemm_read_b(b, rs, cs, n, k, me + l * ITEMS);
#endif
  }
}

static void gemm_put(local W4 *as, local W4 *bs, const W4 *ra, const W4 *rb,
                     int me) {
#pragma unroll
  for (int l = 0; l < A_LOADS; ++l)
    gemm_put_a(as, ra[l], me + l * ITEMS);
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l)
    gemm_put_b(bs, rb[l], me + l * ITEMS);
}

/* acc += a column times a row. There and back along the rows: each step shares
 * an operand with the one before, which NVIDIA's units keep at hand (4 % of a
 * large product's time). */
INLINE void gemm_add(W4 acc[TM][TN / 4], const W4 *av, const W4 *bv) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const W4 a = av[i / 4];
    const W x = i % 4 == 0 ? a.s0 : i % 4 == 1 ? a.s1 : i % 4 == 2 ? a.s2 : a.s3;
#pragma unroll
    for (int l = 0; l < TN / 4; ++l) {
      const int j = i % 2 == 0 ? l : TN / 4 - 1 - l;

      if (i % 2 == 0) {
        acc[i][j].s0 = fma(x, bv[j].s0, acc[i][j].s0);
        acc[i][j].s1 = fma(x, bv[j].s1, acc[i][j].s1);
        acc[i][j].s2 = fma(x, bv[j].s2, acc[i][j].s2);
        acc[i][j].s3 = fma(x, bv[j].s3, acc[i][j].s3);
      } else {
        acc[i][j].s3 = fma(x, bv[j].s3, acc[i][j].s3);
        acc[i][j].s2 = fma(x, bv[j].s2, acc[i][j].s2);
        acc[i][j].s1 = fma(x, bv[j].s1, acc[i][j].s1);
        acc[i][j].s0 = fma(x, bv[j].s0, acc[i][j].s0);
      }
    }
  }
}

/* Where a group works: part number `part` of matrix z, from row i0 and column
 * j0 on, which leaves m rows and n columns of C. */
typedef struct gemm_place {
  long i0, j0, m, n, z, part;
  int x, y;       /* of the work-item in its group */
  ulong group;    /* of its place, whatever its part */
} gemm_place;

static gemm_place gemm_find(ulong m, ulong n, ulong n_parts) {
  const int me = (int)get_local_id(0);
  /* Groups that run together form a band of rows: they share blocks in the
   * device's cache. */
  const uint cols = (uint)get_num_groups(0), rows = (uint)get_num_groups(1);
  const uint id = (uint)get_group_id(1) * cols + (uint)get_group_id(0);
  const uint band = id / (BAND * cols) * BAND;
  const uint tall = min(rows - band, (uint)BAND), in = id - band * cols;
  gemm_place p;

  p.i0 = (long)(band + in % tall) * BM;
  p.j0 = (long)(in / tall) * BN;
  p.m = (long)m - p.i0;
  p.n = (long)n - p.j0;
  p.z = (long)(get_group_id(2) / n_parts);
  p.part = (long)(get_group_id(2) % n_parts);
  p.group = (ulong)p.z * cols * rows + id;
#if GX % 8 == 0 && GY % 4 == 0
  p.x = me / 32 % (GX / 8) * 8 + me % 8;
  p.y = me / 32 / (GX / 8) * 4 + me % 32 / 8;
#else
  p.x = me % GX;
  p.y = me / GX;
#endif
  return p;
}

/* alpha times the sums, and beta times C, to where they belong. */
INLINE void gemm_end(W4 acc[TM][TN / 4], gemm_place p, global T *c, long crs,
                     long ccs, product_scale s P_PARAMS) {
  c += p.i0 * crs + p.j0 * ccs;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const long row = i / 4 * (GY * 4) + p.y * 4 + i % 4;
#pragma unroll
    for (int j = 0; j < TN / 4; ++j) {
      const long col = (j * GX + p.x) * 4;
      const W lane[4] = {acc[i][j].s0, acc[i][j].s1, acc[i][j].s2,
                         acc[i][j].s3};
      global T *to = c + row * crs + col * ccs;

      if (row >= p.m)
        continue;
#if C_UNIT && PUT_VECTORS
      if (col + 4 <= p.n) {
        product_put_v(acc[i][j], to, p.i0 + row, p.j0 + col, s P_ARGS);
        continue;
      }
#endif
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (col + e < p.n)
          product_put(lane[e], to + e * ccs, p.i0 + row, p.j0 + col + e,
                      s P_ARGS);
      }
    }
  }
}

#if PARTS
/* Sums of a part lie as their work-items have them: neighbours next to each
 * other, all of a group's, all groups of a part. */
static ulong gemm_part_at(gemm_place p, ulong part, ulong groups) {
  return (part * groups + p.group) * (SUMS * ITEMS) + get_local_id(0);
}

INLINE void gemm_keep(W4 acc[TM][TN / 4], global W4 *to) {
#pragma unroll
  for (int l = 0; l < SUMS; ++l)
    to[l * ITEMS] = acc[l / (TN / 4)][l % (TN / 4)];
}

INLINE void gemm_add_up(W4 acc[TM][TN / 4], gemm_place p, ulong n_parts,
                        ulong groups, volatile global const W4 *parts) {
#pragma unroll
  for (int l = 0; l < SUMS; ++l)
    acc[l / (TN / 4)][l % (TN / 4)] = (W4)(0);
  for (ulong part = 0; part < n_parts; ++part) {
    volatile global const W4 *at = parts + gemm_part_at(p, part, groups);
#pragma unroll
    for (int l = 0; l < SUMS; ++l)
      acc[l / (TN / 4)][l % (TN / 4)] += at[l * ITEMS];
  }
}
#endif

#if PARTS && !TICKETS
/* One group per place, as many work-items as in the product. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_join(global W4 *parts, ulong n_parts, global char *cbuf, ulong coff,
          long crs, long ccs, long cbs, ulong m, ulong n, W alpha, W beta,
          W beta_low P_PARAMS) {
  const product_scale s = {alpha, beta, beta_low};
  const gemm_place at = gemm_find(m, n, 1);
  const ulong groups =
      get_num_groups(0) * get_num_groups(1) * get_num_groups(2);
  W4 acc[TM][TN / 4];

  gemm_add_up(acc, at, n_parts, groups, parts);
  gemm_end(acc, at, (global T *)(cbuf + coff) + at.z * cbs, crs, ccs,
           s P_ARGS);
}
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m_,
     ulong n_, ulong k_, W alpha, W beta, W beta_low, ulong n_parts, ulong run,
     global W4 *parts, global uint *tickets P_PARAMS) {
  const product_scale s = {alpha, beta, beta_low};
  local W4 as[2][BK * A_ROW], bs[2][BK * B_ROW];
  const int me = (int)get_local_id(0);
  const gemm_place at = gemm_find(m_, n_, n_parts);
  const long from = at.part * (long)run;
  const long m = at.m, n = at.n;
  long k = min((long)run, (long)k_ - from);
  global const T *a = (global const T *)(abuf + aoff) + at.z * abs_ +
                      at.i0 * ars + from * acs;
  global const T *b = (global const T *)(bbuf + boff) + at.z * bbs +
                      at.j0 * bcs + from * brs;
  global const T *pa[A_LOADS], *pb[B_LOADS];
  W4 acc[TM][TN / 4], ra[A_LOADS], rb[B_LOADS];
  int now = 0;

#pragma unroll
  for (int l = 0; l < A_LOADS; ++l) {
    const int v = me + l * ITEMS;
    pa[l] = a + (A_ROW_OF(v) < m ? A_ROW_OF(v) : 0) * ars + A_DEPTH_OF(v) * acs;
  }
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
    const int v = me + l * ITEMS;
    pb[l] = b + (B_COL_OF(v) < n ? B_COL_OF(v) : 0) * bcs + B_DEPTH_OF(v) * brs;
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN / 4; ++j)
      acc[i][j] = (W4)(0);
  }
  gemm_fetch_a(ra, pa, a, ars, acs, m, k, me);
  gemm_fetch_b(rb, pb, b, brs, bcs, n, k, me);
  gemm_put(as[0], bs[0], ra, rb, me);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; k > 0; k -= BK, now ^= 1) {
    a += BK * acs;
    b += BK * brs;
#pragma unroll
    for (int l = 0; l < A_LOADS; ++l)
      pa[l] += BK * acs;
#pragma unroll
    for (int l = 0; l < B_LOADS; ++l)
      pb[l] += BK * brs;
    if (k > BK) {
      gemm_fetch_a(ra, pa, a, ars, acs, m, k - BK, me);
      gemm_fetch_b(rb, pb, b, brs, bcs, n, k - BK, me);
    }
#pragma unroll
    for (int p = 0; p < BK; ++p) {
      W4 av[TM / 4], bv[TN / 4];
#pragma unroll
      for (int i = 0; i < TM / 4; ++i)
        av[i] = as[now][p * A_ROW + i * GY + at.y];
#pragma unroll
      for (int j = 0; j < TN / 4; ++j)
        bv[j] = bs[now][p * B_ROW + j * GX + at.x];
      gemm_add(acc, av, bv);
    }
    if (k > BK)
      gemm_put(as[now ^ 1], bs[now ^ 1], ra, rb, me);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if PARTS
  {
    const ulong groups = get_num_groups(0) * get_num_groups(1) *
                         (get_num_groups(2) / n_parts);

    gemm_keep(acc, parts + gemm_part_at(at, (ulong)at.part, groups));
#if TICKETS
    if (!ticket_is_last(tickets + at.group, (uint)n_parts, me,
                        (local uint *)as))
      return;
    gemm_add_up(acc, at, n_parts, groups, parts);
#else
    return;
#endif
  }
#endif
  gemm_end(acc, at, (global T *)(cbuf + coff) + at.z * cbs, crs, ccs,
           s P_ARGS);
}
