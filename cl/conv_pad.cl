/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy the images of a convolution, of n channels, into lines of positions with
 * `each` channels, of which those that are missing are zeros, and so are
 * positions `before` the first one and behind the last one of n2. A line is
 * whole units of 16 bytes. A work-item copies a unit. Global size: units of a
 * line, lines of both other dimensions together, and images. BITS is an integer
 * as wide as an element. */
#define UNIT (16 / sizeof(BITS)) /* elements of a unit */

kernel void conv_pad(global const char *bbuf, ulong boff, long brs, long bcs,
                     long bbs, long ps, long js, long s0, long s1, long s2,
                     ulong n1, ulong n2, ulong n, ulong each, long before,
                     global uint4 *to) {
  const ulong line = get_global_id(1), image = get_global_id(2);
  global const BITS *const from =
      (global const BITS *)(bbuf + boff) + (long)image * js +
      (long)(line / n1) * s0 + (long)(line % n1) * s1;
  union {
    BITS each[UNIT];
    uint4 whole;
  } unit;

#pragma unroll
  for (uint e = 0; e < UNIT; ++e) {
    const uint at = (uint)get_global_id(0) * UNIT + e;
    const uint place = at / (uint)each, channel = at - place * (uint)each;
    const long x = (long)place - before;

    unit.each[e] = channel < n && x >= 0 && x < (long)n2
                       ? from[x * s2 + (long)channel * ps]
                       : 0;
  }
  to[(image * get_global_size(1) + line) * get_global_size(0) +
     get_global_id(0)] = unit.whole;
}
