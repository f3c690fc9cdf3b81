/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations along columns: a work-item does a strip of neighbouring columns,
 * lanes across them, row after row, or one part of the rows. Macros are those
 * of cumulate_row.cl, where a row of the axis is a column here, and
 *
 *   #define C_VECS 64              vectors of a strip
 *   #define C_SIZE ((R_IDX)c_n0)   columns side by side
 *
 * Column k of a line is k columns from its first one. */
#include "cumulate_part.cl"

#if C_REVERSED
#define C_AT(j) (n - 1 - (j))
#else
#define C_AT(j) (j)
#endif

#if C_EXCLUSIVE
#define C_STEP(m, j, k, carry)                                                 \
  {                                                                            \
    c_state_##m s;                                                             \
    c_map_##m(C_ARGS(C_AT(j), k), &s);                                         \
    C_POST(c_post_##m(C_ARGS(C_AT(j), k), carry))                              \
    c_combine_##m(carry, &s, carry);                                           \
  }
#else
#define C_STEP(m, j, k, carry)                                                 \
  {                                                                            \
    c_state_##m s;                                                             \
    c_map_##m(C_ARGS(C_AT(j), k), &s);                                         \
    c_combine_##m(carry, &s, carry);                                           \
    C_POST(c_post_##m(C_ARGS(C_AT(j), k), carry))                              \
  }
#endif
#define C_POST(call)                                                           \
  if (C_STORES)                                                                \
    call;

/* Rows [from, to) of `vecs` vectors from column k on; `o` is the index of the
 * first column among all. */
#define C_STRIP(m, lanes, most, vecs, o, k)                                    \
  {                                                                            \
    c_state_##m carry[most];                                                   \
    for (uint v = 0; v < (vecs); ++v)                                          \
      c_neutral_##m(&carry[v]);                                                \
    C_BEFORE(m, lanes, vecs, o)                                                \
    for (R_IDX j = from; j < to; ++j) {                                        \
      for (uint v = 0; v < (vecs); ++v)                                        \
        C_STEP(m, j, (k) + v * (lanes), &carry[v])                             \
    }                                                                          \
    C_AFTER(m, lanes, vecs, o)                                                 \
  }

#if C_PASS == 2
#define C_BEFORE(m, lanes, vecs, o)                                            \
  for (R_IDX p = 0; p < part; ++p) {                                           \
    for (uint v = 0; v < (vecs); ++v) {                                        \
      c_state_##m t;                                                           \
      c_get_part_##m(C_WORKS_PASS(size_t) p *n_cols + (o) + v * (lanes), &t);  \
      c_combine_##m(&carry[v], &t, &carry[v]);                                 \
    }                                                                          \
  }
#else
#define C_BEFORE(m, lanes, vecs, o)
#endif
#if C_PASS == 1
#define C_AFTER(m, lanes, vecs, o)                                             \
  for (uint v = 0; v < (vecs); ++v)                                            \
    c_set_part_##m(C_WORKS_PASS(size_t) part *n_cols + (o) + v * (lanes),      \
                   &carry[v]);
#else
#define C_AFTER(m, lanes, vecs, o)
#endif

/* Global size: strips / per, or more, x parts, of which passes 1 and 2 leave one
 * out. Strips of one line lie side by side. */
kernel void cumulate_col(C_PARAMS, const ulong n_cols_, const ulong n_,
                         const ulong per_, const ulong head_,
                         const ulong chunk_ C_WORKS) {
  const R_IDX n_cols = (R_IDX)n_cols_, n = (R_IDX)n_, size = C_SIZE;
  const R_IDX strips = (size + (C_VECS * C_LANES - 1)) / (C_VECS * C_LANES);
  const R_IDX units = n_cols / size * strips;
  /* Strips of one line are equally wide, in whole vectors. */
  const R_IDX each =
      ((size + strips - 1) / strips + (C_LANES - 1)) / C_LANES * C_LANES;
  C_FIND_PART
  R_IDX unit = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX last = unit + min(units - unit, (R_IDX)per_);

  for (; unit < last; ++unit) {
    const R_IDX line = unit / strips * size;
    const R_IDX k = min(size, unit % strips * each);
    const uint cols = (uint)min(size - k, each);
    C_BASES(line)

#if C_LANES > 1
    const uint whole = cols / C_LANES, rest = cols % C_LANES;
    if (whole > 0)
      C_STRIP(w, C_LANES, C_VECS, whole, line + k, k)
    if (rest > 0)
      C_STRIP(1, 1, C_LANES, rest, line + k + whole * C_LANES,
              k + whole * C_LANES)
#else
    C_STRIP(1, 1, C_VECS, cols, line + k, k)
#endif
  }
}
