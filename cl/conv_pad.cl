/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy the images of a convolution with zeros behind their channels, so that
 * those of a position are whole units of 16 bytes, without gaps between
 * positions. A work-item copies one position. Global size: positions along the
 * last dimension, along both others together, and images. BITS is an integer as
 * wide as an element. */
kernel void conv_pad(global const char *bbuf, ulong boff, long brs, long bcs,
                     long bbs, long ps, long js, long s0, long s1, long s2,
                     ulong n1, ulong channels, ulong units, global uint4 *to) {
  const ulong x = get_global_id(0), line = get_global_id(1);
  const ulong image = get_global_id(2);
  global const BITS *const from =
      (global const BITS *)(bbuf + boff) + (long)image * js +
      (long)(line / n1) * s0 + (long)(line % n1) * s1 + (long)x * s2;

  to += ((image * get_global_size(1) + line) * get_global_size(0) + x) * units;
  for (ulong u = 0, c = 0; u < units; ++u) {
    union {
      BITS each[16 / sizeof(BITS)];
      uint4 whole;
    } unit;

#pragma unroll
    for (uint e = 0; e < 16 / sizeof(BITS); ++e, ++c)
      unit.each[e] = c < channels ? from[(long)c * ps] : 0;
    to[u] = unit.whole;
  }
}
