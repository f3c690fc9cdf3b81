/* SPDX-License-Identifier: BSD-2-Clause */
/* The last pass of a reduction in parts: combines part 0, 1, ... of each
 * output in this order and runs the post expression. The workspace is
 * [parts][n_out]. Macros as for reduce_row.cl, without the inputs. */
static void r_part(R_PART_PARAMS, size_t i, r_state_1 *s) {
  r_start_1(s, 0);
  s->v = part_v[i];
#if R_ARG
  s->at = part_at[i];
#endif
}

/* Global size: outputs / rows, by groups of R_GROUP work-items if R_GROUP > 1;
 * neighbours have neighbouring outputs, a team stands in a column. */
kernel void reduce_final(R_PART_PARAMS, R_OUT_PARAMS, const ulong n_out_,
                         const ulong parts_, const ulong rows_) {
  const R_IDX n_out = (R_IDX)n_out_, parts = (R_IDX)parts_;
#if R_GROUP > 1
  const uint me = get_local_id(0), wide = R_GROUP / R_TEAM;
  const uint lane = me / wide;
  const R_IDX first = (R_IDX)get_group_id(0) * wide + me % wide;
  const R_IDX last = first + 1;
#else
  const uint lane = 0;
  const R_IDX first = min(n_out, (R_IDX)get_global_id(0) * (R_IDX)rows_);
  const R_IDX last = first + min(n_out - first, (R_IDX)rows_);
#endif
#if R_TEAM > 1
  local R_ACC v[R_GROUP];
  local R_POS at[R_GROUP];
#endif

  for (R_IDX o = first; o < last; ++o) {
    const size_t here = min(o, n_out - 1);
    r_state_1 s, t;

    r_part(R_PART_PASS, (size_t)lane * n_out + here, &s);
    for (R_IDX k = lane + R_TEAM; k < parts; k += R_TEAM) {
      r_part(R_PART_PASS, (size_t)k * n_out + here, &t);
      r_merge_1(&s, &t);
    }
#if R_TEAM > 1
    r_team(&s, v, at, me, wide, lane);
#endif
    if (lane == 0 && o < n_out)
      r_emit(R_OUT_PASS, o, 0, n_out, &s);
  }
}
