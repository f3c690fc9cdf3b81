/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the rows of all parts that put_row.cl made, [parts][rows], to `a`. Macros
 * are those of put_row.cl. Global size: rows, or more. */
#define P_TURNS 16

kernel void put_join(global char *ga, const ulong oa, const ulong rows,
                     const long stride, global const P_WORD *sums,
                     const uint parts) {
  const uint r = (uint)get_global_id(0);
  P_WORD sum = 0;

  if (r >= rows)
    return;
  for (uint part = 0; part < parts; part += P_TURNS) {
    P_WORD word[P_TURNS];
#pragma unroll
    for (uint t = 0; t < P_TURNS; ++t)
      word[t] = sums[(size_t)min(part + t, parts - 1) * rows + r];
#pragma unroll
    for (uint t = 0; t < P_TURNS; ++t)
      sum += part + t < parts ? word[t] : 0;
  }
  *(global P_WORD *)(ga + oa + r * stride) += sum;
}
