/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C on tensor cores, through the instructions that NVIDIA's
 * sm_90a has for four warps at a time. They read both operands from local memory
 * and run beside the threads that issued them. Macros are those of hgemm_mma.cl
 * without WM and WN. A line of a block has 128 bytes, and a group has BM / 64
 * times four warps, each with 64 rows and all columns. Further:
 *
 *   #define SIZE 2                     bytes of an element: 2 for half and
 *                                      bfloat, with NARROW; 4 for
 *                                      float, of which 10 bits of the fraction
 *                                      are read, and whose units are 1
 *   #define SUMS "{%0, %1, ...}"       its BN / 2 sums as operands
 *   #define SUMS_OF(a) "+f"(a[0]), ...
 *   #define DESC_A "%128"              the operands behind them
 *   #define DESC_B "%129"
 *
 * The instructions stand in comments, which become PTX after compiling (see
 * src/ocl/kernel/ptx.c). */
#define ITEMS (BM / 64 * 128)
#define PANELS 1
#include "mma_tile.cl"
#include "mma_put.cl"

#define PTX(text) "//ptx " text
#if SIZE == 2
#define KIND "k16.f32." NARROW "." NARROW " "
#define TURNED ", " A_TURNED ", " B_TURNED
#else
#define KIND "k8.f32.tf32.tf32 "
#define TURNED
#endif
#define DEPTH (32 / SIZE) /* of an instruction */
#define PANEL_BYTES (BK * 128)
#if A_UNIT == 1
#define A_TURNED "0"
#define A_STEP 32
#else
#define A_TURNED "1"
#define A_STEP 2048
#endif
#if B_UNIT == 1
#define B_TURNED "0"
#define B_STEP 32
#else
#define B_TURNED "1"
#define B_STEP 2048
#endif

/* What the instruction is told of an operand in local memory: its address, the
 * distances of panels and of groups of 8 lines, and that lines are 128 bytes
 * with their chunks turned by their number. */
GA_INLINE ulong wgmma_operand(uint at) {
  return (ulong)(at >> 4) | (ulong)(PANEL_BYTES >> 4) << 16 |
         (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

/* Start to add a block to the sums. */
GA_INLINE void wgmma_block(float acc[BN / 2], uint as, uint bs) {
  asm volatile(PTX("wgmma.fence.sync.aligned;")::: "memory");
#pragma unroll
  for (uint kk = 0; kk < BK / DEPTH; ++kk) {
    const ulong a = wgmma_operand(as + kk * A_STEP);
    const ulong b = wgmma_operand(bs + kk * B_STEP);

    asm volatile(PTX("wgmma.mma_async.sync.aligned.m64n" TEXT(BN) KIND SUMS
                     ", " DESC_A ", " DESC_B ", 1, 1, 1" TURNED ";")
                 : SUMS_OF(acc)
                 : "l"(a), "l"(b)
                 : "memory");
  }
  asm volatile(PTX("wgmma.commit_group.sync.aligned;")::: "memory");
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m_,
     ulong n_, ulong k_, float alpha, float beta,
     float beta_low PARTS_PARAMS WINDOW_PARAMS P_PARAMS) {
  const product_scale scale = {alpha, beta, beta_low};
  local uint4 room[STAGES * STAGE_BYTES / 16] __attribute__((aligned(1024)));
  const uint base = (uint)(size_t)room;
  const uint me = get_local_id(0), lane = me & 31, four = me >> 7;
#include "mma_group.cl"
  const long blocks = (k + BK - 1) / BK;
  uint now = 0, last = STAGES - 1;
  float acc[BN / 2];

#pragma unroll
  for (uint i = 0; i < BN / 2; ++i)
    acc[i] = 0;
#pragma unroll
  for (uint s = 0; s < STAGES - 1; ++s)
    FETCH_BLOCK(s, s);

  /* While the threads wait for the block before this one and fetch another in
   * its stage, this one is being multiplied. What cp.async wrote must be made
   * visible to the instructions. */
  for (long block = 0; block < blocks; ++block) {
    const uint stage = base + now * STAGE_BYTES;

    asm volatile("cp.async.wait_group " TEXT(PENDING) ";" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    barrier(CLK_LOCAL_MEM_FENCE);
    wgmma_block(acc, stage + four * (64 * 128), stage + A_BYTES);
    asm volatile(PTX("wgmma.wait_group.sync.aligned 1;")::: "memory");
    barrier(CLK_LOCAL_MEM_FENCE);
    FETCH_BLOCK(block + STAGES - 1, last);
    last = now;
    now = now + 1 == STAGES ? 0 : now + 1;
  }
  asm volatile(PTX("wgmma.wait_group.sync.aligned 0;")
               : SUMS_OF(acc)::"memory");

  P_BATCH(z)
  const long row = (me >> 5) * 16 + (lane >> 2);
  global T *const to =
      (global T *)(cbuf + coff) + (long)get_group_id(2) * cbs + j0;
  const mma_pair pair = MMA_PAIR(i0 + row);

#pragma unroll
  for (uint j = 0; j < BN / 8; j += 4) {
    float v[2][4][2];

#pragma unroll
    for (uint e = 0; e < 16; ++e)
      v[e / 8][e / 2 % 4][e % 2] = acc[(j + e / 2 % 4) * 4 + e / 8 * 2 + e % 2];
    mma_put(v, to + j * 8, pair, m - row, n - j * 8, j0 + j * 8, lane,
            scale P_ARGS);
  }
}
