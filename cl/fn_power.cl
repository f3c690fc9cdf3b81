/* SPDX-License-Identifier: BSD-2-Clause */
/* Logarithms of more digits than a number has, and powers. The macros are those
 * of fn_gamma.cl. */

/* (2 atanh(s) - 2 s) / s^3, t = s^2 <= 0.03. */
static inline F_REAL F(atanh_rest)(const F_REAL t) {
  F_REAL y = (F_REAL)(0.13113587747468848529);
  y = fma(y, t, (F_REAL)(0.13266170394807394923));
  y = fma(y, t, (F_REAL)(0.15386337821010129923));
  y = fma(y, t, (F_REAL)(0.18181793818872903284));
  y = fma(y, t, (F_REAL)(0.22222222408922305449));
  y = fma(y, t, (F_REAL)(0.28571428570726972047));
  y = fma(y, t, (F_REAL)(0.4000000000000100337));
  return fma(y, t, (F_REAL)(0.66666666666666666431));
}

/* log(x) for finite x above 0, of others that of a limit, as the sum of two. It
 * is that of 2^n and 2 atanh(s), where (1 + s) / (1 - s) is the rest m. */
typedef struct F(log_parts) {
  F_REAL high, low;
} F(log_parts);

static inline F(log_parts) F(log_parts_of)(const F_REAL x) {
  const F_REAL one = (F_REAL)(1);
  const F_REAL z = fmin(
      fmax(x, (F_REAL)(F_PICK(4.9406564584124654e-324, 1.17549435e-38))),
      (F_REAL)(F_PICK(1.7976931348623157e308, 3.4028234e38)));
  const F_REAL whole = ldexp(z, -ilogb(z));
  const F_BOOL above = whole >= (F_REAL)(1.4142135);
  const F_REAL m = above ? whole * (F_REAL)(0.5) : whole;
  const F_REAL n = above ? logb(z) + one : logb(z);
  const F_REAL over = m - one, under = m + one, s = over / under, w = s * s;
  const F_REAL s_lost = (fma(-s, under, over) - s * (m - (under - one))) *
                        fma(s, (F_REAL)(-0.5), (F_REAL)(0.5));
  const F_REAL h =
      n * (F_REAL)(F_PICK(0.6931471805592082091607153, 0.693145751953));
  const F_REAL first = s + s;
  const F_REAL rest = fma(s * w, F(atanh_rest)(w), s_lost + s_lost);
  const F_REAL part = first + rest, l = h + part;
  const F_REAL l_lost =
      fma(n, (F_REAL)(F_PICK(7.3710025651677989e-13, 1.42860682e-6)),
          (h - l) + part + ((first - part) + rest));
  const F(log_parts) parts = {l, l_lost};
  return parts;
}

/* x^y for finite x above 0 and finite y. With PoCL's pow, gg_zeta takes four
 * times as long. */
static inline F_REAL F(power)(const F_REAL x, const F_REAL y) {
  const F(log_parts) l = F(log_parts_of)(x);
  const F_REAL p = y * l.high, e = exp(p), one = (F_REAL)(1);

  return e * (one + fma(y, l.low, fma(y, l.high, -p)));
}
