/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies a block of memory, transposed; for elemwise_block.cl. The text stands
 * once in a program for every size of element. Macros in front of it:
 *
 *   #define PACK_T uint               unsigned integer of that size
 *   #define PACK_FN ga_pack_uint
 *
 * Squares of 8 x 8 are transposed in registers: three rounds that exchange
 * halves, quarters and single elements between pairs of vectors. */
#define PACK_8 GA_JOIN(PACK_T, 8)

#define SWAP_HALVES(i, k)                                                      \
  a = v[i], b = v[k];                                                          \
  v[i] = (PACK_8)(a.lo, b.lo);                                                 \
  v[k] = (PACK_8)(a.hi, b.hi);
#define SWAP_PAIRS(i, k)                                                       \
  a = v[i], b = v[k];                                                          \
  v[i] = (PACK_8)(a.s01, b.s01, a.s45, b.s45);                                 \
  v[k] = (PACK_8)(a.s23, b.s23, a.s67, b.s67);
#define SWAP_ONES(i, k)                                                        \
  a = v[i], b = v[k];                                                          \
  v[i] = (PACK_8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);             \
  v[k] = (PACK_8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);

/* to[i * pitch + j] = from[j * stride + i] for i < ni, j < nj. */
static void PACK_FN(local PACK_T *to, global const PACK_T *from,
                    const ga_index pitch, const ga_index stride,
                    const uint ni, const uint nj) {
  uint j = 0;

  for (; j + 8 <= nj; j += 8) {
    uint i = 0;

    for (; i + 8 <= ni; i += 8) {
      global const PACK_T *p = from + j * stride + i;
      PACK_8 v[8], a, b;

#pragma unroll
      for (uint k = 0; k < 8; ++k)
        v[k] = vload8(0, p + k * stride);
      SWAP_HALVES(0, 4) SWAP_HALVES(1, 5) SWAP_HALVES(2, 6) SWAP_HALVES(3, 7)
      SWAP_PAIRS(0, 2) SWAP_PAIRS(1, 3) SWAP_PAIRS(4, 6) SWAP_PAIRS(5, 7)
      SWAP_ONES(0, 1) SWAP_ONES(2, 3) SWAP_ONES(4, 5) SWAP_ONES(6, 7)
#pragma unroll
      for (uint k = 0; k < 8; ++k)
        vstore8(v[k], 0, to + (i + k) * pitch + j);
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i < ni; ++i) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (uint k = j; k < j + 8; ++k)
        to[i * pitch + k] = from[k * stride + i];
    }
  }
#pragma clang loop vectorize(disable) unroll(disable)
  for (; j < nj; ++j) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint i = 0; i < ni; ++i)
      to[i * pitch + j] = from[j * stride + i];
  }
}

#undef PACK_8
#undef SWAP_HALVES
#undef SWAP_PAIRS
#undef SWAP_ONES
#undef PACK_T
#undef PACK_FN
