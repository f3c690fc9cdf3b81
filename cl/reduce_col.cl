/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction across the inner kept axis: each lane is a column of its own.
 * Macros as for reduce_row.cl, but
 *
 *   #define R_COLS ((R_IDX)kn1)     length of the inner kept axis
 *   #define R_KEPT_BASE(o)          o counts the other kept axes
 *   #define R_MAP_W(j, c), R_MAP_1(j, c)   element j of the run, column c
 *   #define R_AT_W(j), R_AT_1(j)    the same position in every lane
 *   #define R_VECS 64               vectors of columns per work-item
 *   #define R_WIDE 1                work-items side by side in a group
 *   #define R_BLOCK 8               rows before a merge
 *
 * The space is cut in units: one setting of the other kept axes, and a strip
 * of R_WIDE * R_VECS * R_LANES columns. The work-items of a team take every
 * R_TEAM-th row. Blocks of rows are summed before the running state of a
 * column is touched, which may lie in memory. */
#define R_STRIP (R_VECS * R_LANES)

/* The states of a strip: whole vectors, and the odd columns at its end. */
typedef struct r_strip {
  r_state_w vec[R_VECS];
  r_state_1 odd[R_LANES];
} r_strip;

static void r_strip_rows(R_IN_PARAMS, r_strip *s, R_IDX outer, R_IDX col,
                         uint n_vec, uint n_odd, R_IDX from, R_IDX to,
                         uint lane) {
  R_KEPT_BASE(outer)

  for (R_IDX i = from; i < to;) {
    const R_IDX run = R_ONE_RUN ? 0 : i / R_INNER;
    const R_IDX begin = i - run * R_INNER;
    const R_IDX end = min(R_INNER, begin + (to - i));
    R_RUN_BASE(run)

    for (R_IDX j = begin + lane; j < end; j += R_BLOCK * R_TEAM) {
      const uint n = min((R_IDX)R_BLOCK, (end - j + R_TEAM - 1) / R_TEAM);
      for (uint u = 0; u < n_vec; ++u) {
        const R_IDX c = col + u * R_LANES;
        r_state_w t = r_start_w(R_FIRST(j));
        if (n == R_BLOCK) {
#pragma unroll
          for (uint k = 0; k < R_BLOCK; ++k)
            r_take_w(&t, R_MAP_W(j + k * R_TEAM, c), R_AT_W(j + k * R_TEAM));
        } else {
          for (uint k = 0; k < n; ++k)
            r_take_w(&t, R_MAP_W(j + k * R_TEAM, c), R_AT_W(j + k * R_TEAM));
        }
        r_merge_w(&s->vec[u], t);
      }
      for (uint u = 0; u < n_odd; ++u) {
        const R_IDX c = col + n_vec * R_LANES + u;
        r_state_1 t = r_start_1(R_FIRST(j));
        for (uint k = 0; k < n; ++k)
          r_take_1(&t, R_MAP_1(j + k * R_TEAM, c), R_AT_1(j + k * R_TEAM));
        r_merge_1(&s->odd[u], t);
      }
    }
    i += end - begin;
  }
}

/* Global size: units / rows (by groups if R_GROUP > 1) x parts. A work-item
 * without team does `rows` units one after the other. */
kernel void reduce_col(R_IN_PARAMS, R_OUT_PARAMS, const ulong n_out_,
                       const ulong n_red_, const ulong rows_,
                       const ulong chunk_) {
  const R_IDX n_out = (R_IDX)n_out_, n_red = (R_IDX)n_red_;
  const R_IDX part = (R_IDX)get_global_id(1);
  const R_IDX from = min(n_red, part * (R_IDX)chunk_);
  const R_IDX to = from + min(n_red - from, (R_IDX)chunk_);
  const R_IDX strips = (R_COLS + R_WIDE * R_STRIP - 1) / (R_WIDE * R_STRIP);
  const R_IDX units = n_out / R_COLS * strips;
#if R_GROUP > 1
  const uint me = get_local_id(0), x = me % R_WIDE, lane = me / R_WIDE;
  const R_IDX first = (R_IDX)get_group_id(0);
#else
  const uint x = 0, lane = 0;
  const R_IDX first = (R_IDX)get_global_id(0) * (R_IDX)rows_;
#endif
  const R_IDX last = first + min(units - first, (R_IDX)rows_);
#if R_TEAM > 1
  local R_ACC team_v[R_GROUP];
  local R_POS team_at[R_GROUP];
#endif

  for (R_IDX unit = first; unit < last; ++unit) {
    const R_IDX outer = unit / strips;
    const R_IDX col =
        min(R_COLS, ((unit - outer * strips) * R_WIDE + x) * R_STRIP);
    const uint n_vec = min((R_IDX)R_VECS, (R_COLS - col) / R_LANES);
    const uint n_odd =
        n_vec < R_VECS ? (R_COLS - col) - n_vec * R_LANES : 0;
    r_strip s;

    for (uint u = 0; u < n_vec; ++u)
      s.vec[u] = r_start_w(from);
    for (uint u = 0; u < n_odd; ++u)
      s.odd[u] = r_start_1(from);
    r_strip_rows(R_IN_PASS, &s, outer, col, n_vec, n_odd, from, to, lane);

    for (uint u = 0; u < R_VECS + 1; ++u) {
      const uint n = u < n_vec ? R_LANES : u == n_vec ? n_odd : 0;
      r_state_1 out[R_LANES];
#if R_TEAM == 1
      if (n == 0)
        break;
#endif
      if (u < n_vec)
        r_spread(s.vec[u < R_VECS ? u : 0], out);
      for (uint k = 0; k < R_LANES; ++k) {
        if (u >= n_vec)
          out[k] = k < n ? s.odd[k] : r_start_1(from);
#if R_TEAM > 1
        out[k] = r_team(out[k], team_v, team_at, me, R_WIDE, lane);
#endif
        if (lane == 0 && k < n)
          r_emit(R_OUT_PASS, outer * R_COLS + col + u * R_LANES + k, part,
                 n_out, out[k]);
      }
    }
  }
}
