/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers by a rule: element i is start + i * step. Macros in front of it:
 *
 *   #define A_REAL float       type of start and step
 *   #define A_AT(i) fma((A_REAL)(i), step, start)
 *   #define A_PUT(v, i) out[i] = (v)   statements
 *   #define A_STORED float     type of the elements' reals
 *   #define A_APART 0          1: a work-item's elements are as far apart as
 *                              there are work-items, so that neighbours write
 *                              to one line of a GPU's memory
 *
 * A work-item does `per` elements. Global size: n / per, or more. */
kernel void arange(global A_STORED *out, const ulong n, const A_REAL start,
                   const A_REAL step, const ulong per) {
#if A_APART
  const ulong from = get_global_id(0), to = n, next = get_global_size(0);
#else
  const ulong from = (ulong)get_global_id(0) * per, next = 1;
  const ulong to = min(n, from + per);
#endif

  for (ulong i = from; i < to; i += next) {
    A_PUT(A_AT(i), i);
  }
}
