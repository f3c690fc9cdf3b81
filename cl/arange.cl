/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers by a rule: element i is start + i * step. Macros in front of it:
 *
 *   #define A_REAL float       type of start and step
 *   #define A_AT(i) fma((A_REAL)(i), step, start)
 *   #define A_PUT(v, i) out[i] = (v)   statements
 *   #define A_STORED float     type of the elements' reals
 *
 * A work-item does `per` elements. Global size: n / per, or more. */
kernel void arange(global A_STORED *out, const ulong n, const A_REAL start,
                   const A_REAL step, const ulong per) {
  const ulong from = (ulong)get_global_id(0) * per;
  const ulong to = min(n, from + per);

  for (ulong i = from; i < to; ++i) {
    A_PUT(A_AT(i), i);
  }
}
