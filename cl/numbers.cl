/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers N, real or complex, for templates that serve both. Behind
 * complex_pairs.cl they are complex: pairs of W, which take NL = 2 elements of
 * an array. Templates count strides in elements of T, and lanes in W. Conjugates
 * are signs of imaginary parts, +1 or -1, that are parameters of complex kernels
 * alone.
 *
 * A sum of products of numbers is NS sums of lanes. Between two vectors of
 * numbers (ADD, TOTAL) the second sum of a complex product swaps the parts of
 * y; between a vector and one number (ADD_ONE, TOTAL_V) it is the sum by the
 * number's imaginary part. The sums become one in the end. */
#ifdef W2
#define N W2
#define NL 2
#define NS 2
#define LDN(p) LD2(p) /* of arrays, and of sums in W */
#define STN(v, p) ST2(v, p)
#define LDW(p) LD2(p)
#define STW(v, p) ST2(v, p)
#define SIGN(s) , W s
#define ONE (W2)(1, 0)
#define IS_ZERO(v) ((v).x == 0 && (v).y == 0)
#define IS_INF(v) (isinf((v).x) || isinf((v).y))
#define IS_INF_V(v) (isinf(v) | isinf(SWAP(v)))
#define PART(n, s) ((s) == 0 ? (n).x : (n).y)
#define CONJ(v, s) ((v) * (W2)(1, s))
#define CONJ_V(v, s) ((v) * PAIRS((W)1, s))
#define MUL(a, s) pair_times(a, s)
#define MUL_V(a, s) pairs_times(a, s)
#define MUL_ADD(a, s, c) ((c) + pair_times(a, s))
#define MUL_ADD_V(a, s, c) ((c) + pairs_times(a, s))
#define SWAP_N(v) (v).yx
#define ADD(sums, x, y, swap)                                                  \
  (sums[0] = fma(x, y, sums[0]), sums[1] = fma(x, swap(y), sums[1]))
#define TOTAL(sums, sx, sy)                                                    \
  pair_of(sums[0].x, sums[0].y, sums[1].x, sums[1].y, sx, sy)
#define ADD_ONE(sums, v, n)                                                    \
  (sums[0] = fma(v, (WV)((n).x), sums[0]),                                  \
   sums[1] = fma(v, (WV)((n).y), sums[1]))
#define TOTAL_V(p, q, sv, sn) pairs_total(p, q, sv, sn)
#define SCALE_PARAMS W2 alpha, W2 beta, W2 beta_low, W sa, W sb
#define SCALE {alpha, beta, beta_low, sa, sb}
#else
#define N W
#define NL 1
#define NS 1
#define LDN(p) LD(p)
#define STN(v, p) ST(v, p)
#define LDW(p) (*(p))
#define STW(v, p) (*(p) = (v))
#define SIGN(s)
#define ONE 1
#define IS_ZERO(v) ((v) == 0)
#define IS_INF(v) isinf(v)
#define IS_INF_V(v) isinf(v)
#define PART(n, s) (n)
#define CONJ(v, s) (v)
#define CONJ_V(v, s) (v)
#define MUL(a, s) ((a) * (s))
#define MUL_V(a, s) ((a) * (s))
#define MUL_ADD(a, s, c) fma(a, s, c)
#define MUL_ADD_V(a, s, c) fma(a, (WV)(s), c)
#define ADD(sums, x, y, swap) (sums[0] = fma(x, y, sums[0]))
#define TOTAL(sums, sx, sy) sums[0]
#define ADD_ONE(sums, v, n) (sums[0] = fma(v, (WV)(n), sums[0]))
#define TOTAL_V(p, q, sv, sn) (p)
#define SCALE_PARAMS W alpha, W beta, W beta_low
#define SCALE {alpha, beta, beta_low}
#endif

#ifndef VL /* four neighbours */
#define VL 4
#define WV W4
#define LDV(p) LD4(p)
#define STV(v, p) ST4(v, p)
#endif
