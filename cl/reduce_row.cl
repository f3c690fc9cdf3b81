/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction along the inner reduced axis: one work-item or one team of them
 * per output, vectors along the axis. Macros, beside those of reduce_state.cl
 * and reduce_join.cl, here for one input of rank 2 with its last axis reduced:
 *
 *   #define R_IN_PARAMS global const char *r_x0, ulong r_o0, long r_k0_0, \
 *                       long r_r0_0, ulong r_nk0, ulong r_nr0
 *   #define R_IN_PASS r_x0, r_o0, r_k0_0, r_r0_0, r_nk0, r_nr0
 *   #define R_OUT_PARAMS ...        arrays of the post expression
 *   #define R_IDX uint              index type, large enough for all counts
 *   #define R_KEPT_BASE(o)          declares where output o begins: r_b0
 *   #define R_RUN_BASE(run)         declares where a run begins: r_q0
 *   #define R_INNER ((R_IDX)r_nr0)  length of a run
 *   #define R_ONE_RUN 1             there is only one
 *   #define R_MAP_W(v, j) r_map_w(v, r_q0 + (size_t)(j) * 4, r_r0_0)
 *                                   element j and on into v[R_ACCS]
 *   #define R_MAP_1(v, j) r_map_1(v, ...) the same for one element
 *   #define R_AT_W(j), R_AT_1(j)    positions of the lanes from j on
 *   #define R_IOTA (r_mask_w)(0, 1, 2, ...)
 *   #define R_FIRST(j) ...          R_POS of element j of the run
 *   #define R_UNROLL 4              independent vectors
 *   #define R_BLOCK 32              elements per lane before a merge
 *   #define R_GROUP 1               work-items per group
 *   #define R_MOVES 0               1: the last vector of a run may be moved back
 *                                   to end with it, where it is not aligned
 *
 * Work-item lane l of a team takes vectors l, l + R_TEAM, ... of a run. The
 * order of all additions depends on lengths and macros alone. */
#define R_STRIDE (R_TEAM * R_LANES)
#define R_STEP (R_STRIDE * R_UNROLL)

/* The elements [from, to) of the reduced space of output o, those of `lane`,
 * into `total`. */
static void r_row(R_IN_PARAMS, R_IDX o, R_IDX from, R_IDX to, uint lane,
                  r_state_1 *total) {
  R_KEPT_BASE(o)
  r_state_w wide;
  r_state_1 odd;

  r_start_w(&wide, from);
  r_start_1(&odd, from);
  for (R_IDX i = from; i < to;) {
    const R_IDX run = R_ONE_RUN ? 0 : i / R_INNER;
    const R_IDX begin = i - run * R_INNER;
    const R_IDX end = min(R_INNER, begin + (to - i));
    R_IDX j = begin;
    R_RUN_BASE(run)

    while (end - j >= R_STEP) {
      r_state_w t[R_UNROLL];
      const uint n = min((R_IDX)R_BLOCK, (end - j) / R_STEP);
#pragma unroll
      for (uint u = 0; u < R_UNROLL; ++u)
        r_start_w(&t[u], R_COUNTED ? 0 : R_FIRST(j));
      for (uint k = 0; k < n; ++k) {
#pragma unroll
        for (uint u = 0; u < R_UNROLL; ++u) {
          const R_IDX e = j + k * R_STEP + u * R_STRIDE + lane * R_LANES;
          r_acc_w v[R_ACCS];
          R_MAP_W(v, e);
          r_take_w(&t[u], v, R_COUNTED ? (r_at_w)(k) : R_AT_W(e));
        }
      }
#if R_COUNTED
#pragma unroll
      for (uint u = 0; u < R_UNROLL; ++u)
        t[u].at = R_AT_W(j + u * R_STRIDE + lane * R_LANES) + t[u].at * R_STEP;
#endif
      j += n * R_STEP;
#pragma unroll
      for (uint u = 1; u < R_UNROLL; ++u)
        r_join_w(&t[0], &t[u]);
      r_merge_w(&wide, &t[0]);
    }
#if R_LANES > 1 && R_UNROLL > 1
    if (end - j >= R_STRIDE) {
      r_state_w t;
      r_start_w(&t, R_FIRST(j));
      for (; end - j >= R_STRIDE; j += R_STRIDE) {
        r_acc_w v[R_ACCS];
        R_MAP_W(v, j + lane * R_LANES);
        r_take_w(&t, v, R_AT_W(j + lane * R_LANES));
      }
      r_merge_w(&wide, &t);
    }
#endif
#if R_MOVES
    if (j < end && end - begin >= R_LANES) {
      /* One more vector, moved back to end with the run. */
      const R_IDX e = end - R_LANES;
      r_acc_w v[R_ACCS];
      R_MAP_W(v, e);
#if !R_ARG /* where seeing an element twice does not matter */
      for R_EACH(a)
        v[a] = R_IOTA >= (r_mask_w)(j - e) ? v[a] : (r_acc_w)(R_NEUTRAL);
#endif
      r_take_w(&wide, v, R_AT_W(e));
      j = end;
    }
#endif
    if (end - j > lane) {
      r_state_1 t;
      r_start_1(&t, R_FIRST(j));
      for (j += lane; j < end; j += R_TEAM) {
        r_acc_1 v[R_ACCS];
        R_MAP_1(v, j);
        r_take_1(&t, v, R_AT_1(j));
      }
      r_merge_1(&odd, &t);
    }
    i += end - begin;
  }
  r_lanes(wide, total);
  r_merge_1(total, &odd);
}

/* Global size: outputs / rows (by groups if R_GROUP > 1) x parts. A work-item
 * without team does `rows` outputs one after the other; part k takes the
 * elements from k * chunk. */
kernel void reduce_row(R_IN_PARAMS, R_OUT_PARAMS, const ulong n_out_,
                       const ulong n_red_, const ulong rows_,
                       const ulong chunk_) {
  const R_IDX n_out = (R_IDX)n_out_, n_red = (R_IDX)n_red_;
  const R_IDX part = (R_IDX)get_global_id(1);
  const R_IDX from = min(n_red, part * (R_IDX)chunk_);
  const R_IDX to = from + min(n_red - from, (R_IDX)chunk_);
  r_state_1 s;
#if R_TEAM == 1
  const R_IDX first = min(n_out, (R_IDX)get_global_id(0) * (R_IDX)rows_);
  const R_IDX last = first + min(n_out - first, (R_IDX)rows_);

  for (R_IDX o = first; o < last; ++o) {
    r_row(R_IN_PASS, o, from, to, 0, &s);
    r_emit(R_OUT_PASS, o, part, n_out, &s);
  }
#else
  local R_ACC v[R_ACCS * R_GROUP];
  local R_POS at[R_GROUP * (1 + 2 * R_MOMENTS)];
  const uint me = get_local_id(0), lane = me % R_TEAM;
  const R_IDX o = (R_IDX)get_group_id(0) * (R_GROUP / R_TEAM) + me / R_TEAM;

  r_row(R_IN_PASS, min(o, n_out - 1), from, to, lane, &s);
  r_team(&s, v, at, me, 1, lane);
  if (lane == 0 && o < n_out)
    r_emit(R_OUT_PASS, o, part, n_out, &s);
#endif
}
