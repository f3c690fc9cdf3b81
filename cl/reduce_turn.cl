/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction of short rows without a team, R_LANES of them at a time: vectors
 * along the rows are turned into vectors with a row in each lane. Macros as for
 * reduce_row.cl, but
 *
 *   #define R_LENGTH 10        elements of a row, at least R_LANES
 *
 * There is one run, one accumulator, and no parts. Rows that do not fill a vector are made up
 * for by moving back; what another turn has done is not put out again. */

#if R_ARG && R_LANES == 8
/* A row from `base` on in each lane: where vectors are turned before they are
 * compared, positions are the same in all lanes. */
static void r_rows(R_IN_PARAMS, R_IDX base, r_state_w *s) {
#pragma unroll
  for (uint j = 0; j < R_LENGTH; j += 8) {
    const uint e = min(j, (uint)R_LENGTH - 8);
    r_acc_w v[8];

#pragma unroll
    for (uint i = 0; i < 8; ++i) {
      R_KEPT_BASE(base + i)
      R_RUN_BASE(0)
      R_MAP_W(&v[i], e);
    }
    GA_TURN8(r_acc_w, v)
    R_KEPT_BASE(base)
    R_RUN_BASE(0)
    if (j == 0)
      r_first_w(s, &v[0], (r_at_w)(R_FIRST(0)));
#pragma unroll
    for (uint k = j == 0 ? 1 : j - e; k < 8; ++k)
      r_take_w(s, &v[k], (r_at_w)(R_FIRST(e + k)));
  }
}
#else
/* The elements of row `o`, those R_LANES apart in one lane. */
static void r_row(R_IN_PARAMS, R_IDX o, r_state_w *s) {
  R_KEPT_BASE(o)
  R_RUN_BASE(0)
  r_acc_w v;

  R_MAP_W(&v, 0);
  r_first_w(s, &v, R_AT_W(0));
#pragma unroll
  for (uint j = R_LANES; j + R_LANES <= R_LENGTH; j += R_LANES) {
    R_MAP_W(&v, j);
    r_take_w(s, &v, R_AT_W(j));
  }
#if R_LENGTH % R_LANES
  {
    const uint e = R_LENGTH - R_LANES, n = R_LENGTH % R_LANES;
    R_MAP_W(&v, e);
#if !R_ARG /* where seeing an element twice does not matter */
    v = R_IOTA >= (r_mask_w)(R_LANES - n) ? v : (r_acc_w)(R_NEUTRAL);
#endif
    r_take_w(s, &v, R_AT_W(e));
  }
#endif
}

/* A row from `base` on in each lane, by halving: neighbouring lanes of two
 * rows' vectors are combined into one vector until one is left. */
static void r_rows(R_IN_PARAMS, R_IDX base, r_state_w *total) {
  r_state_w s[R_LANES];

#pragma unroll
  for (uint i = 0; i < R_LANES; ++i)
    r_row(R_IN_PASS, base + i, &s[i]);
#pragma unroll
  for (uint n = R_LANES / 2; n > 0; n /= 2) {
#pragma unroll
    for (uint i = 0; i < n; ++i) {
      const r_state_w a = s[2 * i], b = s[2 * i + 1];
      r_state_w odd;

      r_start_w(&s[i], 0);
      r_start_w(&odd, 0);
      s[i].v[0] = (r_acc_w)(a.v[0].even, b.v[0].even);
      odd.v[0] = (r_acc_w)(a.v[0].odd, b.v[0].odd);
#if R_ARG
      s[i].at = (r_at_w)(a.at.even, b.at.even);
      odd.at = (r_at_w)(a.at.odd, b.at.odd);
#endif
      r_join_w(&s[i], &odd);
    }
  }
  *total = s[0];
}
#endif

/* Global size: outputs / rows; a work-item does `rows` outputs, R_LANES at a
 * time. */
kernel void reduce_turn(R_IN_PARAMS, R_OUT_PARAMS, const ulong n_out_,
                        const ulong n_red_, const ulong rows_,
                        const ulong chunk_) {
  const R_IDX n_out = (R_IDX)n_out_;
  const R_IDX first = min(n_out, (R_IDX)get_global_id(0) * (R_IDX)rows_);
  const R_IDX last = first + min(n_out - first, (R_IDX)rows_);

  for (R_IDX o = first; o < last; o += R_LANES) {
    const R_IDX base = min(o, n_out - R_LANES);
    const uint from = o - base, to = min((R_IDX)R_LANES, last - base);
    r_state_w s;
    r_state_1 out[R_LANES];

    r_rows(R_IN_PASS, base, &s);
    r_spread(&s, out);
    if (to - from == R_LANES) { /* all of them straight from registers */
#pragma unroll
      for (uint i = 0; i < R_LANES; ++i)
        r_emit(R_OUT_PASS, base + i, 0, n_out, &out[i]);
    } else {
      for (uint i = from; i < to; ++i)
        r_emit(R_OUT_PASS, base + i, 0, n_out, &out[i]);
    }
  }
}
