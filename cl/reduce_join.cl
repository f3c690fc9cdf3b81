/* SPDX-License-Identifier: BSD-2-Clause */
/* From many states to one: the lanes of a vector, the work-items of a team.
 * Stands behind reduce_state.cl. Further macros:
 *
 *   #define R_LANES 16              elements per vector
 *   #define R_ACC float             the accumulator's plain type
 *   #define R_POS int               a position's plain type
 *   #define R_MASK int              of what comparing accumulators gives
 *   #define R_TEAM 1                work-items that share one result
 *   #define R_PARTS 0               1: store partial results
 *
 * and, for complex numbers in lanes, which are vectors of their parts, real and
 * imaginary in turn:
 *
 *   #define R_PART float            the type of a part
 *   #define R_WIDTH 16              parts per vector
 */
#define R_PASTE(a, b) a##b
#ifndef R_PART
#define R_PART R_ACC
#define R_WIDTH R_LANES
#endif
/* Whether positions within a block are counted by steps of the loop, which are
 * the same for all lanes, and worked out behind it: where they are in order. */
#if R_ARG && R_IN_ORDER
#define R_COUNTED 1
#else
#define R_COUNTED 0
#endif
#define R_VECTOR(type, n) R_PASTE(type, n)
/* Whether states are two values each. */
#define R_PAIR (R_ARG || R_MOMENTS)

/* One state per lane, in order. */
static void r_spread(const r_state_w *s, r_state_1 *out) {
#if R_LANES == 1
  out[0] = *s;
#else
  R_ACC v[R_ACCS][R_LANES];
  for R_EACH(a)
    R_VECTOR(vstore, R_WIDTH)(s->v[a], 0, (R_PART *)v[a]);
#if R_PAIR
  R_POS at[R_LANES];
  R_VECTOR(vstore, R_LANES)(s->at, 0, at);
#endif
#if R_MOMENTS
  R_POS low[R_LANES];
  R_VECTOR(vstore, R_LANES)(s->low, 0, low);
#endif
  for (uint i = 0; i < R_LANES; ++i) {
    r_start_1(&out[i], 0);
    for R_EACH(a)
      out[i].v[a] = v[a][i];
#if R_PAIR
    out[i].at = at[i];
#endif
#if R_MOMENTS
    out[i].low = low[i];
    out[i].n = s->n;
#endif
  }
#endif
}

/* Declare v<n> and at<n>: the two halves of vectors x and p, combined. */
#if R_ARG
#define R_HALVE(n, x, p)                                                       \
  const R_VECTOR(R_MASK, n) wins##n =                                          \
      R_BETTER(x.hi, x.lo) |                                                   \
      (R_SAME(x.hi, x.lo) &                                                    \
       R_VECTOR(R_VECTOR(convert_, R_MASK), n)(p.hi < p.lo));                  \
  const R_VECTOR(R_ACC, n) v##n = wins##n ? x.hi : x.lo;                       \
  const R_VECTOR(R_POS, n) at##n =                                             \
      R_VECTOR(R_VECTOR(convert_, R_POS), n)(wins##n) ? p.hi : p.lo
#else
#define R_HALVE(n, x, p) const R_VECTOR(R_PART, n) v##n = R_COMBINE(x.lo, x.hi)
#endif

/* The lanes combined into `out`, those half a vector apart first. */
static void r_lanes(r_state_w s, r_state_1 *out) {
#if R_LANES == 1
  *out = s;
#elif R_MOMENTS
  r_state_1 lane[R_LANES];

  r_settle_w(&s);
  r_spread(&s, lane);
  *out = lane[0];
  for (uint i = 1; i < R_LANES; ++i)
    r_join_1(out, &lane[i]);
#else
  r_state_1 other;
  r_start_1(out, 0);
  r_start_1(&other, 0);
  for R_EACH(a) {
#if R_WIDTH == 16
    R_HALVE(8, s.v[a], s.at);
    R_HALVE(4, v8, at8);
#elif R_WIDTH == 8
    R_HALVE(4, s.v[a], s.at);
#endif
#if R_WIDTH == 2 * R_LANES
    out->v[a] = v4.lo;
    other.v[a] = v4.hi;
#else
#if R_LANES > 4
    R_HALVE(2, v4, at4);
#elif R_LANES == 4
    R_HALVE(2, s.v[a], s.at);
#else
    const R_VECTOR(R_ACC, 2) v2 = s.v[a];
#if R_ARG
    const R_VECTOR(R_POS, 2) at2 = s.at;
#endif
#endif
    out->v[a] = v2.lo;
    other.v[a] = v2.hi;
#endif
#if R_ARG
    out->at = at2.lo;
    other.at = at2.hi;
#endif
  }
  r_join_1(out, &other);
#endif
}

#if R_TEAM > 1
/* Keep a state in local memory at place `me`. `v` has R_GROUP values of each
 * accumulator; of moments `at` has all `low` and all counts behind. */
GA_INLINE void r_team_put(const r_state_1 *s, local R_ACC *v, local R_POS *at,
                          uint me) {
  for R_EACH(a)
    v[me + a * R_GROUP] = s->v[a];
#if R_PAIR
  at[me] = s->at;
#endif
#if R_MOMENTS
  at[me + R_GROUP] = s->low;
  at[me + 2 * R_GROUP] = s->n;
#endif
}

/* The states of a team combined by a tree in local memory; valid in lane 0.
 * Every work-item of the group comes here. `me` is this one's place in `v` and
 * `at`, its neighbour in the team is `step` places on. */
GA_INLINE void r_team(r_state_1 *s, local R_ACC *v, local R_POS *at, uint me,
                   uint step, uint lane) {
  barrier(CLK_LOCAL_MEM_FENCE);
  r_team_put(s, v, at, me);
  for (uint width = R_TEAM / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) {
      const uint other = me + width * step;
      r_state_1 t;
      r_start_1(&t, 0);
      for R_EACH(a)
        t.v[a] = v[other + a * R_GROUP];
#if R_PAIR
      t.at = at[other];
#endif
#if R_MOMENTS
      t.low = at[other + R_GROUP];
      t.n = at[other + 2 * R_GROUP];
#endif
      r_join_1(s, &t);
      r_team_put(s, v, at, me);
    }
  }
}
#endif

#if R_PARTS && R_MOMENTS
/* All outputs of a part have seen as many elements: the workspace has that
 * behind all `at` and all `low`. */
static void r_emit_count(R_OUT_PARAMS, R_IDX o, R_IDX part, R_IDX n_out,
                         R_ACC n) {
  if (o == 0)
    part_at[2 * (size_t)get_global_size(1) * n_out + part] = n;
}
#endif

#if R_PARTS && R_LANES > 1
/* R_LANES neighbouring outputs from `o` on, as parts of the workspace. */
static void r_emit_parts(R_OUT_PARAMS, R_IDX o, R_IDX part, R_IDX n_out,
                         const r_state_w *s) {
  const size_t i = (size_t)part * n_out + o;
  for R_EACH(a)
    R_VECTOR(vstore, R_WIDTH)
  (s->v[a], 0,
   (global R_PART *)(part_v + i + a * get_global_size(1) * n_out));
#if R_PAIR
  R_VECTOR(vstore, R_LANES)(s->at, 0, part_at + i);
#endif
#if R_MOMENTS
  R_VECTOR(vstore, R_LANES)
  (s->low, 0, part_at + get_global_size(1) * n_out + i);
  r_emit_count(R_OUT_PASS, o, part, n_out, s->n);
#endif
}
#endif

/* Put the result of output `o` where it goes: through the post expression to
 * the output arrays, or as one of several parts to the workspace. */
static void r_emit(R_OUT_PARAMS, R_IDX o, R_IDX part, R_IDX n_out,
                   const r_state_1 *s) {
#if R_PARTS
  const size_t i = (size_t)part * n_out + o;
  for R_EACH(a)
    part_v[i + a * get_global_size(1) * n_out] = s->v[a];
#if R_PAIR
  part_at[i] = s->at;
#endif
#if R_MOMENTS
  part_at[get_global_size(1) * n_out + i] = s->low;
  r_emit_count(R_OUT_PASS, o, part, n_out, s->n);
#endif
#elif R_MOMENTS
  /* Of no elements both are NaN. */
  const R_ACC v = s->v[0] / s->n;
  r_post(R_OUT_PASS, o, &v, s->at + s->low + 0 / s->n, s->n);
#elif R_ARG
  r_post(R_OUT_PASS, o, s->v, s->at);
#else
  r_post(R_OUT_PASS, o, s->v, 0);
#endif
}
