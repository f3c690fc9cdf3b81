/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernel for CPUs over blocks of the two inner dimensions, where
 * some arrays are contiguous along dimension 1 and not along dimension 0.
 * Blocks of those are copied first, transposed, by the functions of
 * elemwise_pack.cl, so that every line of memory is touched once. Macros as
 * for elemwise_rows.cl, but:
 *
 *   PARAMS has ga_n0, ga_n1, the sizes of the inner dimensions; ga_segs and
 *     ga_blocks, the number of blocks along them; ga_n2 ... without the
 *     outermost, and strides;
 *     ga_rows ga_len       rows and columns of a block
 *     ga_pitch             elements from row to row of a packed block; no
 *                          power of 2, which would strain the cache
 *   #define BLOCK 69632    room for the elements of a packed block
 *   #define LOCALS local uint ga_t0[BLOCK]; ...
 *   #define OUTER          declares ga_k2, ... from ga_outer
 *   #define PACKS ga_pack_uint(ga_t0, ...); ...
 *
 * Local memory is the work-item's scratch here: groups have one item. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void elemwise(PARAMS) {
  LOCALS
  const ga_index ga_id = (ga_index)get_global_id(0);
  const ga_index ga_from = ga_id % ga_segs * ga_len;
  const ga_index ga_to = min(ga_from + ga_len, ga_n0);
  const ga_index ga_i = ga_id / ga_segs % ga_blocks * ga_rows;
  const ga_index ga_i_end = min(ga_i + ga_rows, ga_n1);
  const ga_index ga_outer = ga_id / ga_segs / ga_blocks;
  POINTERS
  VALUES
  OUTER
  PACKS

  for (ga_index ga_k1 = ga_i; ga_k1 < ga_i_end; ++ga_k1) {
    ga_index ga_j = ga_from;
    ROW_POINTERS
#if LANES > 1
#define W_LANES EXPR_LANES
    for (; ga_j + LANES <= ga_to; ga_j += LANES)
      STEP_W
#undef W_LANES
#endif
#define W_LANES
#if LANES > 1
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (; ga_j < ga_to; ++ga_j)
      STEP_1
  }
}
