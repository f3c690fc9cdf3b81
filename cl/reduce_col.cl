/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction across the inner kept axis: each lane is a column of its own.
 * Macros as for reduce_row.cl, but
 *
 *   #define R_COLS ((R_IDX)r_nk0)   length of the inner kept axis, R_LANES at
 *                                   least
 *   #define R_KEPT_BASE(o)          o counts the other kept axes
 *   #define R_MAP_W(v, j, c)        element j of the run, columns c, c + 1, ...
 *   #define R_AT_W(j)               the same position in every lane
 *   #define R_VECS 64               vectors of columns per work-item
 *   #define R_WIDE 1                work-items side by side in a group
 *   #define R_BLOCK 8               rows before a merge
 *
 * The space is cut in units: one setting of the other kept axes, and a strip
 * of R_WIDE * R_VECS * R_LANES columns. The work-items of a team take every
 * R_TEAM-th row. Blocks of rows are summed before the running state of a
 * column is touched, which may lie in memory.
 *
 * The last vector of a row is moved back until it fits; columns that it has in
 * common with the one before are put out once. */
#define R_STRIP (R_VECS * R_LANES)
#define R_AT_STEP(k) (R_COUNTED ? (r_at_w)(k) : R_AT_W(j + (k) * R_TEAM))

/* Where the vector that should begin at column c does begin. */
static R_IDX r_fit(R_IDX c, R_IDX cols) { return min(c, cols - R_LANES); }

static void r_strip(R_IN_PARAMS, r_state_w *s, R_IDX outer, R_IDX col,
                    uint n_vec, R_IDX from, R_IDX to, uint lane) {
  R_KEPT_BASE(outer)

  for (R_IDX i = from; i < to;) {
    const R_IDX run = R_ONE_RUN ? 0 : i / R_INNER;
    const R_IDX begin = i - run * R_INNER;
    const R_IDX end = min(R_INNER, begin + (to - i));
    R_RUN_BASE(run)

    for (R_IDX j = begin + lane; j < end; j += R_BLOCK * R_TEAM) {
      const uint n = min((R_IDX)R_BLOCK, (end - j + R_TEAM - 1) / R_TEAM);
      for (uint u = 0; u < n_vec; ++u) {
        const R_IDX c = r_fit(col + u * R_LANES, R_COLS);
        r_state_w t;
        r_start_w(&t, R_COUNTED ? 0 : R_FIRST(j));
        if (n == R_BLOCK) {
          r_state_w odd; /* a chain of its own, which does not wait for t's */
          r_start_w(&odd, R_COUNTED ? 0 : R_FIRST(j));
#pragma unroll
          for (uint k = 0; k < R_BLOCK; ++k) {
            r_acc_w v[R_ACCS];
            R_MAP_W(v, j + k * R_TEAM, c);
            r_take_w(R_PAIR || k % 2 == 0 ? &t : &odd, v, R_AT_STEP(k));
          }
          if (!R_PAIR)
            r_join_w(&t, &odd);
        } else {
          for (uint k = 0; k < n; ++k) {
            r_acc_w v[R_ACCS];
            R_MAP_W(v, j + k * R_TEAM, c);
            r_take_w(&t, v, R_AT_STEP(k));
          }
        }
#if R_COUNTED
        t.at = R_AT_W(j) + t.at * R_TEAM;
#endif
        r_merge_w(&s[u], &t);
      }
    }
    i += end - begin;
  }
}

GA_INLINE void r_unit(R_IN_PARAMS, R_OUT_PARAMS, R_IDX unit, R_IDX strips,
                   R_IDX part, R_IDX n_out, R_IDX from, R_IDX to,
                   local R_ACC *v, local R_POS *at, uint me) {
  const uint x = me % R_WIDE, lane = me / R_WIDE;
  const R_IDX outer = unit / strips;
  const R_IDX col = ((unit - outer * strips) * R_WIDE + x) * R_STRIP;
  /* The same for all work-items of a group, which has R_VECS of 1. */
  const uint n_vec =
      R_VECS == 1 ? 1
                  : min((R_IDX)R_VECS, (R_COLS - col + R_LANES - 1) / R_LANES);
  r_state_w s[R_VECS];

  for (uint u = 0; u < n_vec; ++u)
    r_start_w(&s[u], from);
  r_strip(R_IN_PASS, s, outer, col, n_vec, from, to, lane);

  for (uint u = 0; u < n_vec; ++u) {
    const R_IDX want = col + u * R_LANES, c = r_fit(want, R_COLS);
#if R_PARTS && R_LANES > 1 && R_TEAM == 1
    /* A column that two vectors have comes out the same from both. */
    r_emit_parts(R_OUT_PASS, outer * R_COLS + c, part, n_out, &s[u]);
#else
    r_state_1 out[R_LANES];
    r_spread(&s[u], out);
#if R_TEAM > 1
    for (uint k = 0; k < R_LANES; ++k)
      r_team(&out[k], v, at, me, R_WIDE, lane);
#endif
    for (uint k = 0; k < R_LANES; ++k) {
      if (lane == 0 && c + k >= want)
        r_emit(R_OUT_PASS, outer * R_COLS + c + k, part, n_out, &out[k]);
    }
#endif
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
#if R_GROUP > 1
  local R_ACC v[R_ACCS * R_GROUP];
  local R_POS at[R_GROUP * (1 + 2 * R_MOMENTS)];

  r_unit(R_IN_PASS, R_OUT_PASS, (R_IDX)get_group_id(0), strips, part, n_out,
         from, to, v, at, get_local_id(0));
#else
  const R_IDX units = n_out / R_COLS * strips;
  const R_IDX first = min(units, (R_IDX)get_global_id(0) * (R_IDX)rows_);
  const R_IDX last = first + min(units - first, (R_IDX)rows_);

  for (R_IDX unit = first; unit < last; ++unit)
    r_unit(R_IN_PASS, R_OUT_PASS, unit, strips, part, n_out, from, to, 0, 0, 0);
#endif
}
