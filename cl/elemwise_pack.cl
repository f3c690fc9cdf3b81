/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies a block of memory, transposed; for elemwise_block.cl. The text stands
 * once in a program for every size of element. Macros in front of it:
 *
 *   #define PACK_T uint               unsigned integer of that size
 *   #define PACK_FN ga_pack_uint */
#define PACK_8 GA_JOIN(PACK_T, 8)

/* to[i * pitch + j] = from[j * stride + i] for i < ni, j < nj. */
GA_INLINE void PACK_FN(local PACK_T *to, global const PACK_T *from,
                    const ga_index pitch, const ga_index stride,
                    const uint ni, const uint nj) {
  uint j = 0;

  for (; j + 8 <= nj; j += 8) {
    uint i = 0;

    for (; i + 8 <= ni; i += 8) {
      global const PACK_T *p = from + j * stride + i;
      PACK_8 v[8];

#pragma unroll
      for (uint k = 0; k < 8; ++k)
        v[k] = GA_LOAD8(p + k * stride);
      GA_TURN8(PACK_8, v)
#pragma unroll
      for (uint k = 0; k < 8; ++k)
        GA_STORE_IN(local, 8, v[k], to + (i + k) * pitch + j);
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
#undef PACK_T
#undef PACK_FN
