/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations on a GPU along rows: a team of work-items does a row, or one part
 * of it, tile by tile. Neighbours load neighbouring elements; through local
 * memory each gets a run of its own, whose total is combined with those of the
 * runs before. Macros are those of cumulate_row.cl, and
 *
 *   #define C_GROUP 128     work-items of a group
 *   #define C_TEAM 128      work-items of a row
 *   #define C_RUN 8         elements of a work-item
 *   #define C_FREE 1057     places of local memory for a tile, with gaps
 *   #define C_LOCALS(n)     declares local memory for n states
 *   c_put(locals, i, s), c_get(locals, i, s)
 *
 * Rows of a group go through as many tiles, so all come to each barrier. With
 * C_PASS 3 a row is a chain (chain.cl), each tile is a part, and a team is a
 * group. */
#define C_TILE (C_TEAM * C_RUN)
#define C_BATCH (C_RUN < 16 ? C_RUN : 16)
/* Runs begin in different banks. */
#define C_PAD(i) ((i) + (i) / 32)
/* Where element u of a work-item's run is, and element u of those that it loads
 * and stores, which is of run C_OF_RUN. In a chain what does not depend on u is
 * added first, so that the rest is a constant of an unrolled loop. */
#if C_PASS == 3 && C_TEAM % 32 == 0 && C_TEAM % C_RUN == 0
#define C_OWN(u) (C_PAD(first) + (u))
#define C_CROSS(u) (C_PAD(place + lane) + (u) * C_PAD(C_TEAM))
#define C_OF_RUN(u) ((place + lane) / C_RUN + (u) * (C_TEAM / C_RUN))
#define C_UNROLL _Pragma("unroll 8")
#else
#define C_OWN(u) C_PAD(first + (u))
#define C_CROSS(u) C_PAD(place + ((u) * C_TEAM + lane))
#define C_OF_RUN(u) ((place + ((u) * C_TEAM + lane)) / C_RUN)
#define C_UNROLL
#endif
#if C_PASS == 3
#define C_PLACES C_CHAIN_PLACES
#else
#define C_PLACES (C_FREE + C_GROUP)
#endif
#if C_REVERSED
#define C_AT(j) (n - 1 - (j))
#else
#define C_AT(j) (j)
#endif

/* Each lane's state becomes that of all lanes before it; `total` becomes that
 * of all. Every work-item of the group comes here. */
GA_INLINE void c_team(C_LOCAL_PARAMS const uint item, const uint lane,
                      c_state_1 *s, c_state_1 *total) {
  const uint me = C_FREE + item;
  c_state_1 t;

  c_put(C_LOCAL_PASS me, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < C_TEAM; step *= 2) {
    if (lane >= step)
      c_get(C_LOCAL_PASS me - step, &t);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= step) {
      c_combine_1(&t, s, s);
      c_put(C_LOCAL_PASS me, s);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c_neutral_1(s);
  if (lane > 0)
    c_get(C_LOCAL_PASS me - 1, s);
  c_get(C_LOCAL_PASS me - lane + C_TEAM - 1, total);
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Global size: groups for rows x parts of `chunk` elements. */
kernel void cumulate_team(C_PARAMS, const ulong n_rows_, const ulong n_,
                          const ulong per_, const ulong chunk_ C_WORKS) {
  C_LOCALS(C_PLACES)
  const R_IDX n_rows = (R_IDX)n_rows_, n = (R_IDX)n_;
  const uint me = get_local_id(0), lane = me % C_TEAM;
  const uint place = (me - lane) * C_RUN;
#if C_PASS == 3
  const uint parts = (uint)((n + (C_TILE - 1)) / C_TILE);
  const R_IDX part = (R_IDX)get_group_id(1) - C_ADDS;
  local uint words[2];
#else
  const R_IDX part = (R_IDX)get_group_id(1);
#endif
  const R_IDX row =
      (R_IDX)get_group_id(0) * (C_GROUP / C_TEAM) + me / C_TEAM;
  const R_IDX from = min(n, part * (R_IDX)chunk_);
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);
  const R_IDX o = min(row, n_rows - 1);
  c_state_1 carry, s, t;
  C_BASES(o)

#if C_PASS == 3 && C_ADDS
  if (get_group_id(1) == 0) {
    chain_add(C_LOCAL_PASS me, parts, C_PATIENCE, o, n_rows, parts, c_slots,
              words);
    return;
  }
#endif
  c_neutral_1(&carry);
#if C_PASS == 2
  {
    /* Each lane takes a share of the parts before this one. */
    const R_IDX share = (part + C_TEAM - 1) / C_TEAM;
    const R_IDX end = min(part, (lane + 1) * share);
    c_neutral_1(&s);
    for (R_IDX k = lane * share; k < end; ++k) {
      c_get_part_1(C_WORKS_PASS(size_t)k * n_rows + o, &t);
      c_combine_1(&s, &t, &s);
    }
    c_team(C_LOCAL_PASS me, lane, &s, &carry);
  }
#endif
  for (R_IDX tile = from; tile < to;) {
    const uint count = (uint)min(to - tile, (R_IDX)C_TILE);
    const uint first = place + lane * C_RUN;
    c_state_1 total;

    /* All loads of a batch come first. Those of a part that is a whole tile have
     * constant distances; a tile that ends early repeats its last element. */
    if (C_PASS == 3 && count == C_TILE) {
#pragma unroll
      for (uint u = 0; u < C_RUN; u += C_BATCH) {
        c_state_1 batch[C_BATCH];
#pragma unroll
        for (uint k = 0; k < C_BATCH; ++k)
          c_map_1(C_ARGS(C_AT(tile + lane + (u + k) * C_TEAM), 0), &batch[k]);
#pragma unroll
        for (uint k = 0; k < C_BATCH; ++k)
          c_put(C_LOCAL_PASS C_CROSS(u + k), &batch[k]);
      }
    } else {
      for (uint u = 0; u < C_RUN; u += C_BATCH) {
        c_state_1 batch[C_BATCH];
#pragma unroll
        for (uint k = 0; k < C_BATCH; ++k) {
          const uint e = (u + k) * C_TEAM + lane;
          c_map_1(C_ARGS(C_AT(tile + min(e, count - 1)), 0), &batch[k]);
        }
#pragma unroll
        for (uint k = 0; k < C_BATCH; ++k) {
          const uint e = (u + k) * C_TEAM + lane;
          if (e >= count)
            c_neutral_1(&batch[k]);
          c_put(C_LOCAL_PASS C_CROSS(u + k), &batch[k]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* A run becomes the results from its own start on. */
    c_neutral_1(&total);
    C_UNROLL
    for (uint u = 0; u < C_RUN; ++u) {
      c_get(C_LOCAL_PASS C_OWN(u), &s);
      if (C_PASS != 1 && C_EXCLUSIVE)
        c_put(C_LOCAL_PASS C_OWN(u), &total);
      c_combine_1(&total, &s, &total);
      if (C_PASS != 1 && !C_EXCLUSIVE)
        c_put(C_LOCAL_PASS C_OWN(u), &total);
    }
    c_team(C_LOCAL_PASS me, lane, &total, &t);
    R_IDX next = tile + C_TILE;
#if C_PASS == 3
    /* The tile may be that of an earlier part, whose total was missing. */
    const uint needed =
        chain_step(C_LOCAL_PASS me, (uint)(tile / C_TILE), (uint)part, o,
                   n_rows, parts, c_slots, words, &t, &carry);
    next = needed < parts ? (R_IDX)needed * C_TILE : to;
    if (needed == parts)
#endif
    {
#if C_PASS != 1
      c_combine_1(&carry, &total, &total);
      c_put(C_LOCAL_PASS C_FREE + me, &total);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int is_full = C_PASS == 3 && count == C_TILE && row < n_rows;
      C_UNROLL
      for (uint u = 0; u < C_RUN; ++u) {
        const uint e = u * C_TEAM + lane;
        c_state_1 before;
        c_get(C_LOCAL_PASS C_FREE + C_OF_RUN(u), &before);
        c_get(C_LOCAL_PASS C_CROSS(u), &s);
        c_combine_1(&before, &s, &s);
        if (is_full || (e < count && row < n_rows))
          c_post_1(C_ARGS(C_AT(tile + e), 0), &s);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    c_combine_1(&carry, &t, &carry);
    tile = next;
  }
#if C_PASS == 1
  if (lane == 0 && row < n_rows)
    c_set_part_1(C_WORKS_PASS(size_t)part * n_rows + o, &carry);
#endif
}
