/* SPDX-License-Identifier: BSD-2-Clause */
/* One phase of a row program; stands behind rows_join.cl, once per phase.
 * Macros, here for the second phase of a softmax, the sum of exponentials:
 *
 *   #define R_PH(name) name##1
 *   #define R_WALKS 1               0: another launch did
 *   #define R_ALONG 1               lanes are elements of a row; 0: rows
 *   #define R_HOLD 0                1: R_ITEMS vectors in registers
 *   #define R_EXACT 0               1: as many as a row has, in every team
 *   #define R_BLOCK 32              vectors between merges
 *   #define R_SPLIT 0               1: a launch per phase, see rows.cl
 *   #define R_TOTALS w_float r_s1 = (w_float)(0); w_float r_e1 = 0;
 *   #define R_SUMS w_float r_t1 = (w_float)(0);
 *   #define R_MAP(u, j) ...         elements from j on, vector u, into r_t1
 *   #define R_SOME(u, j, last) ...  the same of lanes up to `last`
 *   #define R_WHOLE(u, j, in) ...   the same of all lanes, or of none
 *   #define R_MERGE ...             r_t1 into r_s1
 *   #define R_FOLDED ...            declares r_f1: r_s1 of lanes and team
 *   #define R_NUMBERS r_r->n_s = r_f1;
 *   #define R_STORE_PARTS ...       r_f1 to the workspace
 *   #define R_REJOIN_ALL ...        declares r_f1: all parts
 *
 * r_post1(r_row *) does what follows once per row. */
#if R_WALKS
static void R_PH(r_phase)(r_row *r_r) {
  R_TOTALS
#if R_HOLD
  {
    R_SUMS
#pragma unroll
    for (uint u = 0; u < R_ITEMS; ++u) {
      const R_IDX j = (u * R_TEAM + r_r->lane) * R_LANES;
      /* What is known now costs no registers later. */
      const int sure = R_EXACT || (R_GROUP == R_TEAM && u + 1 < R_ITEMS);
      R_WHOLE(u, sure ? j : min(j, r_r->n - R_LANES), sure || j < r_r->to)
    }
    R_MERGE
  }
#else
  const R_IDX step = R_ALONG ? R_TEAM * R_LANES : 1;
  const R_IDX odd = R_ALONG ? (r_r->to - r_r->from) % R_LANES : 0;
  const R_IDX end = r_r->to - odd;
  R_IDX j = r_r->from + (R_ALONG ? r_r->lane * R_LANES : 0);

  for (R_IDX u = 0; j < end;) {
    const R_IDX stop = end - j > R_BLOCK * step ? j + R_BLOCK * step : end;
    R_SUMS
    for (; j < stop; j += step, ++u)
#if R_ALONG || R_LANES == 1
      R_MAP(u, j)
#else
      if (r_r->last == R_LANES - 1)
        R_MAP(u, j)
      else
        R_SOME(u, j, r_r->last)
#endif
    R_MERGE
  }
#if R_ALONG && R_LANES > 1 && R_TEAM == 1
  if (odd > 0) {
    R_SUMS
    R_SOME((end - r_r->from) / R_LANES, end, (uint)odd - 1)
    R_MERGE
  }
#endif
#endif
#if defined R_LOOP && R_TEAM > 1
  if (r_r->bad != 0)
    atomic_max(r_r->status, r_r->bad);
#endif
  R_FOLDED
#if defined R_LOOP && R_TEAM > 1
  r_r->bad = *r_r->status; /* R_FOLDED has a barrier */
#endif
#if R_SPLIT
  if (r_r->lane == 0 && r_r->real) {
    R_STORE_PARTS
  }
#else
  R_NUMBERS
#if R_ALONG && R_UNIT > 1
  if (r_r->row == 0) /* the unit's last one */
#endif
    R_PH(r_post)(r_r);
#endif
}
#else
static void R_PH(r_rejoin)(r_row *r_r) {
  R_REJOIN_ALL
  R_NUMBERS
  R_PH(r_post)(r_r);
}
#endif
