/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers N, real or complex, for the templates that serve both. Behind
 * complex_pairs.cl they are complex: pairs of W, which take NL = 2 elements of
 * an array. Conjugates are signs of imaginary parts, +1 or -1, that are
 * parameters of complex kernels alone. */
#ifdef W2
#define N W2
#define NL 2
#define LDN(p) LD2(p) /* of arrays, and of sums in W */
#define STN(v, p) ST2(v, p)
#define LDW(p) LD2(p)
#define STW(v, p) ST2(v, p)
#define SIGN(s) , W s
#define CONJ(v, s) ((v) * (W2)(1, s))
#define CONJ_V(v, s) ((v) * PAIRS((W)1, s))
#define MUL(a, s) pair_times(a, s)
#define MUL_ADD(a, s, c) ((c) + pair_times(a, s))
#define MUL_ADD_V(a, s, c) ((c) + pairs_times(a, s))
/* A sum of products is two: of re * re and im * im, and of re * im and
 * im * re. They become one number in the end. */
#define SUMS 2
#define SWAP_N(v) (v).yx
#define ADD(sums, x, y, swap)                                                  \
  (sums[0] = fma(x, y, sums[0]), sums[1] = fma(x, swap(y), sums[1]))
#define TOTAL(sums, sx, sy)                                                    \
  pair_of(sums[0].x, sums[0].y, sums[1].x, sums[1].y, sx, sy)
/* As product_put.cl has them. */
#define P_PARAMS
#define P_ARGS
#define SCALE_PARAMS W2 alpha, W2 beta
#define SCALE {alpha, beta}

typedef struct product_scale {
  W2 alpha, beta;
} product_scale;

static inline void product_put(W2 sum, global W *c, long i, long j,
                               product_scale s) {
  pair_put(pair_times(sum, s.alpha), s.beta, c);
}
#else
#define N W
#define NL 1
#define LDN(p) LD(p)
#define STN(v, p) ST(v, p)
#define LDW(p) (*(p))
#define STW(v, p) (*(p) = (v))
#define SIGN(s)
#define CONJ(v, s) (v)
#define CONJ_V(v, s) (v)
#define MUL(a, s) ((a) * (s))
#define MUL_ADD(a, s, c) fma(a, s, c)
#define MUL_ADD_V(a, s, c) fma(a, (WV)(s), c)
#define SUMS 1
#define ADD(sums, x, y, swap) (sums[0] = fma(x, y, sums[0]))
#define TOTAL(sums, sx, sy) sums[0]
#define SCALE_PARAMS W alpha, W beta, W beta_low
#define SCALE {alpha, beta, beta_low}
#endif
