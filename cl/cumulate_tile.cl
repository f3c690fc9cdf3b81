/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations on a GPU along columns: a group does C_COLS columns side by side,
 * or one part of their rows, tile by tile. Each work-item has a run of rows of
 * one column in registers; the totals of runs are combined through local
 * memory. Macros are those of cumulate_row.cl, where a row of the axis is a
 * column here, and
 *
 *   #define C_GROUP 256     work-items of a group
 *   #define C_COLS 32       columns of a group
 *   #define C_RUN 32        rows of a work-item
 *   C_LOCALS(n), c_put(locals, i, s), c_get(locals, i, s) as in
 *   cumulate_team.cl
 *
 * With C_PASS 3 each column is a chain (chain.cl), and each tile is a part. */
#define C_RUNS (C_GROUP / C_COLS)
#define C_TILE (C_RUNS * C_RUN)
#if C_PASS == 3
#define C_PLACES C_CHAIN_PLACES
#else
#define C_PLACES C_GROUP
#endif
#if C_REVERSED
#define C_AT(j) (n - 1 - (j))
#else
#define C_AT(j) (j)
#endif

/* Global size: groups for columns x parts of `chunk` rows. */
kernel void cumulate_tile(C_PARAMS, const ulong n_cols_, const ulong n_,
                          const ulong per_, const ulong chunk_ C_WORKS) {
  C_LOCALS(C_PLACES)
  const R_IDX n_cols = (R_IDX)n_cols_, n = (R_IDX)n_;
  const uint me = get_local_id(0), x = me % C_COLS, y = me / C_COLS;
#if C_PASS == 3
  const uint parts = (uint)((n + (C_TILE - 1)) / C_TILE);
  const R_IDX part = (R_IDX)get_group_id(1) - C_ADDS;
  local uint words[2];
#else
  const R_IDX part = (R_IDX)get_group_id(1);
#endif
  const R_IDX strip = (R_IDX)get_group_id(0);
  const R_IDX from = min(n, part * (R_IDX)chunk_);
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);
  const int is_real = strip * C_COLS + x < n_cols;
  const R_IDX o = is_real ? strip * C_COLS + x : n_cols - 1;
  c_state_1 carry, s, t;
  C_BASES(o)

#if C_PASS == 3 && C_ADDS
  if (get_group_id(1) == 0) {
    chain_add(C_LOCAL_PASS me, parts, C_PATIENCE, o, n_cols, parts, c_slots,
              words);
    return;
  }
#endif
  c_neutral_1(&carry);
#if C_PASS == 2
  for (R_IDX k = 0; k < part; ++k) {
    c_get_part_1(C_WORKS_PASS(size_t) k * n_cols + o, &t);
    c_combine_1(&carry, &t, &carry);
  }
#endif
  for (R_IDX tile = from; tile < to;) {
    const R_IDX first = tile + y * C_RUN;
    c_state_1 run[C_RUN], total, before;

    for (uint u = 0; u < C_RUN; ++u) {
      c_neutral_1(&run[u]);
      if (first + u < n)
        c_map_1(C_ARGS(C_AT(first + u), 0), &run[u]);
    }
    c_neutral_1(&total);
    for (uint u = 0; u < C_RUN; ++u) {
#if C_EXCLUSIVE
      s = total;
      c_combine_1(&total, &run[u], &total);
      run[u] = s;
#else
      c_combine_1(&total, &run[u], &total);
      run[u] = total;
#endif
    }
    /* The runs before this one, and the total of all. */
    c_put(C_LOCAL_PASS me, &total);
    barrier(CLK_LOCAL_MEM_FENCE);
    c_neutral_1(&before);
    c_neutral_1(&t);
    for (uint k = 0; k < C_RUNS; ++k) {
      if (k == y)
        before = t;
      c_get(C_LOCAL_PASS k * C_COLS + x, &s);
      c_combine_1(&t, &s, &t);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    R_IDX next = tile + C_TILE;
#if C_PASS == 3
    /* The tile may be that of an earlier part, whose total was missing. */
    const uint needed =
        chain_step(C_LOCAL_PASS me, (uint)(tile / C_TILE), (uint)part, o,
                   n_cols, parts, c_slots, words, &t, &carry);
    next = needed < parts ? (R_IDX)needed * C_TILE : to;
    if (needed == parts)
#endif
    {
#if C_PASS != 1
      c_combine_1(&carry, &before, &before);
      for (uint u = 0; u < C_RUN; ++u) {
        c_combine_1(&before, &run[u], &s);
        if (first + u < to && is_real)
          c_post_1(C_ARGS(C_AT(first + u), 0), &s);
      }
#endif
    }
    c_combine_1(&carry, &t, &carry);
    tile = next;
  }
#if C_PASS == 1
  if (y == 0 && is_real)
    c_set_part_1(C_WORKS_PASS(size_t) part * n_cols + o, &carry);
#endif
}
