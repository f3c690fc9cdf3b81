/* SPDX-License-Identifier: BSD-2-Clause */
/* The last pass of a reduction in parts: combines part 0, 1, ... of each
 * output in this order and runs the post expression. The workspaces are
 * [R_ACCS][parts][n_out], of means twice, with [parts] counts behind them. Macros as for
 * reduce_row.cl, without the inputs. With lanes each has an output of its own,
 * of which there are R_LANES at least; there is no team then. */
static void r_part_1(R_PART_PARAMS, R_IDX k, R_IDX o, R_IDX n_out, R_IDX parts,
                     r_state_1 *s) {
  const size_t i = (size_t)k * n_out + o;
  r_start_1(s, 0);
  for R_EACH(a)
    s->v[a] = part_v[i + (size_t)a * parts * n_out];
#if R_PAIR
  s->at = part_at[i];
#endif
#if R_MOMENTS
  s->low = part_at[(size_t)parts * n_out + i];
  s->n = part_at[2 * (size_t)parts * n_out + k];
#endif
}

#if R_LANES > 1
static void r_part_w(R_PART_PARAMS, R_IDX k, R_IDX o, R_IDX n_out, R_IDX parts,
                     r_state_w *s) {
  const size_t i = (size_t)k * n_out + o;
  r_start_w(s, 0);
  for R_EACH(a)
    s->v[a] = R_VECTOR(vload, R_WIDTH)(
        0, (global R_PART *)(part_v + i + (size_t)a * parts * n_out));
#if R_PAIR
  s->at = R_VECTOR(vload, R_LANES)(0, part_at + i);
#endif
#if R_MOMENTS
  s->low = R_VECTOR(vload, R_LANES)(0, part_at + (size_t)parts * n_out + i);
  s->n = part_at[2 * (size_t)parts * n_out + k];
#endif
}

/* The outputs [first, last). A vector that does not fit is moved back; what
 * others have put out is not put out again. */
static void r_outputs(R_PART_PARAMS, R_OUT_PARAMS, R_IDX n_out, R_IDX parts,
                      R_IDX first, R_IDX last) {
  for (R_IDX o = first; o < last; o += R_LANES) {
    const R_IDX base = min(o, n_out - R_LANES);
    const uint to = min((R_IDX)R_LANES, last - base);
    r_state_w s, t;
    r_state_1 out[R_LANES];

    r_part_w(R_PART_PASS, 0, base, n_out, parts, &s);
    for (R_IDX k = 1; k < parts; ++k) {
      r_part_w(R_PART_PASS, k, base, n_out, parts, &t);
      r_merge_w(&s, &t);
    }
    r_spread(&s, out);
    for (uint i = o - base; i < to; ++i)
      r_emit(R_OUT_PASS, base + i, 0, n_out, &out[i]);
  }
}
#endif

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
#if R_LANES > 1
  r_outputs(R_PART_PASS, R_OUT_PASS, n_out, parts, first, last);
#else
#if R_TEAM > 1
  local R_ACC v[R_ACCS * R_GROUP];
  local R_POS at[R_GROUP * (1 + 2 * R_MOMENTS)];
#endif

  for (R_IDX o = first; o < last; ++o) {
    const R_IDX here = min(o, n_out - 1);
    r_state_1 s, t;

    r_part_1(R_PART_PASS, lane, here, n_out, parts, &s);
    for (R_IDX k = lane + R_TEAM; k < parts; k += R_TEAM) {
      r_part_1(R_PART_PASS, k, here, n_out, parts, &t);
      r_merge_1(&s, &t);
    }
#if R_TEAM > 1
    r_team(&s, v, at, me, wide, lane);
#endif
    if (lane == 0 && o < n_out)
      r_emit(R_OUT_PASS, o, 0, n_out, &s);
  }
#endif
}
