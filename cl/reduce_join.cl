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

/* Combine every lane with the one that `lanes`, a choice of components, puts
 * in its place. */
#if R_ARG
#define R_EXCHANGE(lanes)                                                      \
  t.v = s.v.lanes;                                                             \
  t.at = s.at.lanes;                                                           \
  r_join_w(&s, &t)
#else
#define R_EXCHANGE(lanes)                                                      \
  t.v = s.v.lanes;                                                             \
  r_join_w(&s, &t)
#endif

/* The lanes combined into `out`, each with the one half a vector away first. */
static void r_lanes(r_state_w s, r_state_1 *out) {
#if R_LANES == 1
  *out = s;
#else
  r_state_w t;

#if R_LANES == 16
  R_EXCHANGE(s89abcdef01234567);
  R_EXCHANGE(s45670123cdef89ab);
  R_EXCHANGE(s23016745ab89efcd);
  R_EXCHANGE(s1032547698badcfe);
#elif R_LANES == 8
  R_EXCHANGE(s45670123);
  R_EXCHANGE(s23016745);
  R_EXCHANGE(s10325476);
#elif R_LANES == 4
  R_EXCHANGE(s2301);
  R_EXCHANGE(s1032);
#else
  R_EXCHANGE(s10);
#endif
  r_start_1(out, 0);
  out->v = s.v.s0;
#if R_ARG
  out->at = s.at.s0;
#endif
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
