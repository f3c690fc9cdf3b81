/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C for double on NVIDIA's tensor cores, through inline
 * PTX: twice the rate of their other units, and the same precision. The plan,
 * the macros and what they ask of the operands are those of hgemm_mma.cl, with
 * chunks of 2 elements instead of 8:
 *
 *   #define BM 128, BN 128, BK 16, WM 64, WN 32, STAGES 3, BAND 8
 *   #define AHEAD 2      STAGES - 1
 *   #define PENDING 1    STAGES - 2
 *   #define A_UNIT 1     stride that is 1: 1 along k, 2 along m
 *   #define B_UNIT 2     stride that is 1: 1 along k, 2 along n
 *   #define C_PAIRS 1    two neighbours of C may be written as one: 1 along n,
 *                        2 along m, which takes WIDE
 *   #define EDGES 0      1: sizes are not all multiples of BM, BN and BK
 *   #define WIDE 0       1: local memory is read two doubles at a time, with
 *                        A_UNIT 2 and B_UNIT 1
 *   #define TRIANGLE 0   1: only the lower triangle of C is stored, 2: only the
 *                        upper one
 *
 * C may have its unit stride either way.
 *
 * Lines in local memory have gaps, so that the 4 x 4 neighbours that are read
 * at once lie in different banks, or 2 x 4 pairs of them. A pair of A are two
 * rows, which lie 8 apart for the instruction and side by side for us. A pair
 * of B are two places along k, and those of A follow: the order of a sum is
 * free. */
#define WARPS_N (BN / WN)
#define ITEMS (BM / WM * WARPS_N * 32)
#define MT (WM / 16) /* 16 x 8 squares of a warp */
#define NT (WN / 8)
#define KT (BK / 8) /* steps of a block, even */
#define SIZE 8
#define A_GAP (WIDE ? 2 : 4)
#define B_GAP (WIDE ? 8 : 4)
/* Fetch a block behind the products of a step, or before them? And go through
 * the squares by rows, or by columns? Registers run out in large tiles: this is
 * what the compiler makes the most of. */
#define LATE (BM * BN >= 128 * 128)
#define BY_ROWS (A_UNIT == 2 && B_UNIT == 2)

#if A_UNIT == 1
#define A_LINES BM
#define A_LENGTH BK
#define A_AT(i, p) ((i) * (BK + A_GAP) + (p))
#else
#define A_LINES BK
#define A_LENGTH BM
#define A_AT(i, p) ((p) * (BM + A_GAP) + (i))
#endif
#if B_UNIT == 1
#define B_LINES BN
#define B_LENGTH BK
#define B_AT(p, j) ((j) * (BK + B_GAP) + (p))
#else
#define B_LINES BK
#define B_LENGTH BN
#define B_AT(p, j) ((p) * (BN + B_GAP) + (j))
#endif
#define A_SIZE (A_LINES * (A_LENGTH + A_GAP))
#define STAGE_SIZE (A_SIZE + B_LINES * (B_LENGTH + B_GAP))

/* Nonzero if an element of C is stored, and if none of a group's is. */
#if TRIANGLE == 1
#define IS_STORED(i, j) ((j) <= (i))
#define IS_IDLE(i0, j0) ((j0) > (i0) + BM - 1)
#elif TRIANGLE == 2
#define IS_STORED(i, j) ((i) <= (j))
#define IS_IDLE(i0, j0) ((i0) > (j0) + BN - 1)
#else
#define IS_STORED(i, j) 1
#define IS_IDLE(i0, j0) 0
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Start to copy a block to local memory. The block's first element is at
 * `from`; `lines` and `length` tell what the matrix has left. */
GA_INLINE void mma_copy(uint to, ulong from, long ld, uint n_lines, uint n,
                     uint gap, long lines, long length, uint me) {
  const uint chunks = n / 2;
  const uint r0 = me / chunks, c = me % chunks, step = ITEMS / chunks;
  const uint at = to + (r0 * (n + gap) + c * 2) * 8;
  const ulong jump = step * ld * 8; /* bytes; the only offset in registers */

  from += (r0 * ld + c * 2) * 8;
#pragma unroll
  for (uint l = 0; l < n_lines / step; ++l, from += jump) {
#if EDGES
    const long left = r0 + l * step < lines ? (length - c * 2) * 8 : 0;
    const int bytes = (int)clamp(left, 0L, 16L);

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     at + l * step * (n + gap) * 8),
                 "l"(bytes > 0 ? from : from - l * jump), "r"(bytes)
                 : "memory");
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     at + l * step * (n + gap) * 8),
                 "l"(from)
                 : "memory");
#endif
  }
}

/* Step kk of a block, 8 deep. `as` and `bs` are a work-item's first elements:
 * the others are constants away. */
GA_INLINE void mma_fragments(double a[MT][4], double b[NT][2],
                          local const double *as, local const double *bs,
                          uint kk) {
  const uint p = kk * 8;

#pragma unroll
  for (uint s = 0; s < MT; ++s) {
    const uint row = s * 16;

#if WIDE
    const double2 x = *(local const double2 *)(as + A_AT(row, p));
    const double2 y = *(local const double2 *)(as + A_AT(row, p + 1));

    a[s][0] = x.x, a[s][1] = x.y;
    a[s][2] = y.x, a[s][3] = y.y;
#else
    a[s][0] = as[A_AT(row, p)];
    a[s][1] = as[A_AT(row + 8, p)];
    a[s][2] = as[A_AT(row, p + 4)];
    a[s][3] = as[A_AT(row + 8, p + 4)];
#endif
  }
#pragma unroll
  for (uint s = 0; s < NT; ++s) {
    const uint col = s * 8;

#if WIDE
    const double2 x = *(local const double2 *)(bs + B_AT(p, col));

    b[s][0] = x.x, b[s][1] = x.y;
#else
    b[s][0] = bs[B_AT(p, col)];
    b[s][1] = bs[B_AT(p + 4, col)];
#endif
  }
}

/* Each square begins with what the one before had of A or B. */
GA_INLINE void mma_multiply(double acc[MT][NT][4], double a[MT][4],
                         double b[NT][2]) {
#pragma unroll
  for (uint i = 0; i < MT * NT; ++i) {
    const uint row = BY_ROWS ? i / NT : i % MT, col = BY_ROWS ? i % NT : i / MT;
    const uint s = !BY_ROWS && col % 2 ? MT - 1 - row : row;
    const uint t = BY_ROWS && row % 2 ? NT - 1 - col : col;

    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(acc[s][t][0]), "+d"(acc[s][t][1]), "+d"(acc[s][t][2]),
          "+d"(acc[s][t][3])
        : "d"(a[s][0]), "d"(a[s][1]), "d"(a[s][2]), "d"(a[s][3]),
          "d"(b[t][0]), "d"(b[t][1]));
  }
}

/* Two neighbours of C from (i, j) on, along n or, if they are pairs that way,
 * along m, `step` elements apart; `left` of them exist. */
GA_INLINE void mma_write(global double *to, long step, double x, double y,
                      long left, long i, long j, product_scale s P_PARAMS) {
  const long i1 = i + (C_PAIRS == 2), j1 = j + (C_PAIRS != 2);
  const int second = left > 1 && IS_STORED(i1, j1);

  left = left > 0 && IS_STORED(i, j);
#if C_PAIRS && !defined(EPILOGUE)
  if (left && second) {
    *(global double2 *)to =
        (double2)(product_value(x, to, s), product_value(y, to + 1, s));
    return;
  }
#endif
  if (left)
    product_put(x, to, i, j, s P_ARGS);
  if (second)
    product_put(y, to + step, i1, j1, s P_ARGS);
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m_,
     ulong n_, ulong k_, double alpha, double beta,
     double beta_low P_PARAMS) {
  const product_scale scale = {alpha, beta, beta_low};
  local double2 room[STAGES * STAGE_SIZE / 2];
  local double *const stages = (local double *)room;
  const uint base = (uint)(size_t)room;
  const uint me = get_local_id(0), lane = me & 31, warp = me >> 5;
  const uint wi = warp / WARPS_N * WM, wj = warp % WARPS_N * WN;
  const uint g = lane >> 2, c = lane & 3;
  local const double *const as =
      stages + (WIDE ? A_AT(wi + g * 2, c * 2) : A_AT(wi + g, c));
  local const double *const bs =
      stages + A_SIZE + B_AT(c * (WIDE ? 2 : 1), wj + g);
#include "mma_group.cl"
  const uint blocks = (uint)((k + BK - 1) / BK);
  double fa[2][MT][4], fb[2][NT][2], acc[MT][NT][4];
  uint now = 0;

  if (IS_IDLE(i0, j0))
    return;

#pragma unroll
  for (uint i = 0; i < MT; ++i) {
#pragma unroll
    for (uint j = 0; j < NT; ++j)
      acc[i][j][0] = acc[i][j][1] = acc[i][j][2] = acc[i][j][3] = 0;
  }

/* Block number `block` into stage `s`; an empty group of copies past the end
 * keeps the count. */
#define FETCH_BLOCK(block, s)                                                  \
  do {                                                                         \
    if ((block) < blocks) {                                                    \
      const long left_ = k - (long)(block) * BK;                               \
      mma_copy(base + (s) * STAGE_SIZE * 8, a, lda, A_LINES, A_LENGTH, A_GAP,  \
               A_UNIT == 1 ? m : left_, A_UNIT == 1 ? left_ : m, me);          \
      mma_copy(base + ((s) * STAGE_SIZE + A_SIZE) * 8, b, ldb, B_LINES,        \
               B_LENGTH, B_GAP, B_UNIT == 1 ? n : left_,                       \
               B_UNIT == 1 ? left_ : n, me);                                   \
      a += a_step;                                                             \
      b += b_step;                                                             \
    }                                                                          \
    asm volatile("cp.async.commit_group;" ::: "memory");                       \
  } while (0)

#define FRAGMENTS(f, s, kk)                                                    \
  mma_fragments(fa[f], fb[f], as + (s) * STAGE_SIZE, bs + (s) * STAGE_SIZE, kk)

#pragma unroll
  for (uint s = 0; s < STAGES; ++s)
    FETCH_BLOCK(s, s);
  asm volatile("cp.async.wait_group " TEXT(AHEAD) ";" ::: "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  FRAGMENTS(0, 0, 0);

  /* The last step of a block has its registers filled already: its stage is
   * free for a new block, and the next block's first step is read. */
  for (uint block = 0; block < blocks; ++block) {
    const uint next = now + 1 == STAGES ? 0 : now + 1;

#pragma unroll
    for (uint kk = 0; kk < KT; ++kk) {
      const uint f = kk & 1, e = f ^ 1;

      if (kk < KT - 1) {
        FRAGMENTS(e, now, kk + 1);
      } else {
        asm volatile("cp.async.wait_group " TEXT(PENDING) ";" ::: "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
        FRAGMENTS(e, next, 0);
        if (!LATE)
          FETCH_BLOCK(block + STAGES, now);
      }
      mma_multiply(acc, fa[f], fb[f]);
      if (LATE && kk == KT - 1)
        FETCH_BLOCK(block + STAGES, now);
    }
    now = next;
  }

  global double *const to =
      (global double *)(cbuf + coff) + z * cbs + i0 * crs + j0 * ccs;

  P_BATCH(z)
#pragma unroll
  for (uint s = 0; s < MT; ++s) {
#pragma unroll
    for (uint h = 0; h < NT * 2; ++h) { /* half of square h / 2 */
      const uint t = h / 2, second = h % 2;
#if C_PAIRS == 2
      const long i = wi + s * 16 + g * 2;
      const long j = wj + t * 8 + c * 2 + second;

      mma_write(to + i * crs + j * ccs, crs, acc[s][t][second],
                acc[s][t][second + 2], j < n ? m - i : 0, i0 + i, j0 + j,
                scale P_ARGS);
#else
      const long i = wi + s * 16 + (WIDE ? g * 2 + second : g + second * 8);
      const long j = wj + t * 8 + c * 2;

      mma_write(to + i * crs + j * ccs, ccs, acc[s][t][second * 2],
                acc[s][t][second * 2 + 1], i < m ? n - j : 0, i0 + i, j0 + j,
                scale P_ARGS);
#endif
    }
  }
}
