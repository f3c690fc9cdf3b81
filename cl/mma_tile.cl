/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of A and B on their way to local memory, and elements of C on their
 * way back, for products on tensor cores. Included by hgemm_mma.cl and gemm_wgmma.cl, which say what the macros mean;
 * besides
 *
 *   #define ITEMS 256    work-items of a group
 *   #define SIZE 2       bytes of an element
 *   #define PANELS 0     how blocks lie, see mma_place
 */
#define CHUNK (16 / SIZE) /* elements that are copied as one */
#if A_UNIT == 1
#define A_LINES BM
#define A_CHUNKS (BK / CHUNK)
#else
#define A_LINES BK
#define A_CHUNKS (BM / CHUNK)
#endif
#if B_UNIT == 1
#define B_LINES BN
#define B_CHUNKS (BK / CHUNK)
#else
#define B_LINES BK
#define B_CHUNKS (BN / CHUNK)
#endif
#define A_BYTES (BM * BK * SIZE)
#define STAGE_BYTES (A_BYTES + BN * BK * SIZE)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Where chunk c of line r is kept, in bytes: eight lines that are read together
 * must not share banks. In panels, a line has 8 chunks, and further ones are in
 * the same line of the panels that follow. */
GA_INLINE uint mma_place(uint n_lines, uint chunks, uint r, uint c) {
#if PANELS
  return ((c >> 3) * n_lines + r) * 128 + ((c ^ r) & 7) * 16;
#else
  const uint turn = chunks >= 8 ? r & 7 : chunks == 4 ? r >> 1 & 3 : r >> 2 & 1;

  return (r * chunks + (c ^ turn)) * 16;
#endif
}

/* Start to copy a block to local memory. The block's first element is at
 * `from`; `lines` and `length` tell what the matrix has left. */
GA_INLINE void mma_copy(uint to, ulong from, long ld, uint n_lines, uint chunks,
                     long lines, long length, uint me) {
  const uint r0 = me / chunks, c = me % chunks, step = ITEMS / chunks;
  const uint at = to + mma_place(n_lines, chunks, r0, c);
  const uint step_bytes = PANELS ? step * 128 : ITEMS * 16;

  from += (r0 * ld + c * CHUNK) * SIZE;
#pragma unroll
  for (uint l = 0; l < n_lines * chunks / ITEMS; ++l) {
#if EDGES
    const long left = r0 + l * step < lines ? (length - c * CHUNK) * SIZE : 0;
    const int bytes = (int)clamp(left, 0L, 16L);

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     at + l * step_bytes),
                 "l"(bytes > 0 ? from + l * step * ld * SIZE : from), "r"(bytes)
                 : "memory");
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     at + l * step_bytes),
                 "l"(from + l * step * ld * SIZE)
                 : "memory");
#endif
  }
}

/* Block number `block` into stage `s`, by the names of the kernel; an empty
 * group of copies past the end keeps the count. */
#define FETCH(block, s)                                                        \
  do {                                                                         \
    const long left_ = k - (block) * BK;                                       \
    if (left_ > 0) {                                                           \
      mma_copy(base + (s) * STAGE_BYTES, a, lda, A_LINES, A_CHUNKS,            \
               A_UNIT == 1 ? m : left_, A_UNIT == 1 ? left_ : m, me);          \
      mma_copy(base + (s) * STAGE_BYTES + A_BYTES, b, ldb, B_LINES, B_CHUNKS,  \
               B_UNIT == 1 ? n : left_, B_UNIT == 1 ? left_ : n, me);          \
      a += a_step;                                                             \
      b += b_step;                                                             \
    }                                                                          \
    asm volatile("cp.async.commit_group;" ::: "memory");                       \
  } while (0)

/* Two neighbours of a row of C, from (i, j) on; `n` of them exist. */
GA_INLINE void mma_write(global T *to, float x, float y, long n, long i, long j,
                      product_scale s P_PARAMS) {
#if C_PAIRS && !EDGES
  n = 2;
#endif
#if C_PAIRS && !defined(EPILOGUE)
  if (n > 1) {
    x = product_value(x, to, s);
    y = product_value(y, to + 1, s);
#if SIZE == 2
    uint both;

    asm("cvt.rn." NARROW "x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    *(global uint *)to = both;
#else
    *(global float2 *)to = (float2)(x, y);
#endif
    return;
  }
#endif
  if (n > 0)
    product_put(x, to, i, j, s P_ARGS);
  if (n > 1)
    product_put(y, to + 1, i, j + 1, s P_ARGS);
}
