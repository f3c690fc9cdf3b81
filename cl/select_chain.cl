/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection in one pass on a GPU, after the macros and functions of select.cl:
 * each tile is a part, and groups hand counts on from part to part. Then
 * `select_fill` writes the rows after the last one. */
#include "chain_count.cl"
#include "chain.cl"

/* Each tile is a part. Global size: S_GROUP for the adder, and for each part.
 * The last slot gets the count. */
kernel void select_chain(S_OPERANDS, volatile global ulong *slots S_SIZES,
                         S_NUMBERS) {
  const uint me = get_local_id(0), parts = (uint)parts_;
  const uint part = (uint)get_group_id(0) - 1;
  const R_IDX n = (R_IDX)n_, most = (R_IDX)most_;
  global const S_WORD *const src = (global const S_WORD *)(src_p + src_o);
  global S_PART *restrict const dst = (global S_PART *)(dst_p + dst_o);
  S_FROM
  local uint sums[S_SUMS > C_CHAIN_PLACES ? S_SUMS : C_CHAIN_PLACES];
  local uint words[2];
  local ushort list[S_TILE];
  c_state_1 before = 0, sum;

  if (get_group_id(0) == 0) {
    chain_add(sums, me, parts, C_PATIENCE, 0, 1, parts, slots, words);
    return;
  }
  /* The tile may be that of an earlier part, whose count was missing. */
  for (uint here = part; here < parts;) {
    const R_IDX tile = here * S_TILE;
    const uint found = s_found(src, tile + me * S_RUN, n);

    s_list(list, found, s_before(sums, (uint)popcount(found), &sum));
    const uint needed = chain_step(sums, me, here, part, 0, 1, parts, slots,
                                   words, &sum, &before);
    if (needed == parts) {
      for (R_IDX i = me; before < most && i < min(sum, most - before);
           i += S_GROUP)
        S_PUT(before + i, tile + list[i]);
    }
    here = needed;
  }
  if (part == parts - 1 && me == 0) {
    slots[2 * parts] = before + sum;
#if S_TOTAL
    *(global long *)(total_p + total_o) = (long)(before + sum);
#endif
  }
}

/* Rows from slots[last] on get `fill`. Global size: any. */
kernel void select_fill(global char *dst_p, const ulong dst_o,
                        global const ulong *slots, const ulong last,
                        const ulong most, const S_ELEMENT fill) {
  global S_PART *const dst = (global S_PART *)(dst_p + dst_o);

  for (ulong i = slots[last] * S_ROW + get_global_id(0); i < most * S_ROW;
       i += get_global_size(0))
    S_STORE(i, fill);
}
