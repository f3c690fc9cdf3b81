/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers by a rule: element i is start + i * step. Macros in front of it:
 *
 *   #define A_REAL float       type of start and step
 *   #define A_AT(i) fma((A_REAL)(i), step, start)
 *   #define A_PUT(v, i) out[i] = (v)   statements
 *   #define A_STORED float     type of the elements' reals
 *   #define A_IDX uint         counts all elements
 *   #define A_APART 0          1: a work-item's elements are as far apart as
 *                              there are work-items, so that neighbours write
 *                              to one line of a GPU's memory
 *
 * A work-item does `per` elements. Global size: n / per, or more. */
kernel void arange(global A_STORED *out, const ulong n, const A_REAL start,
                   const A_REAL step, const ulong per) {
#if A_APART
  const A_IDX from = (A_IDX)get_global_id(0), to = (A_IDX)n;
  const A_IDX next = (A_IDX)get_global_size(0);
#else
  const A_IDX from = (A_IDX)get_global_id(0) * (A_IDX)per, next = 1;
  const A_IDX to = min((A_IDX)n, from + (A_IDX)per);
#endif

  for (A_IDX i = from; i < to; i += next) {
    A_PUT(A_AT(i), i);
  }
}
