/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C for GPUs. A group computes BM x BN elements of C: its
 * work-items copy blocks of A and B that are BK deep to local memory, two of
 * each in turns, and keep TM x TN sums each in registers. Behind product_put.cl;
 * macros put in front, here for float (T, W, LD, ST as in gemm_cpu.cl, or those
 * of complex_pairs.cl; WV has 4 neighbours: VL is 4 * NL):
 *
 *   #define BM 128           rows and columns of a group, depth of a block
 *   #define BN 128
 *   #define BK 16
 *   #define TM 8             rows and columns of a work-item, multiples of 4
 *   #define TN 8
 *   #define A_UNIT 1         stride that is 1: 1 along k, 2 along m, 0
 *   #define B_UNIT 2         stride that is 1: 1 along k, 2 along n, 0
 *   #define C_UNIT 1         C has rows without gaps; with WINDOW, 4 columns
 *                            that begin at a multiple of 4 are neighbours
 *   #define LDA4(p) LDV(p)   4 neighbours in A; may ask for an aligned address
 *   #define LDB4(p) LDV(p)
 *   #define STC(v, p) STV(v, p)   the same for C
 *   #define A_WHOLE 1        1: the size along the stride of 1 is a multiple of
 *   #define B_WHOLE 1        4, so that 4 neighbours are all inside or outside
 *   #define FLAT 0           1: a window has one position along dimension 0
 *   #define BAND 8           groups in a column that run together
 *   #define TRIANGLE 0       1: only the lower triangle of C is stored, 2: only
 *                            the upper one
 *   #define WINDOW 1         B is read through conv_window.cl
 *   #define PHASES 0         1: several such products, see conv_phases.cl
 *   #define LINES 0          1: the sum walks over lines of `depth` terms each,
 *                            in sheets of `lines` lines: ls and ss are the
 *                            strides from one to the next. Blocks end with a
 *                            line, and k counts the terms of whole blocks
 *   #define PARTS 0          1: a group sums over `run` of k only and keeps that
 *                            in `parts`, for those who add up
 *   #define TICKETS 1        1: the last group of a place adds up, see ticket.cl;
 *                            0: the kernel gemm_join does
 *
 * Strides are in numbers, of either sign; offsets in bytes. The sums of a
 * work-item are 4 x 4 squares, spread evenly over the group's part of C, so
 * that neighbours read neighbouring words of local memory. Work-groups have one
 * dimension; 32 neighbours take 4 x 8 squares where there are as many.
 * Conjugates are taken on the way to local memory. */
#define GX (BN / TN)
#define GY (BM / TM)
#define ITEMS (GX * GY)
#define A_ROW (BM / 4 + 1) /* in WV; the gap keeps columns off one bank */
#define B_ROW (BN / 4 + 1)
#define A_LOADS (BM * BK / 4 / ITEMS)
#define B_LOADS (BN * BK / 4 / ITEMS)
#define SUMS (TM * TN / 4) /* in WV, of a work-item */


/* The numbers of a vector, and c += a * b. */
#if NL == 2
#define N0(v) (v).s01
#define N1(v) (v).s23
#define N2(v) (v).s45
#define N3(v) (v).s67
#define ADD_TO(c, a, b)                                                        \
  ((c) = fma((a).xx, b, c), (c) = fma((W2)(-(a).y, (a).y), b.yx, c))
#else
#define N0(v) (v).s0
#define N1(v) (v).s1
#define N2(v) (v).s2
#define N3(v) (v).s3
#define ADD_TO(c, a, b) ((c) = fma(a, b, c))
#endif

#if TICKETS
#include "ticket.cl"
#endif

/* 4 neighbours, one by one: zeros outside of the matrix. */
static WV gemm_some(global const T *p, long step, long room) {
  WV v = (WV)(0);

  if (room > 0)
    N0(v) = LDN(p);
  if (room > 1)
    N1(v) = LDN(p + step);
  if (room > 2)
    N2(v) = LDN(p + 2 * step);
  if (room > 3)
    N3(v) = LDN(p + 3 * step);
  return v;
}

/* Read load number v of a block of A: 4 elements along the unit stride. */
static WV gemm_read_a(global const T *a, long rs, long cs, long m, long k,
                      int v) {
#if A_UNIT == 2
  const int i = v % (BM / 4) * 4, p = v / (BM / 4);
  global const T *at = a + i * rs + p * cs;
  if (p >= k)
    return (WV)(0);
  return i + 4 <= m ? LDA4(at) : gemm_some(at, rs, m - i);
#else
  const int p = v % (BK / 4) * 4, i = v / (BK / 4);
  global const T *at = a + i * rs + p * cs;
  if (i >= m)
    return (WV)(0);
#if A_UNIT == 1
  if (p + 4 <= k)
    return LDA4(at);
#endif
  return gemm_some(at, cs, k - p);
#endif
}

GA_INLINE void gemm_put_apart(local N *to, int step, WV x) {
  to[0] = N0(x);
  to[step] = N1(x);
  to[2 * step] = N2(x);
  to[3 * step] = N3(x);
}

GA_INLINE void gemm_put_a(local WV *to, WV x, int v) {
#if A_UNIT == 2
  to[v / (BM / 4) * A_ROW + v % (BM / 4)] = x;
#else
  gemm_put_apart((local N *)to + v % (BK / 4) * 4 * (A_ROW * 4) + v / (BK / 4),
                 A_ROW * 4, x);
#endif
}

static WV gemm_read_b(global const T *b, long rs, long cs, long n, long k,
                      int v) {
#if B_UNIT == 2
  const int j = v % (BN / 4) * 4, p = v / (BN / 4);
  global const T *at = b + j * cs + p * rs;
  if (p >= k)
    return (WV)(0);
  return j + 4 <= n ? LDB4(at) : gemm_some(at, cs, n - j);
#else
  const int p = v % (BK / 4) * 4, j = v / (BK / 4);
  global const T *at = b + j * cs + p * rs;
  if (j >= n)
    return (WV)(0);
#if B_UNIT == 1
  if (p + 4 <= k)
    return LDB4(at);
#endif
  return gemm_some(at, rs, k - p);
#endif
}

GA_INLINE void gemm_put_b(local WV *to, WV x, int v) {
#ifdef WINDOW
  gemm_put_apart((local N *)to + v / (BN / 4) * (B_ROW * 4) + v % (BN / 4),
                 BN / 4, x);
#elif B_UNIT == 2
  to[v / (BN / 4) * B_ROW + v % (BN / 4)] = x;
#else
  gemm_put_apart((local N *)to + v % (BK / 4) * 4 * (B_ROW * 4) + v / (BK / 4),
                 B_ROW * 4, x);
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
static void gemm_fetch_a(WV *r, global const T *const *whole,
                         global const T *a, long rs, long cs, long m, long k,
                         int me) {
#pragma unroll
  for (int l = 0; l < A_LOADS; ++l) {
#if A_WHOLE
    r[l] = (WV)(0);
    if (k >= BK || A_DEPTH_OF(me + l * ITEMS) < k)
      r[l] = LDA4(whole[l]);
#else
    r[l] = gemm_read_a(a, rs, cs, m, k, me + l * ITEMS);
#endif
  }
}

static void gemm_fetch_b(WV *r, global const T *const *whole,
                         global const T *b, long rs, long cs, long n, long k,
                         int me) {
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
#if B_WHOLE
    r[l] = (WV)(0);
    if (k >= BK || B_DEPTH_OF(me + l * ITEMS) < k)
      r[l] = LDB4(whole[l]);
#else
    r[l] = gemm_read_b(b, rs, cs, n, k, me + l * ITEMS);
#endif
  }
}

GA_INLINE void gemm_put(local WV *as, local WV *bs, const WV *ra, const WV *rb,
                     product_scale s, int me) {
#pragma unroll
  for (int l = 0; l < A_LOADS; ++l)
    gemm_put_a(as, CONJ_V(ra[l], s.sa), me + l * ITEMS);
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l)
    gemm_put_b(bs, CONJ_V(rb[l], s.sb), me + l * ITEMS);
}

/* acc += a column times a row. There and back along the rows: each step shares
 * an operand with the one before, which NVIDIA's units keep at hand (4 % of a
 * large product's time). */
GA_INLINE void gemm_add(WV acc[TM][TN / 4], const WV *av, const WV *bv) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const WV a = av[i / 4];
    const N x = i % 4 == 0 ? N0(a) : i % 4 == 1 ? N1(a) : i % 4 == 2 ? N2(a) : N3(a);
#pragma unroll
    for (int l = 0; l < TN / 4; ++l) {
      const int j = i % 2 == 0 ? l : TN / 4 - 1 - l;

      if (i % 2 == 0) {
        ADD_TO(N0(acc[i][j]), x, N0(bv[j]));
        ADD_TO(N1(acc[i][j]), x, N1(bv[j]));
        ADD_TO(N2(acc[i][j]), x, N2(bv[j]));
        ADD_TO(N3(acc[i][j]), x, N3(bv[j]));
      } else {
        ADD_TO(N3(acc[i][j]), x, N3(bv[j]));
        ADD_TO(N2(acc[i][j]), x, N2(bv[j]));
        ADD_TO(N1(acc[i][j]), x, N1(bv[j]));
        ADD_TO(N0(acc[i][j]), x, N0(bv[j]));
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

/* Nonzero if `count` elements of a row of C from (i, j) on are all stored, and
 * if none of a group's is. */
#if TRIANGLE == 1
#define IS_STORED(i, j, count) ((j) + (count)-1 <= (i))
#define IS_IDLE(p) ((p).j0 > (p).i0 + BM - 1)
#elif TRIANGLE == 2
#define IS_STORED(i, j, count) ((j) >= (i))
#define IS_IDLE(p) ((p).i0 > (p).j0 + BN - 1)
#else
#define IS_STORED(i, j, count) 1
#define IS_IDLE(p) 0
#endif

#ifdef WINDOW
#include "conv_gpu.cl"
#if PHASES
#include "conv_phases.cl"
#define PHASES_PARAM , global const long *phases
#undef IS_IDLE
#define IS_IDLE(p) ((p).n <= 0)
#else
#define PHASES_PARAM
#endif
#else
#define PHASES_PARAM
#define WINDOW_PARAMS
#include "gemm_end.cl"
#endif

#if LINES
#define LINES_PARAMS                                                           \
  , ulong depth_, ulong lines, long als, long ass, long bls, long bss
#else
#define LINES_PARAMS
#endif

#if PARTS
/* Sums of a part lie as their work-items have them: neighbours next to each
 * other, all of a group's, all groups of a part. */
static ulong gemm_part_at(gemm_place p, ulong part, ulong groups) {
  return (part * groups + p.group) * (SUMS * ITEMS) + get_local_id(0);
}

GA_INLINE void gemm_keep(WV acc[TM][TN / 4], global WV *to) {
#pragma unroll
  for (int l = 0; l < SUMS; ++l)
    to[l * ITEMS] = acc[l / (TN / 4)][l % (TN / 4)];
}

GA_INLINE void gemm_add_up(WV acc[TM][TN / 4], gemm_place p, ulong n_parts,
                        ulong groups, volatile global const WV *parts) {
#pragma unroll
  for (int l = 0; l < SUMS; ++l)
    acc[l / (TN / 4)][l % (TN / 4)] = (WV)(0);
  for (ulong part = 0; part < n_parts; ++part) {
    volatile global const WV *at = parts + gemm_part_at(p, part, groups);
#pragma unroll
    for (int l = 0; l < SUMS; ++l)
      acc[l / (TN / 4)][l % (TN / 4)] += at[l * ITEMS];
  }
}
#endif

#if PARTS && !TICKETS
/* One group per place, as many work-items as in the product. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_join(global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m,
          ulong n, ulong k, SCALE_PARAMS, ulong n_parts,
          global WV *parts WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const gemm_place at = gemm_find(m, n, 1);
  const ulong groups =
      get_num_groups(0) * get_num_groups(1) * get_num_groups(2);
  WV acc[TM][TN / 4];

  gemm_add_up(acc, at, n_parts, groups, parts);
#ifdef WINDOW
  const window w = WINDOW_IS(0, at.z * (long)m);
  window_end(acc, at, (global T *)(cbuf + coff) + at.z * cbs, crs, &w,
             s P_ARGS);
#else
  P_BATCH(at.z)
  gemm_end(acc, at, (global T *)(cbuf + coff) + NL * at.z * cbs, NL * crs,
           NL * ccs, s P_ARGS);
#endif
}
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m_,
     ulong n_, ulong k_, SCALE_PARAMS, ulong run, ulong n_parts,
     global WV *parts, global uint *tickets LINES_PARAMS WINDOW_PARAMS
         PHASES_PARAM P_PARAMS) {
  const product_scale s = SCALE;
  local WV as[2][BK * A_ROW], bs[2][BK * B_ROW];
  const int me = (int)get_local_id(0);
#if PHASES
  const ulong phase = get_group_id(2) / (ulong)phases[PHASE_BATCH];
  global const long *own = phases + PHASE_HEAD + phase * PHASE_LONGS;
  gemm_place at = gemm_find(m_, (ulong)own[PHASE_N], 1);
  const long from = 0;
  long k = own[PHASE_K];
  at.z %= phases[PHASE_BATCH];
#else
  const gemm_place at = gemm_find(m_, n_, n_parts);
  const long from = at.part * (long)run;
  long k = min((long)run, (long)k_ - from);
#endif
  const long m = at.m, n = at.n;
  global const T *a = (global const T *)(abuf + aoff) +
                      NL * (at.z * abs_ + at.i0 * ars + from * acs);
#ifdef WINDOW
  window w = WINDOW_IS(at.z * bbs, at.z * (long)m_);
#if PHASES
  phase_set(&w, own);
  a += own[PHASE_A];
#endif
  global const T *b = (global const T *)(bbuf + boff);
  window_place columns[4];
  const window_index step = window_index_of(BK, &w);
  window_index lines[B_LOADS];
#define FETCH_B(at_k) window_fetch(rb, b, &w, columns, lines, step, at_k, me)
#else
  global const T *b = (global const T *)(bbuf + boff) +
                      NL * (at.z * bbs + at.j0 * bcs + from * brs);
  global const T *pb[B_LOADS];
#define FETCH_B(at_k) gemm_fetch_b(rb, pb, b, brs, bcs, n, at_k, me)
#endif
  global const T *pa[A_LOADS];
  WV acc[TM][TN / 4], ra[A_LOADS], rb[B_LOADS];
  int now = 0;

  if (IS_IDLE(at))
    return;
  ars *= NL, acs *= NL, brs *= NL, bcs *= NL;
#if LINES
  const long depth = (long)depth_, deep = (depth + BK - 1) / BK * BK;
  const ulong first = (ulong)(from / deep);
  ulong line = first % lines;
  long left = depth - from % deep; /* of the line, from this block on */
  als *= NL, ass *= NL, bls *= NL, bss *= NL;
  a += (long)(first / lines) * ass + (long)line * als - (from - from % deep) * acs;
  b += (long)(first / lines) * bss + (long)line * bls - (from - from % deep) * brs;
#define LEFT left
#else
#define LEFT k
#endif
#pragma unroll
  for (int l = 0; l < A_LOADS; ++l) {
    const int v = me + l * ITEMS;
    pa[l] = a + (A_ROW_OF(v) < m ? A_ROW_OF(v) : 0) * ars + A_DEPTH_OF(v) * acs;
  }
#ifdef WINDOW
  window_columns_of(columns, &w, at.j0, me, at.j0 + n);
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l)
    lines[l] = window_index_of(from + LINE_OF(me + l * ITEMS), &w);
#else
#pragma unroll
  for (int l = 0; l < B_LOADS; ++l) {
    const int v = me + l * ITEMS;
    pb[l] = b + (B_COL_OF(v) < n ? B_COL_OF(v) : 0) * bcs + B_DEPTH_OF(v) * brs;
  }
#endif
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN / 4; ++j)
      acc[i][j] = (WV)(0);
  }
  gemm_fetch_a(ra, pa, a, ars, acs, m, LEFT, me);
  FETCH_B(LEFT);
  gemm_put(as[0], bs[0], ra, rb, s, me);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; k > 0; k -= BK, now ^= 1) {
    long step_a = BK * acs, step_b = BK * brs;
#if LINES
    left -= BK;
    if (left <= 0) {
      const int ends = ++line == lines;

      left = depth;
      line = ends ? 0 : line;
      step_a += als - deep * acs + (ends ? ass - (long)lines * als : 0);
      step_b += bls - deep * brs + (ends ? bss - (long)lines * bls : 0);
    }
#define NEXT left
#else
#define NEXT k - BK
#endif
    a += step_a;
#pragma unroll
    for (int l = 0; l < A_LOADS; ++l)
      pa[l] += step_a;
#ifndef WINDOW
    b += step_b;
#pragma unroll
    for (int l = 0; l < B_LOADS; ++l)
      pb[l] += step_b;
#endif
    if (k > BK) {
      gemm_fetch_a(ra, pa, a, ars, acs, m, NEXT, me);
      FETCH_B(NEXT);
    }
#pragma unroll
    for (int p = 0; p < BK; ++p) {
      WV av[TM / 4], bv[TN / 4];
#pragma unroll
      for (int i = 0; i < TM / 4; ++i)
        av[i] = as[now][p * A_ROW + i * GY + at.y];
#pragma unroll
      for (int j = 0; j < TN / 4; ++j)
        bv[j] = bs[now][p * B_ROW + j * GX + at.x];
      gemm_add(acc, av, bv);
    }
    if (k > BK)
      gemm_put(as[now ^ 1], bs[now ^ 1], ra, rb, s, me);
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
#if PHASES
  phase_end(acc, at, (global T *)(cbuf + coff) + at.z * cbs, crs, &w, phases,
            own, bs[0], me, s P_ARGS);
#elif defined(WINDOW)
  window_end(acc, at, (global T *)(cbuf + coff) + at.z * cbs, crs, &w,
             s P_ARGS);
#else
  P_BATCH(at.z)
  gemm_end(acc, at, (global T *)(cbuf + coff) + NL * at.z * cbs, NL * crs,
           NL * ccs, s P_ARGS);
#endif
}
