/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs: the phases of each row, one after the other. Stands behind
 * rows_phase.cl. Macros, beside those of rows_join.cl and rows_phase.cl, here
 * for a softmax of one input of rank 2:
 *
 *   #define R_PARAMS global char *r_x0, ulong r_o0, long r_k0_0, ...,
 *   #define R_PASS r_x0, r_o0, r_k0_0, ...,
 *   #define R_ITEMS 256             vectors that stay in private memory
 *   #define R_ROOM w_float r_k_e[R_ITEMS];
 *   #define R_USE_ROOM r_row_.k_e = r_k_e;
 *   #define R_PHASES r_phase0(&r_row_); r_phase1(&r_row_); ...
 *
 * In a loop (R_LOOP, rows_words.cl) the program runs n_times_ times. Each group
 * computes the same rows in each iteration, and waits for the states that it
 * reads. A group that has waited in vain in iteration t computes all rows of
 * iteration t - 1.
 *
 * Three mappings. On a CPU a work-item does `per_item` units of R_UNIT rows:
 * either with lanes along the row, one row after the other, whose posts may run
 * side by side at the end of the unit; or with a row in each lane. On a GPU a
 * team does one row. Where there are too few rows to keep the device busy, every
 * phase is a launch (R_SPLIT): part k of a row takes the elements from k * chunk
 * and leaves what it reduced in workspaces, which all parts of the next phase
 * combine. */
#if R_TEAM == 1
/* A unit along the innermost kept dimension. */
static void r_do_unit(r_row *r_r, R_PARAMS const R_IDX unit) {
#if R_UNIT == 1
  r_open(r_r, R_PASS unit);
  R_PHASES
#else
  const R_IDX side = (R_IDX)r_nk0, wide = (side + R_UNIT - 1) / R_UNIT;
  const R_IDX at = unit % wide * R_UNIT, first = unit / wide * side + at;

  r_r->last = (uint)min((R_IDX)R_UNIT, side - at) - 1;
#if R_ALONG
  for (r_r->row = r_r->last + 1; r_r->row > 0;) {
    --r_r->row;
    r_open(r_r, R_PASS first + r_r->row);
    R_PHASES
  }
#else
  r_open(r_r, R_PASS first);
  R_PHASES
#endif
#endif
}

#define R_UNITS(rows, side)                                                    \
  ((rows) / (R_IDX)(side) * (((R_IDX)(side) + R_UNIT - 1) / R_UNIT))
#endif

kernel __attribute__((reqd_work_group_size(R_GROUP, 1, 1))) void
rows(R_PARAMS const ulong n_rows_, const ulong n_, const ulong per_item_,
     const ulong chunk_, const ulong parts_
#ifdef R_LOOP
     ,
     const ulong n_times_
#endif
) {
  const R_IDX n_rows = (R_IDX)n_rows_, n = (R_IDX)n_;
  R_ROOM
  r_row r_row_, *r_r = &r_row_;

  R_USE_ROOM
  r_row_.n = n;
  r_row_.rows = n_rows;
  r_row_.part = (R_IDX)get_global_id(1);
  r_row_.parts = (R_IDX)parts_;
  r_row_.from = min(n, r_row_.part * (R_IDX)chunk_);
  r_row_.to = r_row_.from + min(n - r_row_.from, (R_IDX)chunk_);
  r_row_.me = get_local_id(0);
  r_row_.lane = r_row_.me % R_TEAM;
  r_row_.last = R_LANES - 1;
  r_row_.real = 1;
#if R_TEAM == 1
  const R_IDX units = R_UNITS(n_rows, r_nk0);
  const R_IDX begin = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_item_);
  const R_IDX end = begin + min(units - begin, (R_IDX)per_item_);

  r_row_.here = r_row_.part == 0;
#ifdef R_LOOP
  const uint n_times = (uint)n_times_;
  int helps = 0;

  r_row_.words = r_words;
  r_row_.copies = r_copies + get_global_id(0) * R_STATES * (size_t)n_rows;
  for (uint t = 0; t < n_times;) {
    r_row_.t = t - helps;
    r_row_.ends = r_row_.t + 1 == n_times;
    r_row_.bad = 0;
    r_hear_all(r_r);
    for (R_IDX unit = 0; r_row_.bad == 0 && unit < units; ++unit)
      if ((unit >= begin && unit < end) != helps)
        r_do_unit(r_r, R_PASS unit);
    t += !helps && r_row_.bad != R_MISSING;
    helps = !helps && r_row_.bad == R_MISSING;
  }
#else
  for (R_IDX unit = begin; unit < end; ++unit)
    r_do_unit(r_r, R_PASS unit);
#endif
#elif defined R_LOOP
  const R_IDX teams = R_GROUP / R_TEAM, all = get_num_groups(0) * teams;
  const R_IDX first = get_group_id(0) * teams;
  const uint n_times = (uint)n_times_;
  R_IDX own = first, other = n_rows; /* with other < n_rows, it helps */
  local uint status;

  r_row_.words = r_words;
  r_row_.status = &status;
  if (r_row_.me == 0)
    status = 0;
  for (uint t = 0; t < n_times;) {
    const int helps = other < n_rows;
    const R_IDX o = (helps ? other : own) + r_row_.me / R_TEAM;

    r_row_.t = helps ? t - 1 : t;
    r_row_.ends = r_row_.t + 1 == n_times;
    r_row_.real = o < n_rows;
    r_row_.to = r_row_.real ? n : 0;
    r_row_.here = r_row_.lane == 0 && r_row_.real;
    r_row_.bad = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    r_open(&r_row_, R_PASS min(o, n_rows - 1));
    R_PHASES
    if (r_row_.bad != 0) { /* in all work-items */
      barrier(CLK_LOCAL_MEM_FENCE);
      if (r_row_.me == 0)
        status = 0;
    }
    if (helps) {
      other += teams;
    } else if (r_row_.bad == R_MISSING) {
      other = 0;
    } else {
      own += all;
      if (own >= n_rows) {
        own = first;
        ++t;
      }
    }
  }
#else
  const R_IDX o =
      (R_IDX)get_group_id(0) * (R_GROUP / R_TEAM) + r_row_.me / R_TEAM;

  /* Teams past the last row walk nothing, but meet the others. */
  r_row_.real = o < n_rows;
  r_row_.to = r_row_.real ? r_row_.to : r_row_.from;
  r_row_.here = r_row_.lane == 0 && r_row_.real && r_row_.part == 0;
  r_open(&r_row_, R_PASS min(o, n_rows - 1));
  R_PHASES
#endif
}
