/* SPDX-License-Identifier: BSD-2-Clause */
/* The error function scaled and inverted, and the normal distribution. The
 * macros are those of fn_gamma.cl. The inverse is that of M. J. Wichura,
 * Algorithm AS 241, Applied Statistics 37 (1988): quotients of polynomials for
 * the middle, the tails, and the far tails. exp(x^2) erfc(x) is a polynomial in
 * (x - 4) / (x + 4) over 1 + 2 x, as M. M. Shepherd and J. G. Laframboise map
 * it (Mathematics of Computation 36, 1981), made by tests/ops/special_fit.py with
 * mpmath; its error is below 1e-17. */

static inline F_REAL F(quantile_middle_over)(const F_REAL t) {
  F_REAL y = (F_REAL)(2509.0809287301226727);
  y = fma(y, t, (F_REAL)(33430.575583588128105));
  y = fma(y, t, (F_REAL)(67265.770927008700853));
  y = fma(y, t, (F_REAL)(45921.953931549871457));
  y = fma(y, t, (F_REAL)(13731.693765509461125));
  y = fma(y, t, (F_REAL)(1971.5909503065514427));
  y = fma(y, t, (F_REAL)(133.14166789178437745));
  return fma(y, t, (F_REAL)(3.3871328727963666080));
}

static inline F_REAL F(quantile_middle_under)(const F_REAL t) {
  F_REAL y = (F_REAL)(5226.4952788528545610);
  y = fma(y, t, (F_REAL)(28729.085735721942674));
  y = fma(y, t, (F_REAL)(39307.895800092710610));
  y = fma(y, t, (F_REAL)(21213.794301586595867));
  y = fma(y, t, (F_REAL)(5394.1960214247511077));
  y = fma(y, t, (F_REAL)(687.18700749205790830));
  y = fma(y, t, (F_REAL)(42.313330701600911252));
  return fma(y, t, (F_REAL)(1.0));
}

static inline F_REAL F(quantile_tail_over)(const F_REAL t) {
  F_REAL y = (F_REAL)(7.74545014278341407640e-4);
  y = fma(y, t, (F_REAL)(2.27238449892691845833e-2));
  y = fma(y, t, (F_REAL)(2.41780725177450611770e-1));
  y = fma(y, t, (F_REAL)(1.27045825245236838258));
  y = fma(y, t, (F_REAL)(3.64784832476320460504));
  y = fma(y, t, (F_REAL)(5.76949722146069140550));
  y = fma(y, t, (F_REAL)(4.63033784615654529590));
  return fma(y, t, (F_REAL)(1.42343711074968357734));
}

static inline F_REAL F(quantile_tail_under)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.05075007164441684324e-9);
  y = fma(y, t, (F_REAL)(5.47593808499534494600e-4));
  y = fma(y, t, (F_REAL)(1.51986665636164571966e-2));
  y = fma(y, t, (F_REAL)(1.48103976427480074590e-1));
  y = fma(y, t, (F_REAL)(6.89767334985100004550e-1));
  y = fma(y, t, (F_REAL)(1.67638483018380384940));
  y = fma(y, t, (F_REAL)(2.05319162663775882187));
  return fma(y, t, (F_REAL)(1.0));
}

static inline F_REAL F(quantile_far_over)(const F_REAL t) {
  F_REAL y = (F_REAL)(2.01033439929228813265e-7);
  y = fma(y, t, (F_REAL)(2.71155556874348757815e-5));
  y = fma(y, t, (F_REAL)(1.24266094738807843860e-3));
  y = fma(y, t, (F_REAL)(2.65321895265761230930e-2));
  y = fma(y, t, (F_REAL)(2.96560571828504891230e-1));
  y = fma(y, t, (F_REAL)(1.78482653991729133580));
  y = fma(y, t, (F_REAL)(5.46378491116411436990));
  return fma(y, t, (F_REAL)(6.65790464350110377720));
}

static inline F_REAL F(quantile_far_under)(const F_REAL t) {
  F_REAL y = (F_REAL)(2.04426310338993978564e-15);
  y = fma(y, t, (F_REAL)(1.42151175831644588870e-7));
  y = fma(y, t, (F_REAL)(1.84631831751005468180e-5));
  y = fma(y, t, (F_REAL)(7.86869131145613259100e-4));
  y = fma(y, t, (F_REAL)(1.48753612908506148525e-2));
  y = fma(y, t, (F_REAL)(1.36929880922735805310e-1));
  y = fma(y, t, (F_REAL)(5.99832206555887937690e-1));
  return fma(y, t, (F_REAL)(1.0));
}

/* The quantile of the normal distribution for the probability 0.5 + q;
 * `tail` is the smaller one of that and 1 minus that. */
static inline F_REAL F(quantile)(const F_REAL q, const F_REAL tail) {
  const F_REAL r = (F_REAL)(0.180625) - q * q;
  F_REAL y = q * F(quantile_middle_over)(r) / F(quantile_middle_under)(r);
  const F_BOOL is_tail = !(fabs(q) <= (F_REAL)(0.425));

  if (F_ANY(is_tail)) {
    const F_REAL d = sqrt(-log(tail)), s = d - (F_REAL)(1.6);
    const F_BOOL is_far = d > (F_REAL)(5);
    F_REAL z = F(quantile_tail_over)(s) / F(quantile_tail_under)(s);
    if (F_ANY(is_far)) {
      const F_REAL f = d - (F_REAL)(5);
      const F_REAL far = F(quantile_far_over)(f) / F(quantile_far_under)(f);
      z = is_far ? (tail == (F_REAL)(0) ? d : far) : z;
    }
    y = is_tail ? (q < (F_REAL)(0) ? -z : z) : y;
  }
  return y;
}

static inline F_REAL F(ndtri)(const F_REAL p) {
  const F_REAL q = p - (F_REAL)(0.5);

  return F(quantile)(q, q < (F_REAL)(0) ? p : (F_REAL)(1) - p);
}

static inline F_REAL F(erfinv)(const F_REAL x) {
  return F(quantile)(x * (F_REAL)(0.5),
                     ((F_REAL)(1) - fabs(x)) * (F_REAL)(0.5)) *
         (F_REAL)(0.70710678118654752440);
}

static inline F_REAL F(erfcinv)(const F_REAL x) {
  const F_REAL y = (F_REAL)(1) - x;

  return F(quantile)(y * (F_REAL)(0.5),
                     (y < (F_REAL)(0) ? (F_REAL)(2) - x : x) * (F_REAL)(0.5)) *
         (F_REAL)(0.70710678118654752440);
}

/* (1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4). */
static inline F_REAL F(erfcx_fit)(const F_REAL t) {
  F_REAL y = (F_REAL)(-2.7641202337345780196e-10);
  y = fma(y, t, (F_REAL)(9.2976252637096597e-10));
  y = fma(y, t, (F_REAL)(3.2323973445082032639e-9));
  y = fma(y, t, (F_REAL)(-1.2338731403798443689e-8));
  y = fma(y, t, (F_REAL)(-2.0725802488181961758e-8));
  y = fma(y, t, (F_REAL)(1.0631817593818148229e-7));
  y = fma(y, t, (F_REAL)(7.7719432410869128234e-8));
  y = fma(y, t, (F_REAL)(-8.2106479332973363407e-7));
  y = fma(y, t, (F_REAL)(2.9173425573089733153e-7));
  y = fma(y, t, (F_REAL)(5.7065782992407405433e-6));
  y = fma(y, t, (F_REAL)(-0.000011221135665965907097));
  y = fma(y, t, (F_REAL)(-0.000024397731143023292355));
  y = fma(y, t, (F_REAL)(0.00015062142608651944709));
  y = fma(y, t, (F_REAL)(-0.00019925715247265178322));
  y = fma(y, t, (F_REAL)(-0.00075777324359425761126));
  y = fma(y, t, (F_REAL)(0.0050319700691022557993));
  y = fma(y, t, (F_REAL)(-0.016197734062934770629));
  y = fma(y, t, (F_REAL)(0.037167515526338003605));
  y = fma(y, t, (F_REAL)(-0.066330365811860582491));
  y = fma(y, t, (F_REAL)(0.09373283499911263949));
  y = fma(y, t, (F_REAL)(-0.1010390660363181163));
  y = fma(y, t, (F_REAL)(0.068097054254668382427));
  y = fma(y, t, (F_REAL)(0.015379652102619974311));
  y = fma(y, t, (F_REAL)(-0.13962111684056228351));
  return fma(y, t, (F_REAL)(1.232995118625552509));
}

/* exp(x^2) erfc(x) for x >= 0. */
static inline F_REAL F(erfcx_right)(const F_REAL x) {
  const F_REAL b = fmin(x, (F_REAL)(1e18));

  return F(erfcx_fit)((b - (F_REAL)(4)) / (b + (F_REAL)(4))) /
         fma(x, (F_REAL)(2), (F_REAL)(1));
}

/* exp(c x^2) for x in [0, 40] and a power of 2 c. What the square loses is a
 * factor of its own. */
static inline F_REAL F(exp_square)(const F_REAL x, const F_REAL c) {
  const F_REAL w = x * x, lost = fma(x, x, -w);

  return exp(c * w) * fma(c, lost, (F_REAL)(1));
}

static inline F_REAL F(erfcx)(const F_REAL x) {
  const F_REAL a = fabs(x);
  F_REAL y = F(erfcx_right)(a);
  const F_BOOL is_left = x < (F_REAL)(0);

  if (F_ANY(is_left)) {
    const F_REAL e = F(exp_square)(fmin(a, (F_REAL)(40)), (F_REAL)(1));
    y = is_left ? fma(e, (F_REAL)(2), -y) : y;
  }
  return x != x ? x : y;
}

/* The probability beyond a >= 0. */
static inline F_REAL F(normal_tail)(const F_REAL a) {
  const F_REAL b = fmin(a, (F_REAL)(40));

  return F(exp_square)(b, (F_REAL)(-0.5)) *
         (F(erfcx_right)(b * (F_REAL)(0.70710678118654752440)) * (F_REAL)(0.5));
}

static inline F_REAL F(ndtr)(const F_REAL x) {
  const F_REAL tail = F(normal_tail)(fabs(x));

  return x != x ? x : (x < (F_REAL)(0) ? tail : (F_REAL)(1) - tail);
}

/* Left of 0 the logarithm of erfcx, without what underflows; right of it that of
 * 1 - tail and of what the difference loses. */
static inline F_REAL F(log_ndtr)(const F_REAL x) {
  const F_REAL a = fabs(x), one = (F_REAL)(1);
  const F_REAL e = F(erfcx_right)(a * (F_REAL)(0.70710678118654752440)) *
                   (F_REAL)(0.5);
  const F_REAL tail =
      F(exp_square)(fmin(a, (F_REAL)(40)), (F_REAL)(-0.5)) * e;
  const F_BOOL is_right = x > (F_REAL)(0);
  const F_REAL v = is_right ? one - tail : e;
  const F_REAL lost = (one - v) - tail;

  return fma(is_right ? lost : a * (F_REAL)(-0.5), is_right ? one + tail : a,
             log(v));
}
