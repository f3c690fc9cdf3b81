/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernel for GPUs over tiles of the two inner dimensions, where
 * some arrays are contiguous along dimension 1 and not along dimension 0.
 * Tiles of those pass through local memory, so that neighbouring work-items
 * always touch neighbouring elements. Macros as for elemwise_block.cl, but:
 *
 *   #define TILE_I 32      rows of a tile, in dimension 1
 *   #define TILE_J 32      its columns, in dimension 0
 *   #define ITEMS 256      work-items of a group; divides TILE_I * TILE_J
 *   #define LOCALS local uint ga_t0[TILE_J * (TILE_I + 1)]; ...
 *                          the odd length of a line avoids bank conflicts
 *   #define FILL ga_t0[ga_at] = ...     element (ga_k1, ga_j)
 *
 * STEP_1 finds the element of a packed array at ga_at. */
#define W_LANES

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
  for (uint ga_u = 0; ga_u < TILE_I * TILE_J / ITEMS; ++ga_u) {
    const uint ga_e = ga_u * ITEMS + ga_me;
    const ga_index ga_k1 = ga_i + ga_e % TILE_I;
    const ga_index ga_j = ga_from + ga_e / TILE_I;
    const uint ga_at = ga_e / TILE_I * (TILE_I + 1) + ga_e % TILE_I;

    if (ga_k1 < ga_n1 && ga_j < ga_n0) {
      FILL
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
  for (uint ga_u = 0; ga_u < TILE_I * TILE_J / ITEMS; ++ga_u) {
    const uint ga_e = ga_u * ITEMS + ga_me;
    const ga_index ga_k1 = ga_i + ga_e / TILE_J;
    const ga_index ga_j = ga_from + ga_e % TILE_J;
    const uint ga_at = ga_e % TILE_J * (TILE_I + 1) + ga_e / TILE_J;

    if (ga_k1 < ga_n1 && ga_j < ga_n0) {
      ROW_POINTERS
      STEP_1
    }
  }
}
