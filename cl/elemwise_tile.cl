/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernel for GPUs over tiles of the two inner dimensions, where
 * some arrays are contiguous along dimension 1 and not along dimension 0.
 * Tiles of those pass through local memory, so that every access to global
 * memory is a vector next to the neighbouring work-item's. Macros as for
 * elemwise_block.cl, but:
 *
 *   #define TILE_I 64      rows of a tile, in dimension 1
 *   #define TILE_J 64      its columns, in dimension 0
 *   #define ITEMS 256      work-items of a group; they share the vectors of a
 *                          tile evenly
 *   #define LOCALS local uint ga_t0[TILE_J * (TILE_I + 1)]; ...
 *                          the odd length of a line avoids bank conflicts
 *   #define FILL_W ...     elements (ga_k1, ga_j), (ga_k1 + 1, ga_j), ... to
 *                          ga_t0[ga_at], ga_t0[ga_at + 1], ...
 *   #define FILL_1 ...     one element
 *
 * STEP_W and STEP_1 find the first element of a packed array at ga_at. */
#define LINE (TILE_I + 1)
#define VECTORS (TILE_I * TILE_J / LANES)
#define VECTORS_I (TILE_I / LANES)
#define VECTORS_J (TILE_J / LANES)

kernel void elemwise(PARAMS) {
  LOCALS
  const uint ga_me = get_local_id(0);
  const ga_index ga_id = (ga_index)get_group_id(0);
  const ga_index ga_from = ga_id % ga_segs * TILE_J;
  const ga_index ga_i = ga_id / ga_segs % ga_blocks * TILE_I;
  const ga_index ga_outer = ga_id / ga_segs / ga_blocks;
  POINTERS
  VALUES
  OUTER

#pragma unroll
  for (uint ga_u = 0; ga_u < VECTORS / ITEMS; ++ga_u) {
    const uint ga_e = ga_u * ITEMS + ga_me;
    const ga_index ga_j = ga_from + ga_e / VECTORS_I;
    ga_index ga_k1 = ga_i + ga_e % VECTORS_I * LANES;
    uint ga_at = ga_e / VECTORS_I * LINE + ga_e % VECTORS_I * LANES;

#if LANES > 1
    if (ga_j < ga_n0) {
      if (ga_k1 + LANES <= ga_n1) {
        FILL_W
      } else {
        for (; ga_k1 < ga_n1; ++ga_k1, ++ga_at) {
          FILL_1
        }
      }
    }
#else
    if (ga_j < ga_n0 && ga_k1 < ga_n1) {
      FILL_1
    }
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
  for (uint ga_u = 0; ga_u < VECTORS / ITEMS; ++ga_u) {
    const uint ga_e = ga_u * ITEMS + ga_me;
    const ga_index ga_k1 = ga_i + ga_e / VECTORS_J;
    ga_index ga_j = ga_from + ga_e % VECTORS_J * LANES;
    uint ga_at = ga_e % VECTORS_J * LANES * LINE + ga_e / VECTORS_J;

#if LANES > 1
    if (ga_k1 < ga_n1) {
      ROW_POINTERS
#define W_LANES EXPR_LANES
      if (ga_j + LANES <= ga_n0)
        STEP_W
      else
#undef W_LANES
#define W_LANES
        for (; ga_j < ga_n0; ++ga_j, ga_at += LINE)
          STEP_1
#undef W_LANES
    }
#else
#define W_LANES
    if (ga_k1 < ga_n1 && ga_j < ga_n0) {
      ROW_POINTERS
      STEP_1
    }
#endif
  }
}
