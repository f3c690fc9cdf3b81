/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing: a work-item computes a block of the result, or one
 * element, or a vector of elements that lie side by side in the batch. It goes
 * along each row of the source once, and gives what it finds to all rows of the
 * block that have it in their windows. So windows along two axes cost little
 * more than those along one. Macros, here for maxima of floats over 2 axes with
 * blocks of 4 rows and 2 columns:
 *
 *   #define R_IDX uint          index type, large enough for all counts
 *   #define P_AT int            type of bytes within an element of the batch
 *   #define P_OP 1              0: sum; 1: maximum; 2: sum of what is picked
 *   #define P_VALUED 1          store values
 *   #define P_INDEXED 0         store where the maximum is
 *   #define P_WEIGHTED 0        elements of sums have weights
 *   #define P_SCALE (P_WORK)1   by which results are multiplied
 *   #define P_LANES 1
 *   #define P_WORK float        work type; P_VALUE: the same, in lanes
 *   #define P_NEUTRAL -INFINITY
 *   #define P_MAX(a, b), P_ABOVE(b, a)
 *   #define P_PLACE int         type of positions in a window
 *   #define P_BEGIN_READ        declares where a row of the source begins
 *   #define P_ELEMENT(at)       what is made of its element there
 *   #define P_ELEMENTS(at)      and of several side by side, of type P_WIDE
 *   #define P_POST(v, d, o)     stores what is made of the result v, o elements
 *                               along axis d from the one at P_PLACED
 *   #define P_STORE_PLACE(v, p)
 *   #define P_PARAMS            arrays x0, ..., i (indices), y2, ..., and
 *                               scalars of maps; sizes p_k of the batch, p_n of
 *                               the result, p_m of the source; p_step, p_most
 *                               and p_spans of the bands; p_weights; p_u and
 *                               p_v, sizes of the digits of a unit and their
 *                               reciprocals. The last axis has index 0.
 *   #define P_QUOTIENT(a, u, v)  a / u
 *   #define P_ROWS 4            elements of a block along axis 1
 *   #define P_COLUMNS 2         and along axis 0
 *   #define P_IS_ELEMENT(r)     nonzero if the result has row r of the block
 *   #define P_UNIT(u)           declares the indices p_b and p_j of a unit
 *   #define P_INNER             a loop over elements of a unit, or nothing
 *   #define P_FIND              declares where windows are: p_f, p_c
 *   #define P_BASE(x), P_PLACED(x)  addresses of its batch and its element
 *   #define P_BY(x, d)          bytes from element to element of axis d
 *   #define P_WALK              loops over the window's axes beyond axis 1
 *   #define P_DOWN              P_ROW(is_in, gives) for each row, p_a1, of the
 *                               source, where `gives` has P_GIVE(r, k) for each
 *                               element r of which the row is number k
 *   #define P_ACROSS(gives)     P_COLUMN(is_in, at, takes) for each column, at
 *                               p_f0 + at, where `takes` has P_TAKE(c, k,
 *                               gives) for each element c of which the column
 *                               is number k; or P_VECTOR(is_in, at, parts)
 *                               for several columns from there on, where
 *                               `parts` has P_PART(part, at, takes) for each
 *   #define P_AWAY(x)           bytes from the first row to this one
 *   #define P_FACTOR0(c, k), P_FACTOR1(r, k)  weights of columns and rows
 *   #define P_FLAT(type, a, m)  an index over all axes
 *
 * p_spans has the first positions and the counts of the first axis, then those
 * of the next one, and so on; p_weights likewise has [n][most] for each, but
 * [most][n] for axis 0. */
#include "pooling_lanes.cl"

#define P_EACH_ROW for (int r = 0; r < P_ROWS; ++r)
#define P_EACH_COLUMN for (int c = 0; c < P_COLUMNS; ++c)

/* Read weights side by side. */
#define P_SPLIT1(w, p) (w)[0] = *(p);
#define P_SPLIT2(w, p)                                                         \
  {                                                                            \
    const GA_JOIN(P_WORK, 2) w_ = *(global const GA_JOIN(P_WORK, 2) *)(p);     \
    (w)[0] = w_.s0, (w)[1] = w_.s1;                                            \
  }
#define P_SPLIT4(w, p)                                                         \
  {                                                                            \
    const GA_JOIN(P_WORK, 4) w_ = *(global const GA_JOIN(P_WORK, 4) *)(p);     \
    (w)[0] = w_.s0, (w)[1] = w_.s1, (w)[2] = w_.s2, (w)[3] = w_.s3;            \
  }

/* The address of the first element in this row. */
#define P_FIRST(x) (P_BASE(x) + (P_AT)p_f0 * P_BY(x, 0) + P_AWAY(x))

/* Go along a row of the source. */
#define P_ROW(is_in, gives)                                                    \
  {                                                                            \
    const int row_in_ = (is_in);                                               \
    P_BEGIN_ROW                                                                \
    P_ACROSS(gives)                                                            \
    P_END_ROW(gives)                                                           \
  }

/* Read an element; what is not in a window is not read. */
#define P_COLUMN(is_in, at, takes)                                             \
  {                                                                            \
    const int in_ = row_in_ && (is_in);                                        \
    P_VALUE v = (P_VALUE)(P_NEUTRAL);                                          \
    if (in_)                                                                   \
      v = P_ELEMENT(at);                                                       \
    P_READ_PLACE(at)                                                           \
    takes                                                                      \
  }

/* Read elements side by side, and take each. */
#define P_VECTOR(is_in, at, parts)                                             \
  {                                                                            \
    const int in_ = row_in_ && (is_in);                                        \
    P_WIDE wide_ = (P_WIDE)(P_NEUTRAL);                                        \
    if (in_)                                                                   \
      wide_ = P_ELEMENTS(at);                                                  \
    parts                                                                      \
  }
#define P_PART(part, at, takes)                                                \
  {                                                                            \
    const P_VALUE v = wide_.part;                                              \
    P_READ_PLACE(at)                                                           \
    takes                                                                      \
  }

#if P_OP == 2
#define P_BEGIN_ROW                                                            \
  P_BEGIN_READ                                                                 \
  global const char *const places_ = P_FIRST(i);
#define P_END_ROW(gives)
#define P_READ_PLACE(at)                                                       \
  P_PLACES place = (P_PLACES)(-1);                                             \
  if (in_)                                                                     \
    place = P_NARROW(                                                          \
        w_load((global const long *)(places_ + (P_AT)(at)*P_BY(i, 0)), 0));
#define P_TAKE(c, k, gives)                                                    \
  {                                                                            \
    enum { c_ = c };                                                           \
    gives                                                                      \
  }
#define P_GIVE(r, k)                                                           \
  acc[r][c_] += P_MASK(place == (P_PLACES)(me + (r * (P_PLACE)p_n0 + c_)))     \
                    ? v                                                        \
                    : (P_VALUE)(0);
#else
#define P_BEGIN_ROW                                                            \
  P_BEGIN_READ                                                                 \
  P_VALUE sum[P_COLUMNS];                                                      \
  P_EACH_COLUMN sum[c] = (P_VALUE)(P_NEUTRAL);                                 \
  P_BEGIN_PLACES
#define P_END_ROW(gives) gives
#if P_INDEXED
#define P_BEGIN_PLACES                                                         \
  const P_PLACE p_a0 = (P_PLACE)p_f0, from_ = P_FLAT(P_PLACE, p_a, p_m);       \
  P_PLACES at_[P_COLUMNS];                                                     \
  P_EACH_COLUMN at_[c] = (P_PLACES)(-1);
#define P_READ_PLACE(at)                                                       \
  const P_PLACES place = (P_PLACES)(in_ ? from_ + (P_PLACE)(at) : -1);
#define P_TAKE(c, k, gives) P_BETTER(v, sum[c], place, at_[c])
#define P_GIVE(r, k)                                                           \
  P_EACH_COLUMN P_BETTER(sum[c], acc[r][c], at_[c], best[r][c])
#else
#define P_BEGIN_PLACES
#define P_READ_PLACE(at)
#if P_OP == 1
#define P_TAKE(c, k, gives) sum[c] = P_MAX(sum[c], v);
#define P_GIVE(r, k) P_EACH_COLUMN acc[r][c] = P_MAX(acc[r][c], sum[c]);
#else
#define P_TAKE(c, k, gives) sum[c] += P_FACTOR0(c, k) * v;
#define P_GIVE(r, k) P_EACH_COLUMN acc[r][c] += P_FACTOR1(r, k) * sum[c];
#endif
#endif
#endif

/* What is stored at once: an element or a vector of channels, or all columns,
 * side by side. */
#define P_SIDE(l, s) acc[r][l]
#define P_SIDE_PLACE(l, s) convert_long(best[r][l])
#if P_COLUMNS > 1
#define P_RESULT (P_VALUE)(W_LIST(P_SIDE)) * P_SCALE
#define P_RESULT_PLACE (w_long)(W_LIST(P_SIDE_PLACE))
#else
#define P_RESULT acc[r][0] * P_SCALE
#define P_RESULT_PLACE w_to_long(best[r][0])
#endif

/* Global size: units / per, or more. */
kernel void pooling(P_PARAMS, const ulong units_, const ulong per_) {
  const R_IDX units = (R_IDX)units_;
  R_IDX unit = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX last = unit + min(units - unit, (R_IDX)per_);

  for (; unit < last; ++unit) {
    P_UNIT(unit)
    P_INNER {
      P_FIND
      P_VALUE acc[P_ROWS][P_COLUMNS];
#if P_INDEXED
      P_PLACES best[P_ROWS][P_COLUMNS];
#endif
#if P_OP == 2
      const P_PLACE me = P_FLAT(P_PLACE, p_j, p_n);
#endif
      P_EACH_ROW P_EACH_COLUMN {
        acc[r][c] = (P_VALUE)(P_NEUTRAL);
#if P_INDEXED
        best[r][c] = (P_PLACES)(-1);
#endif
      }
      P_WALK P_DOWN
#if P_COLUMNS > 1
#undef W_LANES
#define W_LANES P_COLUMNS
#endif
      P_EACH_ROW {
        if (P_IS_ELEMENT(r)) {
#if P_VALUED
          P_POST(P_RESULT, 1, r);
#endif
#if P_INDEXED
          P_STORE_PLACE(P_RESULT_PLACE, P_PLACED(i) + r * P_BY(i, 1));
#endif
        }
      }
    }
  }
}
