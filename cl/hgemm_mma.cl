/* SPDX-License-Identifier: BSD-2-Clause */
/* C = alpha A B + beta C for half and bfloat on NVIDIA's tensor cores, through
 * inline PTX. A group computes BM x BN elements of C, each of its warps WM x WN of
 * them; blocks of A and B that are BK deep are copied to local memory ahead of
 * use, STAGES of them at a time. Sums are float. Macros put in front:
 *
 *   #define BM 128       rows and columns of a group, depth of a block
 *   #define BN 256
 *   #define BK 16
 *   #define WM 64        rows and columns of a warp, multiples of 16
 *   #define WN 64
 *   #define STAGES 4
 *   #define AHEAD 3      STAGES - 1
 *   #define PENDING 2    STAGES - 2
 *   #define BAND 8       groups in a column that run together
 *   #define A_UNIT 1     stride that is 1: 1 along k, 2 along m
 *   #define B_UNIT 2     stride that is 1: 1 along k, 2 along n
 *   #define EDGES 0      1: sizes are not all multiples of BM, BN and BK
 *   #define NARROW "f16" PTX's name of the type; "bf16"
 *
 * A block lies in local memory as lines along its unit stride, in chunks of 8
 * elements (16 bytes). The other stride of A and B is a multiple of 8, and so
 * are their addresses; C has rows without gaps between elements. Work-groups
 * have one dimension. */
#define WARPS_N (BN / WN)
#define ITEMS (BM / WM * WARPS_N * 32)
#define MT (WM / 16) /* 16 x 8 squares of a warp */
#define NT (WN / 8)
#define KT (BK / 16) /* steps of a block */

#define SIZE 2
#define PANELS 0
#include "mma_tile.cl"
#include "mma_put.cl"

GA_INLINE void mma_read(uint *r, uint from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}

GA_INLINE void mma_read_turned(uint *r, uint from) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(from)
      : "memory");
}

/* Step kk of a block: rows `i` on of A and columns `j` on of B, as registers of
 * the instruction. Lanes name the lines of four squares of 8 x 8. */
GA_INLINE void mma_fragments(uint a[MT][4], uint b[NT][2], uint as, uint bs,
                          uint kk, uint i, uint j, uint lane) {
#pragma unroll
  for (uint t = 0; t < MT; ++t) {
#if A_UNIT == 1
    mma_read(a[t], as + mma_place(A_LINES, A_CHUNKS, i + t * 16 + (lane & 15),
                                  kk * 2 + (lane >> 4)));
#else
    mma_read_turned(a[t],
                    as + mma_place(A_LINES, A_CHUNKS,
                                   kk * 16 + (lane >> 4) * 8 + (lane & 7),
                                   i / 8 + t * 2 + (lane >> 3 & 1)));
#endif
  }
#pragma unroll
  for (uint t = 0; t < NT; t += 2) {
#if B_UNIT == 1
    mma_read(b[t], bs + mma_place(B_LINES, B_CHUNKS,
                                  j + t * 8 + (lane >> 4) * 8 + (lane & 7),
                                  kk * 2 + (lane >> 3 & 1)));
#else
    mma_read_turned(b[t], bs + mma_place(B_LINES, B_CHUNKS, kk * 16 + (lane & 15),
                                         j / 8 + t + (lane >> 4)));
#endif
  }
}

GA_INLINE void mma_multiply(float acc[MT][NT][4], uint a[MT][4], uint b[NT][2]) {
#pragma unroll
  for (uint i = 0; i < MT; ++i) {
#pragma unroll
    for (uint t = 0; t < NT; ++t) {
      const uint j = i % 2 == 0 ? t : NT - 1 - t;

      asm("mma.sync.aligned.m16n8k16.row.col.f32." NARROW "." NARROW
          ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]),
            "+f"(acc[i][j][3])
          : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]),
            "r"(b[j][0]), "r"(b[j][1]));
    }
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
     global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
     global char *cbuf, ulong coff, long crs, long ccs, long cbs, ulong m_,
     ulong n_, ulong k_, float alpha, float beta,
     float beta_low PARTS_PARAMS WINDOW_PARAMS P_PARAMS) {
  const product_scale scale = {alpha, beta, beta_low};
  local uint4 room[STAGES * STAGE_BYTES / 16];
  const uint base = (uint)(size_t)room;
  const uint me = get_local_id(0), lane = me & 31, warp = me >> 5;
  uint wi = warp / WARPS_N * WM, wj = warp % WARPS_N * WN;
#include "mma_group.cl"
  const long blocks = (k + BK - 1) / BK;
  uint fa[2][MT][4], fb[2][NT][2], now = 0;
  float acc[MT][NT][4];

#pragma unroll
  for (uint i = 0; i < MT; ++i) {
#pragma unroll
    for (uint j = 0; j < NT; ++j)
      acc[i][j][0] = acc[i][j][1] = acc[i][j][2] = acc[i][j][3] = 0;
  }

#define FRAGMENTS(f, s, kk)                                                    \
  mma_fragments(fa[f], fb[f], base + (s) * STAGE_BYTES,                        \
                base + (s) * STAGE_BYTES + A_BYTES, kk, wi, wj, lane)

#pragma unroll
  for (uint s = 0; s < STAGES; ++s)
    FETCH_BLOCK(s, s);
  asm volatile("cp.async.wait_group " TEXT(AHEAD) ";" ::: "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  FRAGMENTS(0, 0, 0);

  /* The last step of a block has its registers filled already: its stage is
   * free for a new block, and the next block's first step is read. */
#if KT == 1
#pragma unroll 2
#endif
  for (long block = 0; block < blocks; ++block) {
    const uint next = now + 1 == STAGES ? 0 : now + 1;

#pragma unroll
    for (uint kk = 0; kk < KT; ++kk) {
#if KT == 1
      const uint f = 0, g = 1;
#else
      const uint f = kk & 1, g = f ^ 1;
#endif

      if (kk < KT - 1) {
        FRAGMENTS(g, now, kk + 1);
      } else {
        asm volatile("cp.async.wait_group " TEXT(PENDING) ";" ::: "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
        FRAGMENTS(g, next, 0);
        FETCH_BLOCK(block + STAGES, now);
      }
      mma_multiply(acc, fa[f], fb[f]);
    }
#if KT == 1
#pragma unroll
    for (uint i = 0; i < MT; ++i) {
#pragma unroll
      for (uint e = 0; e < 4; ++e)
        fa[0][i][e] = fa[1][i][e];
    }
#pragma unroll
    for (uint j = 0; j < NT; ++j) {
      fb[0][j][0] = fb[1][j][0];
      fb[0][j][1] = fb[1][j][1];
    }
#endif
    now = next;
  }

  wi += lane >> 2;
P_BATCH(z)
#pragma unroll
  for (uint i = 0; i < MT; ++i) {
    const long row = wi + i * 16;
    global T *const to =
        (global T *)(cbuf + coff) + (long)get_group_id(2) * cbs + j0;
    const mma_pair pair = MMA_PAIR(i0 + row);

#pragma unroll
    for (uint j = 0; j < NT; j += 4) {
      const long col = wj + j * 8;
      float v[2][4][2];

#pragma unroll
      for (uint e = 0; e < 16; ++e)
        v[e / 8][e / 2 % 4][e % 2] = acc[i][j + e / 2 % 4][e / 8 * 2 + e % 2];
      mma_put(v, to + col, pair, m - row, n - col, j0 + col, lane,
              scale P_ARGS);
    }
  }
}
