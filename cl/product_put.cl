/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the sums of a product: alpha times the sum, and beta times
 * the element of C, is stored there or handed to an epilogue. Stands between
 * the macros of a template (T, W, LD, ST as in gemm_cpu.cl) and the template.
 *
 * An epilogue stands in front of it all, see codegen/gen_epilogue.h:
 *
 *   #define EPILOGUE
 *   #define EPILOGUE_VECTOR      if there is p_put_v, of as many lanes as here
 *   #define P_PARAMS , global char *p_b0, ...     behind the last parameter
 *   #define P_ARGS , p_b0, ...
 *   static void p_put(W acc, long i, long j P_PARAMS)
 *
 * beta comes in two parts, beta + beta_low, see ga__product_factor; the second
 * one must not make a NaN of an infinity. */
#ifndef EPILOGUE
#define P_PARAMS
#define P_ARGS
#endif

/* Several neighbours in a row are put at once, if they can be. */
#if !defined(EPILOGUE) || defined(EPILOGUE_VECTOR)
#define PUT_VECTORS 1
#else
#define PUT_VECTORS 0
#endif
#ifdef VL
#define PUT_WV WV
#define PUT_LD LDV
#define PUT_ST STV
#else
#define PUT_WV W4
#define PUT_LD LD4
#ifdef STC4
#define PUT_ST STC4
#else
#define PUT_ST ST4
#endif
#endif

typedef struct product_scale {
  W alpha, beta, beta_low;
} product_scale;

static W product_value(W sum, global const T *c, product_scale s) {
  const W v = sum * s.alpha;

  if (s.beta != 0) {
    const W was = LD(c);
    return fma(s.beta, was, isinf(was) ? v : fma(s.beta_low, was, v));
  }
  return v;
}

/* Element (i, j), which lies at `c`. */
static void product_put(W sum, global T *c, long i, long j,
                        product_scale s P_PARAMS) {
#ifdef EPILOGUE
  p_put(product_value(sum, c, s), i, j P_ARGS);
#else
  ST(product_value(sum, c, s), c);
#endif
}

#if PUT_VECTORS
/* Elements (i, j), (i, j + 1), ..., which lie next to each other. */
static void product_put_v(PUT_WV sum, global T *c, long i, long j,
                          product_scale s P_PARAMS) {
  PUT_WV v = sum * s.alpha;

  if (s.beta != 0) {
    const PUT_WV was = PUT_LD(c);
    v = fma((PUT_WV)s.beta, was,
            select(fma((PUT_WV)s.beta_low, was, v), v, isinf(was)));
  }
#ifdef EPILOGUE
  p_put_v(v, i, j P_ARGS);
#else
  PUT_ST(v, c);
#endif
}
#endif
