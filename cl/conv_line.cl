/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of neighbours along the last spatial dimension of x, for conv_direct.cl
 * and conv_direct_sum.cl. Behind conv_window.cl; macros put in front:
 *
 *   #define LINE 1      elements from lane to lane in memory: 1, 2 (and 2
 *                       positions), 0: any count
 *   #define CHANNELS 0  1: lanes are neighbouring groups instead, which are
 *                       neighbours in memory
 */

/* Where lanes read: `apart` positions and `step` elements from lane to lane;
 * positions [0, size) are inside, and elements [low, high) may be read. */
typedef struct direct_lanes {
  global const T *b;
  long step, low, high;
  int apart, size;
} direct_lanes;

static void direct_digits(int d[4], INDEX i, long n1, long n2, long n3) {
  const INDEX q3 = i / (INDEX)n3, q2 = q3 / (INDEX)n2, q1 = q2 / (INDEX)n1;

  d[3] = (int)(i - q3 * (INDEX)n3);
  d[2] = (int)(q3 - q2 * (INDEX)n2);
  d[1] = (int)(q2 - q1 * (INDEX)n1);
  d[0] = (int)q1;
}

/* Nonzero if `lanes` columns from positions `least` to `most` on are inside.
 * Vectors may also read what is between their lanes. */
static int direct_is_inside(const direct_lanes *s, int least, int most,
                            int lanes) {
#if CHANNELS
  return least >= 0 && most + (lanes - 1) * s->apart < s->size;
#else
  return least >= 0 && most + lanes * s->apart <= s->size;
#endif
}

#if CHANNELS
/* `n` groups. More are read where that is safe. */
static WV direct_load(const direct_lanes *s, long from, int n) {
  W each[VL];

  if (n == VL || (from >= s->low && from + VL <= s->high))
    return LDV(s->b + from);
  for (int l = 0; l < VL; ++l)
    each[l] = l < n ? LD(s->b + from + l) : 0;
  return LOADW(0, each);
}
#else
static WV direct_load(const direct_lanes *s, long from) {
  global const T *p = s->b + from;
#if LINE == 1
  return LDV(p);
#elif LINE == 2
  const WV x = LDV(p), y = LDV(p + VL);

  return (WV)(x.even, y.even);
#else
  W each[VL];

  PLAIN_LOOP
  for (int l = 0; l < VL; ++l)
    each[l] = LD(p + l * s->step);
  return LOADW(0, each);
#endif
}

/* Lanes from position `at` on, some of which may be outside: zeros. */
static WV direct_edge(const direct_lanes *s, long from, int at) {
  W each[VL];

  if (direct_is_inside(s, at, at, VL))
    return direct_load(s, from);
#if LINE != 0
  if (from >= s->low && from + LINE * VL <= s->high) {
    const WI lane = LANES * (WI)(s->apart) + (WI)(at);

    return select((WV)(0), direct_load(s, from),
                  (lane >= (WI)(0)) & (lane < (WI)(s->size)));
  }
#endif
  PLAIN_LOOP
  for (int l = 0; l < VL; ++l)
    each[l] = window_is_inside(at, l * s->apart, s->size)
                  ? LD(s->b + from + l * s->step)
                  : 0;
  return LOADW(0, each);
}
#endif
