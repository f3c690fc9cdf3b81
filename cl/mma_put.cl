/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of C on their way back from kernels for tensor cores. Of each square
 * of 16 x 8 sums a lane has two neighbours in one row, and two in the row 8
 * below it. The four lanes of a quad, which have the same rows, exchange them,
 * so that each has all 8 neighbours of one square in four. These are put as one
 * vector. Stands behind mma_tile.cl. */

#if C_ALIGNED
/* Store 8 neighbours, which are aligned as one vector: STC. */
GA_INLINE void mma_store(const WV v, global T *to) {
#if SIZE == 2 && !PARTS
  const float of[8] = {v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7};
  uint pairs[4];

#pragma unroll
  for (uint i = 0; i < 4; ++i)
    asm("cvt.rn." NARROW "x2.f32 %0, %1, %2;"
        : "=r"(pairs[i])
        : "f"(of[2 * i + 1]), "f"(of[2 * i]));
  *(global uint4 *)to = (uint4)(pairs[0], pairs[1], pairs[2], pairs[3]);
#else
  *(global float4 *)to = v.lo;
  *(global float4 *)(to + 4) = v.hi;
#endif
}
#endif

GA_INLINE float mma_swap(float v, uint by) {
  float to;

  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=f"(to)
               : "f"(v), "r"(by));
  return to;
}

/* Exchange one of two pairs with the lane whose number differs in bit `by`: the
 * lower lane gets the low pair of both, the upper one the high pair. */
GA_INLINE void mma_trade(float low[2], float high[2], uint lane, uint by) {
  const int is_upper = (lane & by) != 0;

#pragma unroll
  for (uint e = 0; e < 2; ++e) {
    const float other = mma_swap(is_upper ? low[e] : high[e], by);

    low[e] = is_upper ? other : low[e];
    high[e] = is_upper ? high[e] : other;
  }
}

/* Exchange the pairs of 4 squares: afterwards, v[q] is what lane q of the quad
 * had of the square with this lane's number. */
GA_INLINE void mma_exchange(float v[4][2], uint lane) {
  mma_trade(v[0], v[1], lane, 1);
  mma_trade(v[2], v[3], lane, 1);
  mma_trade(v[0], v[2], lane, 2);
  mma_trade(v[1], v[3], lane, 2);
}

/* Two rows of C, 8 apart: where they begin, and which they are. */
typedef struct mma_pair {
  long at[2];
#if C_DIGITS
  window_index d[2];
#else
  long i;
#endif
} mma_pair;

#if C_DIGITS
GA_INLINE mma_pair mma_pair_of(long i, const window *w) {
  mma_pair r;

#pragma unroll
  for (uint h = 0; h < 2; ++h) {
    window_digits(r.d[h].d, i + h * 8, w->j);
    r.at[h] = window_c(r.d[h].d, w);
  }
  return r;
}

#define MMA_PAIR(i) mma_pair_of(i, &win)
#define MMA_DIGIT(h, t) ((h) ? pair.d[1].d[t] : pair.d[0].d[t])
#define MMA_AT(h, j)                                                           \
  MMA_DIGIT(h, 3), j, MMA_DIGIT(h, 2), MMA_DIGIT(h, 1), MMA_DIGIT(h, 0)
#else
GA_INLINE mma_pair mma_pair_of(long i, long crs) {
  const mma_pair r = {{i * crs, (i + 8) * crs}, i};

  return r;
}

#define MMA_PAIR(i) mma_pair_of(i, crs)
#ifdef WINDOW
#define MMA_AT(h, j) pair.i + (h) * 8, j, 0, 0, 0
#else
#define MMA_AT(h, j) pair.i + (h) * 8, j
#endif
#endif

#define MMA_PLACE(h, e)                                                        \
  to + ((h) ? pair.at[1] : pair.at[0]) + (e), MMA_AT(h, j + (e)), s P_ARGS

#if EDGES || !PUT_VECTORS
/* Put those of 16 sums that exist, one after the other. Kernels are faster
 * without code for each of them. */
GA_INLINE void mma_put_each(const WV a, const WV b, global T *to,
                            const mma_pair pair, long m, long n, long j,
                            product_scale s P_PARAMS) {
  float v[16];

  vstore8(a, 0, v);
  vstore8(b, 1, v);
#pragma unroll 1
  for (uint q = 0; q < 16; ++q)
    if (q / 8 * 8 < m && q % 8 < n)
      product_put(v[q], MMA_PLACE(q / 8, q % 8));
}
#endif

/* Put the sums of both rows in 4 squares side by side. They begin with column j,
 * which is at `to` in a row that begins at 0. C has m rows left, and n columns. */
GA_INLINE void mma_put(float v[2][4][2], global T *to, const mma_pair pair,
                       long m, long n, long j, uint lane,
                       product_scale s P_PARAMS) {
  const long away = (lane & 3) * 8;
  WV sum[2];

#pragma unroll
  for (uint h = 0; h < 2; ++h) {
    mma_exchange(v[h], lane);
    sum[h] = (WV)(v[h][0][0], v[h][0][1], v[h][1][0], v[h][1][1], v[h][2][0],
                  v[h][2][1], v[h][3][0], v[h][3][1]);
  }
  to += away;
  j += away;
#if EDGES || !PUT_VECTORS
  if (!PUT_VECTORS || m <= 8 || n < away + 8) {
    mma_put_each(sum[0], sum[1], to, pair, m, n - away, j, s P_ARGS);
    return;
  }
#endif
#if PUT_VECTORS
  const product_read a = product_read_v(MMA_PLACE(0, 0));
  const product_read b = product_read_v(MMA_PLACE(1, 0));

  product_put_read(sum[0], a, MMA_PLACE(0, 0));
  product_put_read(sum[1], b, MMA_PLACE(1, 0));
#endif
}
