/* SPDX-License-Identifier: BSD-2-Clause */
/* Lambert's W, the principal branch for x >= -1 / e. The macros are those of
 * fn_gamma.cl. Near its branch point a polynomial in p = sqrt(2 (e x + 1)), made
 * by tests/ops/special_fit.py; elsewhere three steps of Halley's method
 * (R. M. Corless and others, On the Lambert W function, 1996). */

/* W(x), t = 2 p - 1 for p in [0, 1]. */
static inline F_REAL F(lambertw_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(7.2678072194108763723e-13);
  y = fma(y, t, (F_REAL)(-2.9374979634784809233e-12));
  y = fma(y, t, (F_REAL)(8.2752085292035516577e-12));
  y = fma(y, t, (F_REAL)(-3.37596252251593417e-11));
  y = fma(y, t, (F_REAL)(1.4602501338435202909e-10));
  y = fma(y, t, (F_REAL)(-6.0050181943543725845e-10));
  y = fma(y, t, (F_REAL)(2.473672639058779999e-9));
  y = fma(y, t, (F_REAL)(-1.0292433220096013738e-8));
  y = fma(y, t, (F_REAL)(4.3147096083548199587e-8));
  y = fma(y, t, (F_REAL)(-1.8244242130868298657e-7));
  y = fma(y, t, (F_REAL)(7.7968594747754317011e-7));
  y = fma(y, t, (F_REAL)(-3.3762933634280901072e-6));
  y = fma(y, t, (F_REAL)(0.000014867485571348745393));
  y = fma(y, t, (F_REAL)(-0.000066925634867747193252));
  y = fma(y, t, (F_REAL)(0.00031049575554637802164));
  y = fma(y, t, (F_REAL)(-0.0015052373363984775157));
  y = fma(y, t, (F_REAL)(0.007825577755628527378));
  y = fma(y, t, (F_REAL)(-0.046269980889387244251));
  y = fma(y, t, (F_REAL)(0.37586775704824332561));
  return fma(y, t, (F_REAL)(-0.56813476296719684855));
}

static inline F_REAL F(lambertw)(const F_REAL x) {
  const F_REAL d =
      (x + (F_REAL)(F_PICK(0.36787944117144233, 0.3678794503211975))) +
      (F_REAL)(F_PICK(-1.2428753672788363e-17, -9.149755188e-9));
  const F_REAL p = sqrt(d * (F_REAL)(5.43656365691809047072));
  const F_BOOL is_near = p <= (F_REAL)(1);
  const F_REAL b = is_near ? (F_REAL)(0) : x;
  const F_REAL l = log1p(b), ll = log1p(l);
  const F_REAL lb = log(fmax(b, (F_REAL)(3))), lc = log(lb);
  F_REAL w = b > (F_REAL)(3) ? lb - lc + lc / lb
                             : l * ((F_REAL)(1) - ll / ((F_REAL)(2) + l));

  for (int i = 0; i < 3; i++) {
    const F_REAL off = fma(-b, exp(-w), w), u = w + (F_REAL)(1);
    w -= off / (u - (w + (F_REAL)(2)) * off / (u + u));
  }
  w = is_near ? F(lambertw_near)(p + p - (F_REAL)(1)) : w;
  return ((x != x) | (x == (F_REAL)(INFINITY))) ? x
         : d < (F_REAL)(0)                    ? (F_REAL)(NAN)
                                              : w;
}
