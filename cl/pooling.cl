/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing: each element of the result, or each vector of elements
 * that lie side by side in the batch, goes through its window. Macros, here for
 * maxima of floats over 2 axes with 16 channels at once:
 *
 *   #define R_IDX uint          index type, large enough for all counts
 *   #define P_AT int            type of bytes within an element of the batch
 *   #define P_OP 1              0: sum; 1: maximum; 2: sum of what is picked
 *   #define P_VALUED 1          store values
 *   #define P_INDEXED 0         store where the maximum is
 *   #define P_WEIGHTED 0        sums have weights
 *   #define P_LANES 16
 *   #define P_WORK float        work type; P_VALUE: the same, in lanes
 *   #define P_NEUTRAL -INFINITY
 *   #define P_MAX(a, b), P_ABOVE(b, a), P_SAME(b, a)
 *   #define P_PLACE int         type of positions in a window
 *   #define P_LOAD(p), P_STORE(v, p)
 *   #define P_PARAMS            arrays x, i (indices) and y; sizes p_k of the
 *                               batch, p_n of the result, p_m of the source;
 *                               p_step, p_most and p_spans of the bands;
 *                               p_weights. The last axis has index 0.
 *   #define P_UNIT(u)           declares the indices p_b and p_j of a unit
 *   #define P_INNER             a loop over elements of a unit, or nothing
 *   #define P_BASE(x), P_PLACED(x)  addresses of its batch and its element
 *   #define P_WALK              loops over a window, with positions p_a
 *   #define P_AWAY(x)           bytes from P_BASE to an element of the window
 *   #define P_FACTOR            its weight
 *   #define P_FLAT(type, a, m)  an index over all axes
 *
 * p_spans has the first positions and the counts of the first axis, then those
 * of the next one, and so on; p_weights likewise has [most][n] for each. */
#include "pooling_lanes.cl"

/* Global size: units / per, or more. */
kernel void pooling(P_PARAMS, const ulong units_, const ulong per_) {
  const R_IDX units = (R_IDX)units_;
  R_IDX unit = min(units, (R_IDX)get_global_id(0) * (R_IDX)per_);
  const R_IDX last = unit + min(units - unit, (R_IDX)per_);

  for (; unit < last; ++unit) {
    P_UNIT(unit)
    P_INNER {
      global const char *const x = P_BASE(x);
      P_VALUE acc = (P_VALUE)(P_NEUTRAL);
#if P_INDEXED
      P_PLACES best = (P_PLACES)(-1);
#endif
#if P_OP == 2
      global const char *const at = P_BASE(i);
      const long me = P_FLAT(long, p_j, p_n);
#endif
      P_WALK {
        const P_VALUE v = P_LOAD(x + P_AWAY(x));
#if P_OP == 0 && P_WEIGHTED
        acc += P_FACTOR * v;
#elif P_OP == 0
        acc += v;
#elif P_OP == 2
        acc += P_MASK(w_load((global const long *)(at + P_AWAY(i)), 0) == me)
                   ? v
                   : (P_VALUE)(0);
#elif P_INDEXED
        P_BETTER(v, acc, (P_PLACES)(P_FLAT(P_PLACE, p_a, p_m)), best)
#else
        acc = P_MAX(acc, v);
#endif
      }
#if P_VALUED
      P_STORE(acc, P_PLACED(y));
#endif
#if P_INDEXED
      w_store(w_to_long(best), (global long *)P_PLACED(i), 0);
#endif
    }
  }
}
