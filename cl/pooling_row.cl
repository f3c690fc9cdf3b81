/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing on a CPU along rows that lie side by side in memory. A
 * unit is a strip of a row of the result. The rows of the source in its window
 * are combined into one line, in vectors; then each element of the strip
 * combines those of the line that are in its window. So windows along several
 * axes cost the sum of their lengths instead of the product. Macros are those
 * of pooling.cl, P_WALK and P_FACTOR without the last axis, and
 *
 *   #define P_LINE 4096         elements of a line
 *   #define P_RISING 1          no window along the last axis is empty; none
 *                               begins or ends before the previous one
 *
 * Behind the spans of all axes there are the first position of each strip in
 * the source, and one more than its last one. */
#include "pooling_lanes.cl"
#include "pooling_line.cl"

/* Combine column c of the rows in the window. */
#if P_INDEXED
#define P_DOWN(c)                                                              \
  {                                                                            \
    P_VALUE acc = (P_VALUE)(P_NEUTRAL);                                        \
    P_PLACES best = (P_PLACES)(-1);                                            \
    P_WALK {                                                                   \
      const int p_a0 = 0;                                                      \
      P_BETTER(P_ELEMENT_AT(c), acc,                                           \
               (P_PLACES)(P_FLAT(P_PLACE, p_a, p_m)), best)                    \
    }                                                                          \
    GA_JOIN(P_PUT, W_LANES)(acc, line + (c)-from);                             \
    GA_JOIN(P_PUT, W_LANES)(best, places + (c)-from);                          \
  }
#elif P_OP == 1
#define P_DOWN(c)                                                              \
  {                                                                            \
    P_VALUE acc = (P_VALUE)(P_NEUTRAL);                                        \
    P_WALK {                                                                   \
      const P_VALUE v = P_ELEMENT_AT(c);                                       \
      acc = P_MAX(acc, v);                                                     \
    }                                                                          \
    GA_JOIN(P_PUT, W_LANES)(acc, line + (c)-from);                             \
  }
#else
#define P_DOWN(c)                                                              \
  {                                                                            \
    P_VALUE acc = (P_VALUE)(P_NEUTRAL);                                        \
    P_WALK acc += P_FACTOR * P_ELEMENT_AT(c);                                  \
    GA_JOIN(P_PUT, W_LANES)(acc, line + (c)-from);                             \
  }
#endif

#if P_WEIGHTED
#define P_BY_WEIGHT(k, o) w_load(p_weights, P_WEIGHTS1 + (k)*p_n0 + (o)) *
#else
#define P_BY_WEIGHT(k, o)
#endif

/* Combine the elements of the line in the window of element k of them. */
#if P_INDEXED
#define P_INTO(how, k, o)                                                      \
  {                                                                            \
    const P_VALUE v = in ? P_VALUES_##how : acc;                               \
    const P_PLACES row = P_PLACES_##how;                                       \
    const P_PLACES place = row + P_WIDEN(at + from);                           \
    const w_bool better =                                                      \
        in & (row >= 0) &                                                      \
        ((P_ABOVE(v, acc)) | ((P_SAME(v, acc)) & (place < best)) |             \
         (best < 0));                                                          \
    acc = better ? v : acc;                                                    \
    best = better ? place : best;                                              \
  }
#define P_BEST P_PLACES best = (P_PLACES)(-1);
#define P_STORE_BEST(o)                                                        \
  w_store(w_to_long(best), (global long *)(i + (o)*p_iw0), 0);
#elif P_OP == 1
#define P_INTO(how, k, o)                                                      \
  {                                                                            \
    const P_VALUE v = P_VALUES_##how;                                          \
    acc = in ? (P_MAX(acc, v)) : acc;                                          \
  }
#else
#define P_INTO(how, k, o)                                                      \
  acc += in ? P_BY_WEIGHT(k, o) P_VALUES_##how : (P_VALUE)(0);
#endif
#if !P_INDEXED
#define P_BEST
#define P_STORE_BEST(o)
#endif
#if P_VALUED
#define P_STORE_VALUE(o) P_POST(acc * P_SCALE, 0, o);
#else
#define P_STORE_VALUE(o)
#endif

#define P_ACROSS(how, o)                                                       \
  {                                                                            \
    const w_int first = w_load(p_spans, P_SPANS1 + (o)) - from;                \
    const w_int count = w_load(p_spans, P_SPANS1 + p_n0 + (o));                \
    P_VALUE acc = (P_VALUE)(P_NEUTRAL);                                        \
    P_BEST                                                                     \
    for (int k = 0; k < (int)p_most0; ++k) {                                   \
      const w_int is_in = k < count;                                           \
      const w_bool in = P_MASK(is_in);                                         \
      const w_int at = P_POSITION;                                             \
      P_INTO(how, k, o)                                                        \
    }                                                                          \
    P_STORE_VALUE(o)                                                           \
    P_STORE_BEST(o)                                                            \
  }

/* Global size: units / per, or more. */
kernel void pooling_row(P_PARAMS, const ulong units_, const ulong per_,
                     const ulong strip_, const ulong strips) {
  const R_IDX units = (R_IDX)units_;
  R_IDX unit = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX last = unit + min(units - unit, (R_IDX)per_);

  for (; unit < last; ++unit) {
    P_WORK line[P_LINE + 2 * P_LANES];
#if P_INDEXED
    P_PLACE places[P_LINE + 2 * P_LANES];
#endif
    P_UNIT(unit)
    P_FIND
    const int from = p_spans[P_SPANS0 + 2 * p_s0];
    const int to = p_spans[P_SPANS0 + 2 * p_s0 + 1];
    const long begin = (long)p_s0 * (long)strip_;
    const long end = min(begin + (long)strip_, (long)p_n0);
    const long p_j0 = 0;
#if P_INDEXED
    global char *const i = P_PLACED(i);
#endif

    /* The last vector of a row may do elements once more. */
    if (to - from >= P_LANES) {
      for (int c = from; c < to - P_LANES; c += P_LANES)
        P_DOWN(c)
      P_DOWN(to - P_LANES)
    }
    if (end - begin >= P_LANES) {
      if (to - from < P_LANES) {
#undef W_LANES
#define W_LANES
        for (int c = from; c < to; ++c)
          P_DOWN(c)
#undef W_LANES
#define W_LANES P_LANES
      }
      for (long o = begin; o < end - P_LANES; o += P_LANES)
        P_ACROSS(NEAR, o)
      P_ACROSS(NEAR, end - P_LANES)
    } else {
#undef W_LANES
#define W_LANES
      if (to - from < P_LANES) {
        for (int c = from; c < to; ++c)
          P_DOWN(c)
      }
      for (long o = begin; o < end; ++o)
        P_ACROSS(EACH, o)
#undef W_LANES
#define W_LANES P_LANES
    }
  }
}
