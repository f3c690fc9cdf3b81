/* SPDX-License-Identifier: BSD-2-Clause */
/* Terms of entropies, with the limits where the logarithm is infinite, and
 * sinc. The macros are those of fn_gamma.cl. */

static inline F_REAL F(xlogy)(const F_REAL x, const F_REAL y) {
  return ((x == (F_REAL)(0)) & (y == y)) ? (F_REAL)(0) : x * log(y);
}

static inline F_REAL F(xlog1py)(const F_REAL x, const F_REAL y) {
  return ((x == (F_REAL)(0)) & (y == y)) ? (F_REAL)(0) : x * log1p(y);
}

static inline F_REAL F(entr)(const F_REAL x) {
  return x == (F_REAL)(0)  ? (F_REAL)(0)
         : x < (F_REAL)(0) ? (F_REAL)(-INFINITY)
                           : -x * log(x);
}

/* log(x / y) of numbers above 0: that of the rounded quotient q, plus the rest
 * (x - q y) / x. */
static inline F_REAL F(log_ratio)(const F_REAL x, const F_REAL y) {
  const F_REAL q = x / y;
  const F_BOOL fits = (q > (F_REAL)(1e-30)) & (q < (F_REAL)(1e30));
  F_REAL l = log(q) + fma(-q, y, x) / x;

  if (F_ANY(!fits))
    l = fits ? l : log(x) - log(y);
  return l;
}

static inline F_REAL F(rel_entr)(const F_REAL x, const F_REAL y) {
  const F_BOOL inside = (x > (F_REAL)(0)) & (y > (F_REAL)(0));
  const F_BOOL is_edge = (x == (F_REAL)(0)) & (y >= (F_REAL)(0));
  const F_BOOL is_nan = (x != x) | (y != y);

  return is_nan    ? x + y
         : inside  ? x * F(log_ratio)(x, y)
         : is_edge ? (F_REAL)(0)
                   : (F_REAL)(INFINITY);
}

/* ((1 + t) log(1 + t) - t) / t^2 for |t| <= 1 / 8: its Taylor series. */
static inline F_REAL F(kl_div_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.0 / 306.0);
  y = fma(y, t, (F_REAL)(-1.0 / 272.0));
  y = fma(y, t, (F_REAL)(1.0 / 240.0));
  y = fma(y, t, (F_REAL)(-1.0 / 210.0));
  y = fma(y, t, (F_REAL)(1.0 / 182.0));
  y = fma(y, t, (F_REAL)(-1.0 / 156.0));
  y = fma(y, t, (F_REAL)(1.0 / 132.0));
  y = fma(y, t, (F_REAL)(-1.0 / 110.0));
  y = fma(y, t, (F_REAL)(1.0 / 90.0));
  y = fma(y, t, (F_REAL)(-1.0 / 72.0));
  y = fma(y, t, (F_REAL)(1.0 / 56.0));
  y = fma(y, t, (F_REAL)(-1.0 / 42.0));
  y = fma(y, t, (F_REAL)(1.0 / 30.0));
  y = fma(y, t, (F_REAL)(-1.0 / 20.0));
  y = fma(y, t, (F_REAL)(1.0 / 12.0));
  y = fma(y, t, (F_REAL)(-1.0 / 6.0));
  return fma(y, t, (F_REAL)(1.0 / 2.0));
}

static inline F_REAL F(kl_div)(const F_REAL x, const F_REAL y) {
  const F_REAL d = x - y, t = d / y;
  const F_BOOL is_near = (fabs(t) <= (F_REAL)(0.125)) & (y > (F_REAL)(0));

  return is_near ? d * t * F(kl_div_near)(t) : F(rel_entr)(x, y) - d;
}

/* sinc(x), t = x^2 <= 1 / 4, made by tests/ops/special_fit.py; its error is below
 * 1e-17. */
static inline F_REAL F(sinc_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(2.4502943624559792979e-7);
  y = fma(y, t, (F_REAL)(-6.9720996608511994612e-6));
  y = fma(y, t, (F_REAL)(0.00014842784141891028381));
  y = fma(y, t, (F_REAL)(-0.0023460808954639609528));
  y = fma(y, t, (F_REAL)(0.026147847805550960837));
  y = fma(y, t, (F_REAL)(-0.19075182412149616942));
  y = fma(y, t, (F_REAL)(0.81174242528333932944));
  y = fma(y, t, (F_REAL)(-1.6449340668482263023));
  return fma(y, t, (F_REAL)(0.99999999999999999979));
}

/* sin(pi x) / (pi x): that of the distance r from a whole number, times r / x. */
static inline F_REAL F(sinc)(const F_REAL x) {
  const F_REAL a = fabs(x), n = rint(a), half_n = n * (F_REAL)(0.5), r = a - n;
  const F_REAL y = r / a * F(sinc_near)(r * r);

  return a < (F_REAL)(1e-18) ? (F_REAL)(1) : (floor(half_n) == half_n ? y : -y);
}
