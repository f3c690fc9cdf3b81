/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the sums of a product: alpha times the sum, and beta times
 * the element of C, is stored there or handed to an epilogue. Stands between
 * the macros of a template (T, W, LD, ST as in gemm_cpu.cl, or those of
 * complex_pairs.cl) and the template.
 *
 * An epilogue stands in front of it all, see codegen/gen_epilogue.h:
 *
 *   #define EPILOGUE
 *   #define EPILOGUE_VECTOR      if there is p_put_v, of as many lanes as here
 *   #define P_VALUES             if it reads arrays: by p_read_v, which returns
 *                                p_values, its second argument
 *   #define P_PARAMS , global char *p_b0, ...     behind the last parameter
 *   #define P_ARGS , p_b0, ...
 *   #define P_BATCH(z) ...       in a batch: moves p_... to those of matrix z
 *   static void p_put(W acc, AT_PARAMS P_PARAMS)
 *
 * beta comes in two parts, beta + beta_low, see ga__product_scale; the second
 * one must not make a NaN of an infinity. */
#include "numbers.cl"

#ifndef AT_PARAMS /* conv_window.cl has others */
#define AT_PARAMS long i, long j
#define AT i, j
#endif
#ifndef EPILOGUE
#define P_PARAMS
#define P_ARGS
#endif
#ifndef P_BATCH
#define P_BATCH(z)
#endif

/* Several neighbours in a row are put at once, if they can be. */
#if !defined(EPILOGUE) || defined(EPILOGUE_VECTOR)
#define PUT_VECTORS 1
#else
#define PUT_VECTORS 0
#endif
#ifndef STC
#define STC(v, p) STV(v, p)
#endif

typedef struct product_scale {
  N alpha, beta, beta_low;
#if NL == 2
  W sa, sb; /* +1, or -1 for conjugates of A and B */
#endif
} product_scale;

static inline N product_value(N sum, global const T *c, product_scale s) {
  const N v = MUL(sum, s.alpha);

  if (!IS_ZERO(s.beta)) {
    const N was = LDN(c);
    return MUL_ADD(was, s.beta, IS_INF(was) ? v : MUL_ADD(was, s.beta_low, v));
  }
  return v;
}

/* Element (i, j), which lies at `c`. */
static inline void product_put(N sum, global T *c, AT_PARAMS,
                               product_scale s P_PARAMS) {
#ifdef EPILOGUE
  p_put(product_value(sum, c, s), AT P_ARGS);
#else
  STN(product_value(sum, c, s), c);
#endif
}

#if PUT_VECTORS
/* What is read before elements are put. A GPU waits for a value when it is used,
 * but a compiler does not move reads over stores. So kernels for GPUs read for
 * several vectors before they put the first one. */
typedef struct product_read {
  WV was; /* C, if beta is not 0 */
#ifdef P_VALUES
  p_values values;
#endif
} product_read;

#ifdef P_VALUES
#define P_GIVEN(r) , (r).values
#else
#define P_GIVEN(r)
#endif

/* For elements (i, j), (i, j + 1), ..., which lie next to each other at `c`. */
static inline product_read product_read_v(global const T *c, AT_PARAMS,
                                          product_scale s P_PARAMS) {
  product_read r;

  r.was = (WV)(0);
  if (!IS_ZERO(s.beta))
    r.was = LDV(c);
#ifdef P_VALUES
  r.values = p_read_v(AT P_ARGS);
#endif
  return r;
}

static inline void product_put_read(WV sum, product_read r, global T *c,
                                    AT_PARAMS, product_scale s P_PARAMS) {
  WV v = MUL_V(sum, s.alpha);

  if (!IS_ZERO(s.beta))
    v = MUL_ADD_V(r.was, s.beta,
                  select(MUL_ADD_V(r.was, s.beta_low, v), v, IS_INF_V(r.was)));
#ifdef EPILOGUE
  p_put_v(v P_GIVEN(r), AT P_ARGS);
#else
  STC(v, c);
#endif
}

static inline void product_put_v(WV sum, global T *c, AT_PARAMS,
                                 product_scale s P_PARAMS) {
  product_put_read(sum, product_read_v(c, AT, s P_ARGS), c, AT, s P_ARGS);
}
#endif
