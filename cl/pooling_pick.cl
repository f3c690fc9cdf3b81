/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of what is picked, on a CPU along rows that lie side by side in memory:
 * the gradient of maxima. A unit is a strip of a row of the result. For each
 * row of the source in its window, values and indices are copied to lines; then
 * each element of the strip adds those in its window that have its index.
 * Macros are those of pooling_row.cl, and
 *
 *   #define P_STRIP 1024        most elements of a strip */
#include "pooling_lanes.cl"
#include "pooling_line.cl"

/* Copy column c. */
#define P_COPY(c)                                                              \
  {                                                                            \
    const long away = (long)(c);                                               \
    GA_JOIN(P_PUT, W_LANES)                                                    \
    (P_ELEMENT_AT(c), line + (c)-from);                                        \
    GA_JOIN(P_PUT, W_LANES)                                                    \
    (P_NARROW(w_load((global const long *)(i + P_AWAY(i) + away * p_iw0), 0)), \
     places + (c)-from);                                                       \
  }

/* Add what element o and its neighbours pick. */
#define P_LANE(l, s) l
#define P_PICK(how, o)                                                         \
  {                                                                            \
    const w_int first = w_load(p_spans, P_SPANS1 + (o)) - from;                \
    const w_int count = w_load(p_spans, P_SPANS1 + p_n0 + (o));                \
    const P_PLACES me = (P_PLACES)((P_PLACE)(place + (o))) +                   \
                        (P_PLACES)(W_LIST(P_LANE));                            \
    P_VALUE acc = GA_JOIN(P_GET, W_LANES)(sums + (o)-begin);                   \
    for (int k = 0; k < (int)p_most0; ++k) {                                   \
      const w_int is_in = k < count;                                           \
      const w_int at = P_POSITION;                                             \
      const w_bool in = P_MASK(is_in) & (w_bool)(P_PLACES_##how == me);        \
      acc += in ? P_VALUES_##how : (P_VALUE)(0);                               \
    }                                                                          \
    GA_JOIN(P_PUT, W_LANES)(acc, sums + (o)-begin);                            \
  }

/* Global size: units / per, or more. */
kernel void pooling_pick(P_PARAMS, const ulong units_, const ulong per_,
                         const ulong strip_, const ulong strips) {
  const R_IDX units = (R_IDX)units_;
  R_IDX unit = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX last = unit + min(units - unit, (R_IDX)per_);

  for (; unit < last; ++unit) {
    P_WORK line[P_LINE + 2 * P_LANES], sums[P_STRIP];
    P_PLACE places[P_LINE + 2 * P_LANES];
    P_UNIT(unit)
    P_FIND
    const int from = p_spans[P_SPANS0 + 2 * p_s0];
    const int to = p_spans[P_SPANS0 + 2 * p_s0 + 1];
    const long begin = (long)p_s0 * (long)strip_;
    const long end = min(begin + (long)strip_, (long)p_n0);
    const long p_j0 = 0;
    const long place = P_FLAT(long, p_j, p_n);
    global const char *const i = P_BASE(i);

    for (long o = begin; o < end; ++o)
      sums[o - begin] = 0;
    P_WALK {
      int c = from;
      long o = begin;
      for (; c + P_LANES <= to; c += P_LANES)
        P_COPY(c)
#undef W_LANES
#define W_LANES
      for (; c < to; ++c)
        P_COPY(c)
#undef W_LANES
#define W_LANES P_LANES
      for (; o + P_LANES <= end; o += P_LANES)
        P_PICK(NEAR, o)
#undef W_LANES
#define W_LANES
      for (; o < end; ++o)
        P_PICK(EACH, o)
#undef W_LANES
#define W_LANES P_LANES
    }
    long o = begin;
    for (; o + P_LANES <= end; o += P_LANES)
      P_POST(GA_JOIN(P_GET, W_LANES)(sums + o - begin), 0, o);
#undef W_LANES
#define W_LANES
    for (; o < end; ++o)
      P_POST(sums[o - begin], 0, o);
#undef W_LANES
#define W_LANES P_LANES
  }
}
