/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy a factor A of a convolution, whose columns have four digits, into a
 * matrix: one for each group, [groups, rows, ld], columns from `at` on. Of the
 * last two digits, only the first n2 and n3 exist; the others become zeros. A
 * work-item copies `run` elements of a row. BITS is an integer as wide as an element. */
kernel void conv_copy(global const char *abuf, ulong aoff, long ars, long acs,
                      long abs_, long a0, long a1, long a2, long a3, ulong p1,
                      ulong p2, ulong p3, ulong n2, ulong n3, global BITS *to, ulong at,
                      ulong ld, ulong k, ulong run) {
  const ulong row = get_global_id(1), z = get_global_id(2);
  const ulong from = get_global_id(0) * run, end = min(from + run, k);
  global const BITS *a =
      (global const BITS *)(abuf + aoff) + (long)z * abs_ + (long)row * ars;
  ulong d1, d2, d3, d0;

  if (from >= end)
    return;
  to += (z * get_global_size(1) + row) * ld + at;
  if ((k | p1 | p2 | p3) <= UINT_MAX) { /* GPUs divide 64 bits slowly */
    const uint line = (uint)from / (uint)p3, plane = line / (uint)p2;

    d3 = (uint)from - line * (uint)p3;
    d2 = line - plane * (uint)p2;
    d0 = plane / (uint)p1;
    d1 = plane - (uint)d0 * (uint)p1;
  } else {
    d3 = from % p3;
    d2 = from / p3 % p2;
    d1 = from / p3 / p2 % p1;
    d0 = from / p3 / p2 / p1;
  }
  for (ulong p = from; p < end;) {
    const ulong n = min(p3 - d3, end - p), there = d2 < n2 ? n3 : 0;
    global const BITS *line =
        a + (long)d0 * a0 + (long)d1 * a1 + (long)d2 * a2 + (long)d3 * a3;

    for (ulong i = 0; i < n; ++i)
      to[p + i] = d3 + i < there ? line[(long)i * a3] : 0;
    p += n;
    d3 = 0;
    if (++d2 < p2)
      continue;
    d2 = 0;
    if (++d1 < p1)
      continue;
    d1 = 0;
    ++d0;
  }
}
