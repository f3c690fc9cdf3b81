/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations on a CPU along rows: a work-item does some rows, or one part of a
 * row. What the three kernels of cumulations share, here for one float operand
 * and one result, in 8 lanes:
 *
 *   #define R_IDX uint            index type, large enough for all counts
 *   #define C_LANES 8
 *   #define C_PASS 0              0: the axis is one part; 1: store the totals
 *                                 of all parts but the last, and the results
 *                                 of the first; 2: read totals, and store the
 *                                 results of the others
 *   #define C_EXCLUSIVE 0
 *   #define C_REVERSED 0
 *   #define C_COMMUTES 1          totals may be combined in any order
 *   #define C_PARAMS global char *c_x0, ulong c_o0, long c_k0_0, long c_a0_0,
 *                    ..., ulong c_n0
 *   #define C_WORKS               further parameters: totals of parts
 *   #define C_WORKS_PASS          the same as arguments
 *   #define C_BASES(o)            declares where row o begins: c_b0, c_b1
 *   #define C_ARGS(j, k)          arguments for element j of the row that
 *                                 begins at column k
 *
 * and functions over a state, the values of an element or of a stretch, in
 * lanes (_w) and alone (_1):
 *
 *   c_neutral_w(s)                the neutral values
 *   c_map_w(args, s), c_post_w(args, s)
 *   c_combine_w(a, b, s)          s may be a or b
 *   c_scan_w(none, s)             lane by lane with all lanes before it
 *   c_shift_w(none, s)            each lane gets that of the one before, the
 *                                 first that of `none`
 *   c_last_w(s, t)                the last lane; the first if reversed
 *   c_spread_w(s, w)              one state in all lanes
 *   c_get_part_w(works, i, s), c_set_part_w(works, i, s)
 *
 * The first part has `head` elements, the others `chunk`. While some cores store
 * its results, the others add up totals. Totals are [parts][rows]. In memory an axis that is reversed has element j of
 * the order of combination `n - 1 - j` from its start. */
#if C_REVERSED
#define C_AT(j, lanes) (n - (j) - (lanes))
#else
#define C_AT(j, lanes) (j)
#endif

#include "cumulate_part.cl"

/* Vectors whose totals are kept apart. */
#define C_UNROLL 4

/* Global size: rows / per x parts, of which passes 1 and 2 leave one out. */
kernel void cumulate_row(C_PARAMS, const ulong n_rows_, const ulong n_,
                         const ulong per_, const ulong head_,
                         const ulong chunk_ C_WORKS) {
  const R_IDX n_rows = (R_IDX)n_rows_, n = (R_IDX)n_;
  C_FIND_PART
  const R_IDX first = min(n_rows, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX end = first + min(n_rows - first, (R_IDX)per_);

#if C_LANES > 1
  /* Neutral values that the compiler does not know to be zeros: it would shift
   * them in by slow instructions (vexpandps). There is always a row. */
  c_state_w none;
  c_neutral_w(&none);
  if (per_ == 0) {
    C_BASES(0)
    c_map_w(C_ARGS(0, 0), &none);
  }
#endif
  for (R_IDX o = first; o < end; ++o) {
    c_state_1 carry;
    R_IDX j = from;
    C_BASES(o)

    c_neutral_1(&carry);
#if C_PASS == 2
    for (R_IDX k = 0; k < part; ++k) {
      c_state_1 t;
      c_get_part_1(C_WORKS_PASS(size_t) k * n_rows + o, &t);
      c_combine_1(&carry, &t, &carry);
    }
#endif
#if C_LANES > 1 && C_PASS == 1 && C_COMMUTES
    if (part > 0) {
      c_state_w sums[C_UNROLL];
      c_state_1 last;
#pragma unroll
      for (uint u = 0; u < C_UNROLL; ++u)
        c_neutral_w(&sums[u]);
      while (to - j >= C_UNROLL * C_LANES) {
#pragma unroll
        for (uint u = 0; u < C_UNROLL; ++u, j += C_LANES) {
          c_state_w s;
          c_map_w(C_ARGS(C_AT(j, C_LANES), 0), &s);
          c_combine_w(&sums[u], &s, &sums[u]);
        }
      }
#pragma unroll
      for (uint u = 1; u < C_UNROLL; ++u)
        c_combine_w(&sums[0], &sums[u], &sums[0]);
      c_scan_w(&none, &sums[0]);
      c_last_w(&sums[0], &last);
      c_combine_1(&carry, &last, &carry);
    }
#endif
#if C_LANES > 1
    for (; to - j >= C_LANES; j += C_LANES) {
      c_state_w s;
      c_state_1 last;
      c_map_w(C_ARGS(C_AT(j, C_LANES), 0), &s);
      c_scan_w(&none, &s);
      c_last_w(&s, &last);
      if (C_STORES) {
        c_state_w before;
        c_spread_w(&carry, &before);
#if C_EXCLUSIVE
        c_shift_w(&none, &s);
#endif
        c_combine_w(&before, &s, &s);
        c_post_w(C_ARGS(C_AT(j, C_LANES), 0), &s);
      }
      c_combine_1(&carry, &last, &carry);
    }
#endif
    for (; j < to; ++j) {
      c_state_1 s;
      c_map_1(C_ARGS(C_AT(j, 1), 0), &s);
      if (C_EXCLUSIVE && C_STORES)
        c_post_1(C_ARGS(C_AT(j, 1), 0), &carry);
      c_combine_1(&carry, &s, &carry);
      if (!C_EXCLUSIVE && C_STORES)
        c_post_1(C_ARGS(C_AT(j, 1), 0), &carry);
    }
#if C_PASS == 1
    c_set_part_1(C_WORKS_PASS(size_t) part * n_rows + o, &carry);
#endif
  }
}
