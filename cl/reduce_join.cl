/* SPDX-License-Identifier: BSD-2-Clause */
/* From many states to one: the lanes of a vector, the work-items of a team.
 * Stands behind reduce_state.cl. Further macros:
 *
 *   #define R_LANES 16              elements per vector
 *   #define R_ACC float             the accumulator's plain type
 *   #define R_POS int               a position's plain type
 *   #define R_TEAM 1                work-items that share one result
 *   #define R_PARTS 0               1: store partial results
 */
#define R_PASTE(a, b) a##b
#define R_VECTOR(type, n) R_PASTE(type, n)

/* One state per lane, in order. */
static void r_spread(const r_state_w *s, r_state_1 *out) {
#if R_LANES == 1
  out[0] = *s;
#else
  R_ACC v[R_LANES];
  R_VECTOR(vstore, R_LANES)(s->v, 0, v);
#if R_ARG
  R_POS at[R_LANES];
  R_VECTOR(vstore, R_LANES)(s->at, 0, at);
#endif
  for (uint i = 0; i < R_LANES; ++i) {
    r_start_1(&out[i], 0);
    out[i].v = v[i];
#if R_ARG
    out[i].at = at[i];
#endif
  }
#endif
}

/* The lanes combined, halves first, into `out`. */
static void r_lanes(const r_state_w *s, r_state_1 *out) {
#if R_LANES == 1
  *out = *s;
#elif R_ARG
  r_state_1 lane[R_LANES];
  r_spread(s, lane);
  for (uint i = 1; i < R_LANES; ++i)
    r_join_1(&lane[0], &lane[i]);
  *out = lane[0];
#else
#if R_LANES == 16
  const R_VECTOR(R_ACC, 8) v8 = R_COMBINE(s->v.lo, s->v.hi);
#elif R_LANES == 8
  const R_VECTOR(R_ACC, 8) v8 = s->v;
#endif
#if R_LANES >= 8
  const R_VECTOR(R_ACC, 4) v4 = R_COMBINE(v8.lo, v8.hi);
#elif R_LANES == 4
  const R_VECTOR(R_ACC, 4) v4 = s->v;
#endif
#if R_LANES >= 4
  const R_VECTOR(R_ACC, 2) v2 = R_COMBINE(v4.lo, v4.hi);
#else
  const R_VECTOR(R_ACC, 2) v2 = s->v;
#endif
  r_start_1(out, 0);
  out->v = R_COMBINE(v2.lo, v2.hi);
#endif
}

#if R_TEAM > 1
/* The states of a team combined by a tree in local memory; valid in lane 0.
 * Every work-item of the group comes here. `me` is this one's place in `v` and
 * `at`, its neighbour in the team is `step` places on. */
static void r_team(r_state_1 *s, local R_ACC *v, local R_POS *at, uint me,
                   uint step, uint lane) {
  barrier(CLK_LOCAL_MEM_FENCE);
  v[me] = s->v;
#if R_ARG
  at[me] = s->at;
#endif
  for (uint width = R_TEAM / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) {
      const uint other = me + width * step;
      r_state_1 t;
      r_start_1(&t, 0);
      t.v = v[other];
#if R_ARG
      t.at = at[other];
#endif
      r_join_1(s, &t);
      v[me] = s->v;
#if R_ARG
      at[me] = s->at;
#endif
    }
  }
}
#endif

/* Put the result of output `o` where it goes: through the post expression to
 * the output arrays, or as one of several parts to the workspace. */
static void r_emit(R_OUT_PARAMS, R_IDX o, R_IDX part, R_IDX n_out,
                   const r_state_1 *s) {
#if R_PARTS
  const size_t i = (size_t)part * n_out + o;
  part_v[i] = s->v;
#if R_ARG
  part_at[i] = s->at;
#endif
#elif R_ARG
  r_post(R_OUT_PASS, o, s->v, s->at);
#else
  r_post(R_OUT_PASS, o, s->v, 0);
#endif
}
