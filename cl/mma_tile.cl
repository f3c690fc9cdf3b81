/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of A and B on their way to local memory, for products on tensor cores.
 * Included by hgemm_mma.cl and gemm_wgmma.cl, which say what the macros mean;
 * besides
 *
 *   #define ITEMS 256    work-items of a group
 *   #define SIZE 2       bytes of an element
 *   #define PANELS 0     how blocks lie, see mma_place
 *   #define PARTS 0      1: a group sums over `run` of k only. T is float, and C
 *                        has n_parts matrices for each product, which
 *                        mma_join.cl adds up
 *   #define C_DIGITS 0   1: rows of C are columns of the window, which lie by
 *                        their digits; 0: C is a matrix
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

#ifndef WINDOW
#define WINDOW_PARAMS
#endif

#if PARTS
#define PARTS_PARAMS , ulong run, ulong n_parts
#else
#define PARTS_PARAMS
#endif

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

/* Start to copy 16 bytes to local memory, or fewer with zeros behind them. */
GA_INLINE void mma_start(uint to, ulong from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
               "l"(from), "r"(bytes)
               : "memory");
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

    mma_start(at + l * step_bytes,
              bytes > 0 ? from + l * step * ld * SIZE : from, bytes);
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     at + l * step_bytes),
                 "l"(from + l * step * ld * SIZE)
                 : "memory");
#endif
  }
}

#ifdef WINDOW
/* A is read through a window (conv_window.cl). A work-item copies the same chunk
 * of each of its lines. */
#define WINDOW_COPIES (A_LINES * A_CHUNKS / ITEMS)
#define WINDOW_STEP (ITEMS / A_CHUNKS)
#endif

#if defined(WINDOW) && A_UNIT == 1
/* A line of a block is a column of the window, and its chunks are neighbouring
 * channels, which are the last digit of the sum. */

/* The lines of a work-item in the group whose first line is i0, of m lines. */
GA_INLINE void mma_window_lines(window_place line[WINDOW_COPIES],
                                const window *w, long i0, long m, uint me) {
#pragma unroll
  for (uint l = 0; l < WINDOW_COPIES; ++l) {
    const long i = i0 + me / A_CHUNKS + l * WINDOW_STEP;
    int d[4];

    window_digits(d, min(i, m - 1), w->j);
    line[l] = window_of_column(d, w);
    if (i >= m)
      line[l].at[2] = -3 * (1 << 29); /* outside: no position exceeds it */
  }
}

/* A work-item's chunk of a block: the digits of its first index of the sum, what
 * they add to places, and a bit for each line whose positions are inside. */
typedef struct mma_chunk {
  window_index at;
  window_place sum;
  uint has;
} mma_chunk;

GA_INLINE mma_chunk mma_chunk_of(window_index at, const window *w,
                                 const window_place line[WINDOW_COPIES]) {
  mma_chunk r = {at, window_of_sum(at.d, w), 0};

#pragma unroll
  for (uint l = 0; l < WINDOW_COPIES; ++l)
    r.has |= window_has(line[l], r.sum, w) ? 1u << l : 0;
  return r;
}

/* The chunk in the next block. Most often its channels have the same
 * positions. */
GA_INLINE mma_chunk mma_next_chunk(mma_chunk r, window_index step,
                                   const window *w,
                                   const window_place line[WINDOW_COPIES]) {
  if (r.at.d[3] + BK >= w->p.n[2])
    return mma_chunk_of(window_next(r.at, step, w->p), w, line);
  r.at.d[3] += BK;
  r.sum.off += BK;
  return r;
}

/* Start to copy a block of A, of which `left` indices of the sum are left. */
GA_INLINE void mma_copy_window(uint to, ulong from, mma_chunk chunk,
                               const window_place line[WINDOW_COPIES],
                               long left, uint me) {
  const uint c = me % A_CHUNKS;
  const uint at = to + mma_place(A_LINES, A_CHUNKS, me / A_CHUNKS, c);
  const uint step_bytes = PANELS ? WINDOW_STEP * 128 : ITEMS * 16;

#pragma unroll
  for (uint l = 0; l < WINDOW_COPIES; ++l) {
    const int has = c * CHUNK < left && (chunk.has >> l & 1) != 0;

    mma_start(at + l * step_bytes,
              has ? from + (line[l].off + chunk.sum.off) * SIZE : from,
              has ? 16 : 0);
  }
}

#define FETCH_A(to, left)                                                      \
  do {                                                                         \
    mma_copy_window(to, a, chunk, lines, left, me);                            \
    chunk = mma_next_chunk(chunk, step, &win, lines);                          \
  } while (0)
#elif defined(WINDOW)
/* A line of a block is an index of the sum, and its chunks are neighbouring
 * channels, which are the last digit of columns. So the positions of a chunk
 * stay, and those of lines are new in each block. */

/* The chunk of a work-item in the group whose first column is i0, of m
 * columns. */
GA_INLINE window_place mma_window_chunk(const window *w, long i0, long m,
                                        uint me) {
  const long i = i0 + me % A_CHUNKS * CHUNK;
  window_place r;
  int d[4];

  window_digits(d, min(i, m - 1), w->j);
  r = window_of_column(d, w);
  if (i >= m)
    r.at[2] = -3 * (1 << 29); /* outside: no position exceeds it */
  return r;
}

/* The digits of a work-item's lines in the block that begins at `from`. */
GA_INLINE void mma_window_lines(window_index line[WINDOW_COPIES],
                                const window *w, long from, uint me) {
#pragma unroll
  for (uint l = 0; l < WINDOW_COPIES; ++l)
    line[l] = window_index_of(from + me / A_CHUNKS + l * WINDOW_STEP, w);
}

/* Start to copy a block of A, of which `left` lines are left. Each of `line`
 * goes to the one in the block after it. Places in an image fit 31 bits. */
GA_INLINE void mma_copy_window(uint to, ulong from, window_place chunk,
                               window_index line[WINDOW_COPIES],
                               window_index step, const window *w, long left,
                               uint me) {
  const uint r0 = me / A_CHUNKS;
  const uint at = to + mma_place(A_LINES, A_CHUNKS, r0, me % A_CHUNKS);
  const uint step_bytes = PANELS ? WINDOW_STEP * 128 : ITEMS * 16;
  const uint lines = (uint)min(left, (long)BK);

#pragma unroll
  for (uint l = 0; l < WINDOW_COPIES; ++l) {
    int has = r0 + l * WINDOW_STEP < lines;
    uint in = (uint)chunk.off;

#pragma unroll
    for (int t = 0; t < 3; ++t) {
      const int place = line[l].d[t + 1] * w->pt[t];

      in += (uint)place * (uint)w->s[t];
      has &= window_is_inside(chunk.at[t], place, w->x[t]);
    }
    mma_start(at + l * step_bytes,
              has ? from + (line[l].d[0] * w->ps + (int)in) * SIZE : from,
              has ? 16 : 0);
    line[l] = window_next(line[l], step, w->p);
  }
}

#define FETCH_A(to, left)                                                      \
  mma_copy_window(to, a, chunk, lines, step, &win, left, me)
#else
#define FETCH_A(to, left)                                                      \
  mma_copy(to, a, lda, A_LINES, A_CHUNKS, A_UNIT == 1 ? m : left,              \
           A_UNIT == 1 ? left : m, me)
#endif

/* Block number `block` into stage `s`, by the names of the kernel; an empty
 * group of copies past the end keeps the count. */
#define FETCH_BLOCK(block, s)                                                  \
  do {                                                                         \
    const long left_ = k - (block) * BK;                                       \
    if (left_ > 0) {                                                           \
      FETCH_A(base + (s) * STAGE_BYTES, left_);                                \
      mma_copy(base + (s) * STAGE_BYTES + A_BYTES, b, ldb, B_LINES, B_CHUNKS,  \
               B_UNIT == 1 ? n : left_, B_UNIT == 1 ? left_ : n, me);          \
      a += a_step;                                                             \
      b += b_step;                                                             \
    }                                                                          \
    asm volatile("cp.async.commit_group;" ::: "memory");                       \
  } while (0)
