/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels for pooling have in common. */

/* Positions in lanes, and an int per lane as wide as a value. */
#define P_PLACES GA_JOIN(P_PLACE, W_LANES)
#define P_MASK(v) GA_JOIN(GA_JOIN(convert_, W_BOOL), W_LANES)(v)

/* Positions from int64; one beyond the range of positions is that of no
 * element. */
#define P_NARROW(v)                                                            \
  GA_JOIN(GA_JOIN(GA_JOIN(convert_, P_PLACE), W_LANES), _sat)(v)

/* Replace acc and its place by a value that is above it. Values come in the
 * order of their places. A place below 0 means that there is none: its value is
 * neutral. */
#define P_BETTER(v, acc, place, best)                                          \
  {                                                                            \
    const P_VALUE v_ = (v);                                                    \
    const P_PLACES place_ = (place);                                           \
    const w_bool better_ = P_ABOVE(v_, acc);                                   \
    acc = better_ ? v_ : acc;                                                  \
    best = (better_ | (best < 0)) ? place_ : best;                             \
  }
